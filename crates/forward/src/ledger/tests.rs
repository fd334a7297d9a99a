//! Flows that open, carry and end, and their sums.

use anabranch_base::ByteCount;

use super::*;

fn enter(ledger: &Ledger, kind: FlowKind, account: &str) -> (Entry, Arc<Traffic>) {
    let traffic = Arc::new(Traffic::default());
    (ledger.enter(NewFlow { kind, account, client: format!("{account}:1") }, &traffic), traffic)
}

fn carried(sent: u64, received: u64) -> Carried {
    Carried { sent: ByteCount::new(sent), received: ByteCount::new(received) }
}

fn client(ledger: &Ledger, name: &str) -> ClientReport {
    let report = ledger.report(&ledger.sample(), 0);
    report.clients.into_iter().find(|client| &*client.name == name).expect("a client")
}

#[test]
fn a_flow_is_listed_while_it_is_open_and_its_bytes_stay_in_the_totals() {
    let ledger = Ledger::default();
    let (entry, traffic) = enter(&ledger, FlowKind::Tcp, "alice");
    traffic.leads_to("192.0.2.1:80".parse().expect("a destination"));
    traffic.on_sent(100);
    traffic.on_received(7);
    let report = ledger.report(&ledger.sample(), 10);
    let [flow] = &report.flows[..] else { panic!("one flow: {report:?}") };
    assert_eq!((flow.kind, flow.client.as_str(), flow.carried), (FlowKind::Tcp, "alice:1", carried(100, 7)));
    assert_eq!(flow.destination.as_ref().map(ToString::to_string).as_deref(), Some("192.0.2.1:80"));
    assert_eq!(client(&ledger, "alice").totals.carried, carried(100, 7), "with those of open flows");
    entry.finish();
    assert!(ledger.report(&ledger.sample(), 10).flows.is_empty());
    let alice = client(&ledger, "alice");
    assert_eq!((alice.open, alice.totals.broken, alice.totals.carried), (0, 0, carried(100, 7)));
    assert_eq!(alice.totals.opened().next(), Some((FlowKind::Tcp, 1)));
}

#[test]
fn a_connection_that_is_dropped_is_broken_and_datagrams_just_end() {
    let ledger = Ledger::default();
    for kind in FlowKind::ALL {
        drop(enter(&ledger, kind, "alice"));
    }
    let totals = client(&ledger, "alice").totals;
    assert_eq!(totals.broken, 2);
    assert!(totals.opened().all(|(_, count)| count == 1));
}

#[test]
fn flows_are_in_the_order_of_their_bytes_since_the_sample_and_few_are_listed() {
    let ledger = Ledger::default();
    let flows: Vec<_> = (0..20_u8).map(|_| enter(&ledger, FlowKind::Tcp, "alice")).collect();
    flows[3].1.on_sent(1_000_000);
    let before = ledger.sample();
    flows[5].1.on_received(10);
    flows[7].1.on_sent(20);
    let (_late, traffic) = enter(&ledger, FlowKind::Tcp, "bob");
    traffic.on_sent(15);
    let report = ledger.report(&before, 4);
    let listed: Vec<u64> = report.flows.iter().map(|flow| flow.number).collect();
    assert_eq!((listed, report.more_flows), (vec![7, 20, 5, 3], 17));
    assert_eq!(report.flows[1].recent, carried(15, 0), "also what opened after the sample");
    let recent: Vec<Carried> = report.clients.iter().map(|client| client.recent).collect();
    assert_eq!(recent, [carried(20, 10), carried(15, 0)]);
}

#[test]
fn refusals_are_counted_by_their_reply() {
    let ledger = Ledger::default();
    ledger.on_refused("alice", Reply::NotAllowed);
    ledger.on_refused("alice", Reply::NotAllowed);
    ledger.on_refused("bob", Reply::HostUnreachable);
    let refused = |name| client(&ledger, name).totals.refused().filter(|(_, count)| *count > 0).collect();
    let (alice, bob): (Vec<_>, Vec<_>) = (refused("alice"), refused("bob"));
    assert_eq!((alice, bob), (vec![(Reply::NotAllowed, 2)], vec![(Reply::HostUnreachable, 1)]));
}

#[test]
fn clients_without_end_share_an_account_and_flows_close_where_they_opened() {
    let ledger = Ledger::default();
    let entries: Vec<_> =
        (0..3 * MOST_CLIENTS).map(|number| enter(&ledger, FlowKind::Tcp, &number.to_string())).collect();
    assert_eq!(ledger.report(&ledger.sample(), 0).clients.len(), MOST_CLIENTS + 1);
    let others = client(&ledger, OTHERS);
    assert_eq!(others.open, 2 * MOST_CLIENTS as u64);
    drop(entries);
    let report = ledger.report(&ledger.sample(), 0);
    assert!(report.clients.iter().all(|client| client.open == 0));
    assert_eq!(
        report.clients.iter().map(|client| client.totals.broken).sum::<u64>(),
        3 * MOST_CLIENTS as u64
    );
}
