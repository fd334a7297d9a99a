//! The record of an association for studies: kept from the request until it is read, even if the association ends
//! meanwhile.

use crate::pair::{End, Pair};
use anabranch_base::{Duration, Time};
use anabranch_sctp::config::{Config, Failover};
use anabranch_sctp::record::{Happening, Record};

fn records(pair: &mut Pair, end: End) -> Vec<Record> {
    std::iter::from_fn(|| pair.at(end).poll_record()).collect()
}

fn is_round_trip(record: &Record) -> bool {
    matches!(record.what, Happening::RoundTrip { .. })
}

#[test]
fn a_record_asked_for_in_the_handshake_begins_with_the_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    assert!(!pair.is_open(End::A));
    pair.at(End::A).record();
    assert_eq!(pair.at(End::A).poll_record(), None);
    pair.run_for(Duration::from_millis(100));
    pair.send(End::A, 1_000);
    pair.run_for(Duration::from_secs(1));
    let records = records(&mut pair, End::A);
    assert!(records.iter().any(is_round_trip), "{records:?}");
}

/// The last news of an association is how it failed.
#[test]
fn what_was_recorded_can_be_read_after_the_end() {
    let failover = Failover { heartbeat: Duration::MAX, ..Config::rfc9260().failover };
    let mut pair = Pair::new(Config { failover, ..Config::rfc9260() }, 1);
    pair.join();
    pair.at(End::A).record();
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 1_000);
    pair.run_for(Duration::from_secs(3_600));
    assert!(pair.closed(End::A).is_some());
    let timeouts =
        records(&mut pair, End::A).iter().filter(|record| record.what == Happening::Timeout).count();
    assert_eq!(timeouts, 11, "one more than Association.Max.Retrans, with no HEARTBEAT among them");
    assert_eq!(pair.at(End::A).poll_record(), None, "each is reported once");
}

#[test]
fn a_restart_of_the_peer_is_in_the_middle_of_the_record() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.at(End::Z).record();
    pair.send(End::Z, 1_000);
    pair.run_for(Duration::from_secs(1));
    pair.restart(End::A);
    pair.connect();
    pair.run_for(Duration::from_secs(1));
    let restarted: Time = pair.now;
    pair.send(End::Z, 1_000);
    pair.run_for(Duration::from_secs(1));
    let (before, after): (Vec<Record>, Vec<Record>) =
        records(&mut pair, End::Z).into_iter().partition(|record| record.at < restarted);
    assert!(before.iter().any(is_round_trip), "{before:?}");
    assert!(after.iter().any(is_round_trip), "{after:?}");
}

#[test]
fn nothing_is_recorded_without_a_listener() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.send(End::A, 1_000);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.at(End::A).poll_record(), None);
}

#[test]
fn after_the_last_listener_nothing_is_kept() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.at(End::A).record();
    pair.send(End::A, 10_000);
    pair.run_for(Duration::from_secs(1));
    pair.at(End::A).stop_recording();
    assert_eq!(pair.at(End::A).poll_record(), None, "unread records are dropped");
    pair.send(End::A, 10_000);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.at(End::A).poll_record(), None);
    pair.at(End::A).record();
    pair.send(End::A, 10_000);
    pair.run_for(Duration::from_secs(1));
    assert!(pair.at(End::A).poll_record().is_some(), "it can be asked for again");
}
