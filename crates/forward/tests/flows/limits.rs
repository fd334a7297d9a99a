//! The limits of a client, and the lines that tell of them.

use std::time::Duration;

use anabranch_forward::socks::Reply;
use anabranch_forward::{Client, Event, Rate, Reverse};
use anabranch_net::{Association, CloseReason};
use tokio::task::JoinHandle;

use crate::party::{Events, Joined, Party, Setup, config, join, server, within};
use crate::programs::{
    ask_socks, closed_port, connect, connect_by_socks, destination, echo, ping, udp, until_reset,
};

/// Another association of `client`.
struct Another {
    near: Association,
    serving: JoinHandle<CloseReason>,
    _endpoints: (anabranch_net::Endpoint, anabranch_net::Endpoint),
}

#[tokio::test]
async fn the_oldest_association_of_a_client_gives_way_to_a_newer_one() {
    let events = Events::default();
    let server = server(&Setup { most_associations: 2, ..Setup::default() }, &events);
    let (alice, bob) =
        (Client::new("alice", Rate::default(), &server), Client::new("bob", Rate::default(), &server));
    let another = async |client: &Client| {
        let Joined { near, far, endpoints } = join(config(16), config(16)).await;
        let serving = tokio::spawn(std::sync::Arc::clone(&server).serve(client.clone(), far));
        Another { near, serving, _endpoints: endpoints }
    };
    let first = another(&alice).await;
    let (second, _of_bob) = (another(&alice).await, another(&bob).await);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(events.lines().is_empty());
    let third = another(&alice).await;
    let reason = within(5, first.near.closed()).await.to_string();
    assert!(
        reason.contains("a newer bond, and the server has room for 2 at once (--limit-memory)"),
        "{reason}"
    );
    assert!(matches!(within(5, first.serving).await, Ok(CloseReason::AbortedHere { .. })));
    let event = events.wait_for("alice: its oldest bond was ended for a newer one").await;
    assert!(matches!(event, Event::Displaced { most: 2, .. }));
    // One that has ended makes room.
    second.near.abort("the test ends it");
    within(5, second.serving).await.expect("joined");
    let fourth = another(&alice).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(third.near.is_open() && fourth.near.is_open());
    assert_eq!(events.lines().len(), 1);
}

#[tokio::test]
async fn a_udp_flow_too_many_has_a_line_at_both_ends() {
    let party = Party::with(Setup { most_flows: 1, ..Setup::default() }).await;
    let _flow = connect_by_socks(party.socks().await, &echo().await.into()).await;
    let (port, program) = (party.udp(destination("127.0.0.1:9"), false).await, udp().await);
    let refusal = "the client has 1 flows, the most that the server permits (--max-flows)";
    for _ in 0..50 {
        program.send_to(b"x", port).await.expect("sent");
    }
    party.there.wait_for(&format!("alice: no flow for UDP: {refusal}")).await;
    party.here.wait_for(&format!("no flow to 127.0.0.1:9: {refusal}")).await;
    // The next datagrams do not ask again at once.
    for _ in 0..20 {
        program.send_to(b"x", port).await.expect("sent");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(party.there.lines().len(), 1);
}

#[tokio::test]
async fn a_connection_to_a_port_of_the_server_too_many_is_reset_and_has_a_line() {
    let at = closed_port().await;
    let reverse = vec![Reverse { at: at.into(), to: echo().await.into(), mark: None }];
    let setup =
        Setup { allowed: &[], may_reverse: &["1024-65535"], reverse, most_flows: 2, ..Setup::default() };
    let party = Party::with(setup).await;
    party.here.wait_for("the server listens at").await;
    let mut first = connect(at).await;
    ping(&mut first, b"first").await;
    let mut second = connect(at).await;
    until_reset(&mut second).await;
    let event = party.there.wait_for("was reset: the client has 2 flows, the most").await;
    let Event::ArrivalRefused { client, port, source, .. } = &event else { panic!("{event}") };
    assert_eq!((client.as_str(), port), ("alice", &at.into()));
    assert!(source.ip().is_loopback());
}

#[tokio::test]
async fn a_connection_that_the_client_cannot_carry_on_has_a_line_at_both_ends() {
    let (at, closed) = (closed_port().await, closed_port().await);
    let reverse = vec![Reverse { at: at.into(), to: closed.into(), mark: None }];
    let setup = Setup { allowed: &[], may_reverse: &["1024-65535"], reverse, ..Setup::default() };
    let party = Party::with(setup).await;
    party.here.wait_for("the server listens at").await;
    until_reset(&mut connect(at).await).await;
    party.here.wait_for(&format!("no flow to {closed}")).await;
    party.there.wait_for(&format!("to {at} was reset: ")).await;
}

/// The bond's end has three or four of the eight streams.
#[tokio::test]
async fn a_flow_without_a_stream_is_refused_with_the_reason_and_a_remedy() {
    let party = Party::with(Setup { streams: 8, ..Setup::default() }).await;
    let (port, echo) = (party.socks().await, echo().await.into());
    let mut open = Vec::new();
    loop {
        let (flow, code, _) = ask_socks(port, 1, &echo, b"").await;
        if code != 0 {
            assert_eq!(code, Reply::GeneralFailure.code());
            break;
        }
        open.push(flow);
    }
    assert!((3..=4).contains(&open.len()));
    let event = party.here.wait_for("the bond carries 4 flows, the most that it can").await.to_string();
    assert!(event.contains("end some connections, or run another `anabranch forward`"), "{event}");
    ping(&mut open[0], b"goes on").await;
}
