//! Ports of the server whose connections go to a destination at the client.

use std::net::SocketAddr;

use anabranch_forward::socks::Reply;
use anabranch_forward::{Event, Reverse};
use tokio::net::TcpStream;

use crate::party::{Party, Setup, within};
use crate::programs::{closed_port, connect, content, echo, exchange, ping, until_reset};

/// A party whose server is asked for a port to `to`, and its address.
async fn reversed(to: SocketAddr, may_reverse: &'static [&'static str]) -> (Party, SocketAddr) {
    let at = closed_port().await;
    let reverse = vec![Reverse { at: at.into(), to: to.into(), mark: None }];
    // The server connects to nothing: the way back needs no permission for a destination.
    let party = Party::with(Setup { allowed: &[], may_reverse, reverse, ..Setup::default() }).await;
    (party, at)
}

#[tokio::test]
async fn connections_to_a_port_of_the_server_arrive_at_the_client() {
    let (party, at) = reversed(echo().await, &["alice@1024-65535"]).await;
    let event = party.here.wait_for("the server listens at").await;
    assert!(matches!(&event, Event::Listening { address, .. } if *address == at.into()), "{event}");
    party.there.wait_for(&format!("alice: the server listens at {at}")).await;
    let (mut one, mut other) = (connect(at).await, connect(at).await);
    ping(&mut one, b"one").await;
    ping(&mut other, b"other").await;
    let (there, back) = (content(200_000, 1), content(200_000, 2));
    let answers = tokio::join!(exchange(&mut one, &there), exchange(&mut other, &back));
    assert!(answers == (there, back));
}

#[tokio::test]
async fn a_port_that_is_not_permitted_is_refused_with_an_event() {
    for may_reverse in [&[][..], &["bob@1024-65535"]] {
        let (party, at) = reversed(echo().await, may_reverse).await;
        for events in [&party.here, &party.there] {
            let event = events.wait_for(&format!("no flow to {at}: alice may not open port")).await;
            let Event::Refused { refused, .. } = &event else { panic!("{event}") };
            assert_eq!(refused.reply, Reply::NotAllowed);
        }
        assert!(within(5, TcpStream::connect(at)).await.is_err());
    }
}

#[tokio::test]
async fn a_destination_that_refuses_resets_the_connection_with_an_event() {
    let closed = closed_port().await;
    let (party, at) = reversed(closed, &["1024-65535"]).await;
    party.here.wait_for("the server listens at").await;
    until_reset(&mut connect(at).await).await;
    party.here.wait_for(&format!("no flow to {closed}")).await;
}

#[tokio::test]
async fn a_port_closes_when_the_association_ends_and_opens_with_the_next() {
    let (mut party, at) = reversed(echo().await, &["1024-65535"]).await;
    party.here.wait_for("the server listens at").await;
    let mut connection = connect(at).await;
    ping(&mut connection, b"hello").await;
    party.near.abort("the test ends it");
    within(10, &mut party.serving).await.expect("joined");
    until_reset(&mut connection).await;
    assert!(within(5, TcpStream::connect(at)).await.is_err());
    within(10, &mut party.carrying).await.expect("joined");
    party.join_again().await;
    for _ in 0..100 {
        if let Ok(mut connection) = TcpStream::connect(at).await {
            return ping(&mut connection, b"again").await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the port stays closed: {:?}", party.there.lines());
}
