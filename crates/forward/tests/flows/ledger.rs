//! The ledger of both ends: which flows are open, what they have carried, and the totals.

use anabranch_forward::socks::Reply;
use anabranch_forward::{ClientReport, FlowKind, FlowReport, Ledger, Reverse};

use crate::party::{Party, Setup, until};
use crate::programs::{
    ask_socks, closed_port, connect, connect_by_socks, content, datagram, destination, echo, exchange, ping,
    read, udp, udp_echo,
};

fn flows(ledger: &Ledger) -> Vec<FlowReport> {
    ledger.report(&ledger.sample(), 100).flows
}

/// The totals of the one client of a ledger.
fn client(ledger: &Ledger) -> Option<ClientReport> {
    ledger.report(&ledger.sample(), 0).clients.pop()
}

/// The one flow of each end, once both know it.
async fn both(party: &Party) -> [FlowReport; 2] {
    let ledgers = [party.bond.ledger(), &party.server.ledger];
    until("one flow at both ends", || ledgers.iter().all(|ledger| flows(ledger).len() == 1)).await;
    ledgers.map(|ledger| flows(ledger).remove(0))
}

fn bytes(flow: &FlowReport) -> (u64, u64) {
    (flow.carried.sent.get(), flow.carried.received.get())
}

#[tokio::test]
async fn both_ends_count_the_same_bytes_of_a_connection_and_keep_them_when_it_ends() {
    let party = Party::new().await;
    let (port, echo) = (party.socks().await, echo().await);
    let mut connection = connect_by_socks(port, &echo.into()).await;
    ping(&mut connection, &content(1_000, 1)).await;
    let [here, there] = both(&party).await;
    let program = connection.local_addr().expect("bound").to_string();
    assert_eq!((here.kind, there.kind), (FlowKind::Tcp, FlowKind::Tcp));
    assert_eq!((here.client, there.client.as_str()), (program, "alice"));
    assert_eq!((&here.destination, &there.destination), (&Some(echo.into()), &Some(echo.into())));
    assert_eq!((here.carried.sent, here.carried.received), (there.carried.received, there.carried.sent));
    assert_eq!(here.carried.sum().get(), 2_000);
    let answer = exchange(&mut connection, &content(300_000, 2)).await;
    assert_eq!(answer.len(), 300_000);
    for ledger in [party.bond.ledger(), &party.server.ledger] {
        until("no flow is open", || flows(ledger).is_empty()).await;
        let client = client(ledger).expect("a client");
        assert_eq!((client.open, client.totals.broken), (0, 0), "{client:?}");
        assert_eq!(client.totals.carried.sum().get(), 602_000, "{client:?}");
    }
}

#[tokio::test]
async fn what_a_program_sends_behind_its_request_counts() {
    let party = Party::new().await;
    let (port, echo) = (party.socks().await, echo().await);
    let (mut connection, code, _) = ask_socks(port, 1, &echo.into(), &content(3_000, 1)).await;
    assert_eq!(code, 0);
    read(&mut connection, 3_000).await;
    let [here, there] = both(&party).await;
    assert_eq!((bytes(&here), bytes(&there)), ((3_000, 3_000), (3_000, 3_000)));
}

#[tokio::test]
async fn datagrams_count_without_addresses_under_their_first_destination() {
    let party = Party::new().await;
    let echo = udp_echo().await;
    let to = destination(&format!("localhost:{}", echo.port()));
    let (port, program) = (party.udp(to.clone(), false).await, udp().await);
    for length in [10, 0, 1_000] {
        program.send_to(&content(length, 1), port).await.expect("sent");
        assert_eq!(datagram(&program).await.0.len(), length);
    }
    let flows = both(&party).await;
    for flow in &flows {
        assert_eq!((flow.kind, bytes(flow)), (FlowKind::Datagrams, (1_010, 1_010)));
        assert_eq!(flow.destination.as_ref(), Some(&to));
    }
}

#[tokio::test]
async fn connections_to_a_port_of_the_server_are_flows_of_both_ends() {
    let (at, to) = (closed_port().await, echo().await);
    let reverse = vec![Reverse { at: at.into(), to: to.into(), mark: None }];
    let party = Party::with(Setup { may_reverse: &["1024-65535"], reverse, ..Setup::default() }).await;
    party.here.wait_for("the server listens at").await;
    let mut connection = connect(at).await;
    ping(&mut connection, b"hello").await;
    let [here, there] = both(&party).await;
    assert_eq!((here.kind, there.kind), (FlowKind::Reverse, FlowKind::Reverse));
    let source = connection.local_addr().expect("bound").to_string();
    assert_eq!((here.client, there.client.as_str()), (source, "alice"));
    assert_eq!((here.destination, there.destination), (Some(to.into()), Some(at.into())));
}

#[tokio::test]
async fn the_end_of_the_association_breaks_connections_and_refusals_are_counted_by_reason() {
    let party = Party::new().await;
    let (port, echo) = (party.socks().await, echo().await);
    let _kept = connect_by_socks(port, &echo.into()).await;
    let (_, code, _) = ask_socks(port, 1, &destination("192.168.0.1:80"), b"").await;
    assert_eq!(code, Reply::NotAllowed.code());
    both(&party).await;
    party.near.abort("the test ends it");
    for ledger in [party.bond.ledger(), &party.server.ledger] {
        until("no flow is open", || flows(ledger).is_empty()).await;
        let totals = client(ledger).expect("a client").totals;
        let refused: Vec<_> = totals.refused().filter(|(_, count)| *count > 0).collect();
        assert_eq!((totals.broken, refused), (1, vec![(Reply::NotAllowed, 1)]));
    }
}
