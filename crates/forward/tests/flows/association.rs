//! The association under the flows: its end, the next one, the time without one, and peers of another kind.

use std::time::Duration;

use anabranch_forward::{Bond, Client, Front, Rate};
use anabranch_net::{CloseReason, Config};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::party::{Events, Joined, Party, Setup, config, join, nothing, server, within};
use crate::programs::{
    accept, ask_socks, connect, datagram, destination, echo, listen, ping, read, udp, udp_echo, until_reset,
};

#[tokio::test]
async fn its_end_resets_both_ends_of_a_flow_and_the_next_one_carries_more() {
    let mut party = Party::new().await;
    let (listener, address) = listen().await;
    let port = party.fixed(address).await;
    let mut program = connect(port).await;
    program.write_all(b"hello").await.expect("sent");
    let mut far = accept(&listener).await;
    assert_eq!(read(&mut far, 5).await, b"hello");
    party.far.abort("the test ends it");
    until_reset(&mut program).await;
    until_reset(&mut far).await;
    let reasons = (within(5, &mut party.carrying).await, within(5, &mut party.serving).await);
    assert!(matches!(reasons.0, Ok(CloseReason::AbortedByPeer { .. })), "{reasons:?}");
    assert!(matches!(reasons.1, Ok(CloseReason::AbortedHere { .. })), "{reasons:?}");
    party.join_again().await;
    let mut program = connect(party.fixed(echo().await).await).await;
    ping(&mut program, b"over the second").await;
    let mut program = connect(port).await;
    program.write_all(b"there").await.expect("sent");
    assert_eq!(read(&mut accept(&listener).await, 5).await, b"there");
}

#[tokio::test]
async fn a_graceful_end_resets_flows_as_well() {
    let mut party = Party::new().await;
    let mut program = connect(party.fixed(echo().await).await).await;
    ping(&mut program, b"hello").await;
    within(10, party.near.close()).await.expect("in order");
    until_reset(&mut program).await;
    assert!(matches!(within(5, &mut party.carrying).await, Ok(CloseReason::Graceful)));
}

#[tokio::test]
async fn a_udp_port_goes_over_to_the_next_one() {
    let mut party = Party::new().await;
    let (port, program) = (party.udp(udp_echo().await, false).await, udp().await);
    program.send_to(b"first", port).await.expect("sent");
    assert_eq!(datagram(&program).await.0, b"first");
    party.near.abort("the test ends it");
    within(5, &mut party.carrying).await.expect("joined");
    party.join_again().await;
    // The end of the mapping drops what is sent meanwhile.
    for _ in 0..100 {
        program.send_to(b"second", port).await.expect("sent");
        if tokio::time::timeout(Duration::from_millis(50), datagram(&program)).await.is_ok() {
            return;
        }
    }
    panic!("no answer over the second association");
}

#[tokio::test]
async fn a_program_waits_while_there_is_none() {
    let mut party = Party::new().await;
    let (port, to) = (party.socks().await, destination(&echo().await.to_string()));
    party.near.abort("the test ends it");
    within(5, &mut party.carrying).await.expect("joined");
    let mut waiting = tokio::spawn(async move { ask_socks(port, 1, &to, b"").await });
    nothing(&mut waiting).await;
    party.join_again().await;
    let (mut connection, code, _) = within(10, waiting).await.expect("joined");
    assert_eq!(code, 0);
    ping(&mut connection, b"hello").await;
}

#[tokio::test]
async fn a_server_and_a_bond_abort_an_association_without_credits() {
    let message = "the other end is not `anabranch forward`, or of another version";
    let events = Events::default();
    let server = server(&Setup::default(), &events);
    let plain = || Config { stream_credits: false, ..config(16) };
    let Joined { near, far, endpoints: _first } = join(plain(), config(16)).await;
    let client = Client::new("alice", Rate::default(), &server);
    let reason = within(5, server.serve(client, far)).await;
    assert!(matches!(reason, CloseReason::AbortedHere { .. }), "{reason:?}");
    let reason = within(5, near.closed()).await.to_string();
    assert!(reason.contains(message), "{reason}");
    let Joined { near, far, endpoints: _second } = join(config(16), plain()).await;
    within(5, Bond::new(events.report()).carry(near, &[])).await;
    let reason = within(5, far.closed()).await.to_string();
    assert!(reason.contains(message), "{reason}");
}

/// The program closes its connection before there is an association: the flow opens, and ends at once.
#[tokio::test]
async fn a_program_that_gave_up_waiting_leaves_nothing_behind() {
    let mut party = Party::with(Setup { most_flows: 1, ..Setup::default() }).await;
    let port = party.front(Front::Fixed(echo().await.into())).await;
    party.near.abort("the test ends it");
    within(5, &mut party.carrying).await.expect("joined");
    drop(connect(port).await);
    tokio::time::sleep(Duration::from_millis(100)).await;
    party.join_again().await;
    for _ in 0..100 {
        let mut program = connect(port).await;
        let mut first = [0];
        if program.write_all(b"!").await.is_ok() && program.read_exact(&mut first).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the flow of the program that gave up holds its place");
}

/// Two servers dial one bond: the newest carries new flows, and an older one again when it ends.
#[tokio::test]
async fn of_two_servers_the_one_that_stays_carries_new_flows() {
    let party = Party::new().await;
    let port = party.socks().await;
    let to = destination(&echo().await.to_string());
    // A server that permits nothing.
    let events = Events::default();
    let closed = server(&Setup { allowed: &[], ..Setup::default() }, &events);
    for is_newer_first in [true, false] {
        let Joined { near, far, endpoints: _endpoints } = join(config(64), config(64)).await;
        let client = Client::new("alice", Rate::default(), &closed);
        let serving = tokio::spawn(std::sync::Arc::clone(&closed).serve(client, far.clone()));
        let (bond, joined) = (party.bond.clone(), near.clone());
        let carrying = tokio::spawn(async move { bond.carry(joined, &[]).await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (_, code, _) = ask_socks(port, 1, &to, b"").await;
        assert_eq!(code, 2, "the newer one refuses");
        if is_newer_first {
            far.abort("the test ends it");
            within(5, carrying).await.expect("joined");
            within(5, serving).await.expect("joined");
            let (mut connection, code, _) = within(3, ask_socks(port, 1, &to, b"")).await;
            assert_eq!(code, 0, "the older one is there");
            ping(&mut connection, b"hello").await;
        } else {
            party.far.abort("the test ends it");
            within(5, party.near.closed()).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            let (_, code, _) = within(3, ask_socks(port, 1, &to, b"")).await;
            assert_eq!(code, 2, "the newer one stays");
        }
    }
}

/// A task that carries is dropped, as after Ctrl-C or when a key is removed.
#[tokio::test]
async fn one_that_is_no_longer_carried_is_not_used() {
    let mut party = Party::new().await;
    let (port, to) = (party.socks().await, destination(&echo().await.to_string()));
    party.carrying.abort();
    assert!(within(5, &mut party.carrying).await.is_err());
    let mut waiting = tokio::spawn(async move { ask_socks(port, 1, &to, b"").await.1 });
    nothing(&mut waiting).await;
    party.join_again().await;
    assert_eq!(within(10, waiting).await.expect("joined"), 0);
}
