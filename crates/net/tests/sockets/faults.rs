//! Faults of a network: cut cables, vanished peers, garbage from strangers.

use std::net::UdpSocket;
use std::time::Duration;

use anabranch_net::{
    BindError, CloseReason, ConnectError, Endpoint, Event, Options, PathId, Security, SendError, SendOptions,
};

use crate::party::{
    addresses, cabled, client, content, impatient, join, receive_all, send_all, server, within,
};

#[tokio::test]
async fn a_cable_that_is_cut_in_the_middle_loses_nothing() {
    let cabled = cabled().await;
    cabled.cables.iter().for_each(|cable| cable.delay(Duration::from_millis(2)));
    let mut events = cabled.near.subscribe();
    let there = content(4_000_000, 1);
    let receive = async {
        let mut arrived = receive_all(&cabled.far, 1_000_000).await?;
        cabled.cables[1].cut();
        arrived.extend(receive_all(&cabled.far, there.len() - arrived.len()).await?);
        Ok::<_, CloseReason>(arrived)
    };
    let (sent, arrived) = within(30, async { tokio::join!(send_all(&cabled.near, &there), receive) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    let second = PathId::from_index(1);
    within(5, async { while events.next().await.expect("open") != Ok(Event::PathDown(second)) {} }).await;
    cabled.cables[1].mend();
    within(5, async { while events.next().await.expect("open") != Ok(Event::PathUp(second)) {} }).await;
    assert_eq!(within(5, cabled.near.close()).await, Ok(()));
}

#[tokio::test]
async fn a_peer_that_vanishes_is_reported() {
    let cabled = cabled().await;
    let mut events = cabled.near.subscribe();
    cabled.cables.iter().for_each(crate::cable::Cable::cut);
    cabled.near.send("is anybody there?", SendOptions::default()).await.expect("open");
    let reason = within(10, cabled.near.recv()).await.expect_err("there is no peer");
    assert!(matches!(reason, CloseReason::PeerGone { .. }), "{reason}");
    assert_eq!(
        cabled.near.send("hello?", SendOptions::default()).await,
        Err(SendError::Closed(reason.clone()))
    );
    let mut last = None;
    while let Some(Ok(event)) = events.next().await {
        last = Some(event);
    }
    assert_eq!(last, Some(Event::Closed(reason)));
    assert_eq!(cabled.near.subscribe().next().await, None, "nothing follows");
}

#[tokio::test]
async fn an_unanswered_attempt_fails_and_a_dropped_one_leaves_no_association() {
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let client = client(&["127.0.0.1:0"]);
    let remote = [silent.local_addr().expect("bound")];
    let error = within(10, client.connect(&remote)).await.expect_err("there is no SCTP endpoint");
    assert!(matches!(error, ConnectError::NoAnswer { attempts: 4, .. }), "{error:?}");
    let attempt = tokio::time::timeout(Duration::from_millis(20), client.connect(&remote));
    assert!(attempt.await.is_err(), "given up early");
    assert_eq!(client.associations(), 0);
}

#[tokio::test]
async fn an_endpoint_that_accepts_nothing_refuses() {
    let (closed, client) = (client(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let error = within(5, client.connect(&closed.local_addresses())).await.expect_err("refused");
    assert!(matches!(error, ConnectError::Failed(CloseReason::AbortedByPeer { .. })), "{error:?}");
}

#[tokio::test]
async fn rubbish_is_ignored() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let remote = server.local_addresses();
    let (near, far) = within(5, join(&client, &server, &remote)).await;
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for number in 0..2_000_usize {
        let mut rubbish = content(number % 1_700, number as u64);
        if number % 2 == 0 && rubbish.len() > 4 {
            // With the right SCTP ports, so that more of the packet is read.
            rubbish[..4].copy_from_slice(&[0x26, 0xab, 0x26, 0xab]);
        }
        peer.send_to(&rubbish, remote[0]).expect("sent");
        if number % 100 == 0 {
            near.send(number.to_string(), SendOptions::default()).await.expect("open");
            let arrived = within(5, far.recv()).await.expect("arrived").into_bytes();
            assert_eq!(arrived, number.to_string());
        }
    }
    assert_eq!(far.paths().len(), 1, "a stranger does not become a path");
    assert_eq!(server.associations(), 1);
}

#[tokio::test]
async fn a_network_that_cannot_be_reached_is_a_path_that_loses_everything() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0", "127.0.0.2:0"]));
    let mut remote = server.local_addresses();
    // Documentation addresses (RFC 5737): from a loopback address the system refuses to send there.
    remote.extend(addresses(&["198.51.100.9:9899"]));
    let (near, far) = within(5, join(&client, &server, &remote)).await;
    let there = content(500_000, 1);
    let (sent, arrived) =
        within(10, async { tokio::join!(send_all(&near, &there), receive_all(&far, there.len())) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    let unreached = near.paths().into_iter().find(|path| path.addresses.remote == remote[1]);
    let unsent = unreached.expect("two paths").unsent;
    assert!(unsent.packets > 0);
    let error = unsent.last_error.expect("a reason");
    assert!(error.starts_with("to 198.51.100.9:9899: "), "{error}");
    assert_eq!(client.sockets()[0].unsent.packets, 0);
}

#[tokio::test]
async fn what_cannot_be_bound_is_said() {
    let bound = server(&["127.0.0.1:0"]);
    let again =
        Options { local: bound.local_addresses(), config: impatient(), ..Options::with(Security::Insecure) };
    assert!(matches!(Endpoint::bind(again), Err(BindError::InUse { .. })));
    let elsewhere = Options { local: addresses(&["198.51.100.9:0"]), ..Options::with(Security::Insecure) };
    assert!(matches!(Endpoint::bind(elsewhere), Err(BindError::NotHere { .. })));
    let nowhere = Endpoint::bind(Options::with(Security::Insecure)).expect_err("no address");
    assert_eq!(nowhere.to_string(), "an endpoint needs at least one local address");
}

#[test]
fn without_a_runtime_there_is_no_endpoint() {
    let options = Options { local: addresses(&["127.0.0.1:0"]), ..Options::with(Security::Insecure) };
    assert!(matches!(Endpoint::bind(options), Err(BindError::NoRuntime)));
}
