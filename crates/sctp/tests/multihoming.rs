//! Several paths: which are verified, how idle ones are watched, and what happens when one fails, comes back or
//! moves (RFC 9260 §5.4, §6.4, §8.1–8.3; RFC 6951 §5.4).

use std::net::SocketAddr;

use crate::pair::{End, PORT, Pair, address, chunks, packet, path};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::config::{Config, Failover, InitialWindow, IpVersion, RtoSettings};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::wire::{Chunk, Heartbeat, HeartbeatAck, VerificationTag};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Standard SCTP: all data on the primary path while it lives.
fn standard() -> Config {
    Config { scheduler: "primary".into(), ..Config::rfc9260() }
}

fn states(pair: &mut Pair, end: End) -> Vec<PathState> {
    pair.at(end).paths().iter().map(|sample| sample.state).collect()
}

/// The lines of the log that contain `text`.
fn lines(pair: &Pair, text: &str) -> Vec<String> {
    pair.log.iter().filter(|line| line.text.contains(text)).map(|line| line.text.clone()).collect()
}

/// When `end` sent something with `text`, in milliseconds since `start`.
fn times(pair: &Pair, text: &str, start: Time) -> Vec<u64> {
    let lines = pair.log.iter().filter(|line| line.text.contains(text));
    lines.map(|line| line.at.since(start).as_millis()).collect()
}

// Verification (RFC 9260 §5.4).

#[test]
fn the_paths_that_the_application_asked_for_are_confirmed_and_those_of_the_acceptor_are_not() {
    let mut pair = Pair::new(Config::rfc9260(), 3);
    pair.connect();
    pair.run_until(secs(1), |pair| pair.at(End::A).is_open());
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 3]);
    let [active, waiting] = [PathState::Active, PathState::Unconfirmed];
    assert_eq!(states(&mut pair, End::Z), [active, waiting, waiting]);
    pair.run_for(secs(5));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 3]);
    assert_eq!(pair.z.events[1..], [Event::PathConfirmed(path(1)), Event::PathConfirmed(path(2))]);
}

#[test]
fn paths_that_the_application_asked_for_are_verified_too_if_it_is_not_trusted() {
    let mut pair = Pair::new(Config { trusts_given_addresses: false, ..Config::rfc9260() }, 2);
    pair.connect();
    pair.run_until(secs(1), |pair| pair.at(End::A).is_open());
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Unconfirmed]);
    pair.run_for(secs(5));
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 2]);
}

/// "An endpoint MUST NOT send any chunks to an UNCONFIRMED address", but for HEARTBEATs and their answers.
#[test]
fn a_path_that_is_not_verified_carries_neither_data_nor_acknowledgements() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.lose(End::A, "HEARTBEAT-ACK");
    pair.connect();
    pair.run_until(secs(1), |pair| pair.is_open(End::Z));
    (0..10).for_each(|_| pair.send(End::Z, 1400));
    // A's data comes over both paths; its answers may take only the verified one.
    pair.run_until(secs(1), |pair| pair.at(End::A).is_open());
    (0..10).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(ms(500));
    assert!(!lines(&pair, "A -2> DATA").is_empty(), "{:?}", pair.log);
    let second: Vec<String> = lines(&pair, "Z -2>");
    assert_eq!(second, ["Z -2> HEARTBEAT -2> A"], "{:?}", pair.log);
    pair.run_for(secs(5));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2]);
    assert_eq!((pair.receive(End::A).len(), pair.receive(End::Z).len()), (10, 10));
}

/// "The number of packets containing HEARTBEAT chunks sent at each RTO SHOULD be limited by the 'HB.Max.Burst'
/// parameter."
#[test]
fn no_more_probes_than_hb_max_burst_leave_in_one_time_out() {
    for (burst, expected) in [(1, [30, 1030, 2030]), (2, [30, 30, 1030]), (9, [30, 30, 30])] {
        let failover = Failover { heartbeat_max_burst: burst, ..Config::rfc9260().failover };
        let mut pair = Pair::new(Config { failover, ..Config::rfc9260() }, 4);
        pair.connect();
        pair.run_for(secs(5));
        assert_eq!(times(&pair, "> HEARTBEAT -", Time::ZERO), expected);
    }
}

/// An unanswered probe counts against the path, "the association overall error count is not incremented".
#[test]
fn a_path_that_cannot_be_verified_does_no_harm() {
    let failover = Failover { association_max: 2, ..Config::rfc9260().failover };
    let mut pair = Pair::new(Config { failover, ..Config::rfc9260() }, 2);
    pair.pipes[1].is_cut = true;
    pair.connect();
    pair.run_for(secs(300));
    assert_eq!(pair.closed(End::Z), None);
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Unconfirmed]);
    let probes = times(&pair, "Z -2> HEARTBEAT", Time::ZERO);
    let waits: Vec<u64> = probes.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(waits[..5].windows(2).all(|two| two[1] >= two[0]), "backed off: {waits:?}");
    assert!(
        waits.iter().rev().take(2).all(|wait| *wait >= 30_000),
        "at last at the HEARTBEAT rate: {waits:?}"
    );
    pair.pipes[1].is_cut = false;
    pair.run_for(secs(120));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2], "and verified when it heals");
}

/// Both ends lost probes and wait, one of them for longer. The probe of the one that waits less shows the other that the path
/// works.
#[test]
fn a_path_that_returns_is_verified_at_both_ends_within_a_round_trip_of_the_first_probe() {
    let patient = Config { trusts_given_addresses: false, ..Config::rfc9260() };
    let max = secs(5);
    let eager = Config { rto: RtoSettings { max, ..patient.rto }, ..patient.clone() };
    for cut_for in [20, 24, 28, 32, 36] {
        let mut pair = Pair::unequal(eager.clone(), patient.clone(), 2);
        pair.pipes[1].is_cut = true;
        pair.connect();
        pair.run_for(secs(cut_for));
        pair.pipes[1].is_cut = false;
        let is_one = pair.run_until(secs(120), |pair| {
            states(pair, End::A)[1] == PathState::Active || states(pair, End::Z)[1] == PathState::Active
        });
        assert!(is_one, "no end verified the path that was cut for {cut_for} s");
        pair.run_for(secs(1));
        for end in [End::A, End::Z] {
            assert_eq!(states(&mut pair, end), [PathState::Active; 2], "{end:?}, cut for {cut_for} s");
        }
    }
}

#[test]
fn an_answer_with_a_wrong_nonce_verifies_nothing() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.keep_packets();
    pair.pipes[1].is_cut = true;
    pair.connect();
    pair.run_until(secs(1), |pair| pair.is_open(End::Z));
    let probe = pair.take_packets(End::Z).into_iter().find_map(|bytes| match &chunks(&bytes)[..] {
        [Chunk::Heartbeat(heartbeat)] => Some(heartbeat.info.clone()),
        _ => None,
    });
    let honest = probe.expect("a probe");
    for at in 0..honest.len() {
        let mut info = honest.clone();
        info[at] ^= 1;
        // Its path's index and its padding are not secret, the nonce is.
        if at < 16 {
            pair.forge(End::Z, &[&HeartbeatAck::new(info)]);
            assert_eq!(states(&mut pair, End::Z)[1], PathState::Unconfirmed, "byte {at}");
        }
    }
    pair.forge(End::Z, &[&HeartbeatAck::new(honest)]);
    assert_eq!(states(&mut pair, End::Z)[1], PathState::Active);
}

// Watching idle paths (RFC 9260 §8.3).

/// "once per RTO of that destination address plus the protocol parameter 'HB.interval', with jittering of +/- 50%
/// of the RTO value".
#[test]
fn an_idle_path_is_probed_every_heartbeat_interval() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let start = pair.now;
    pair.run_for(secs(600));
    for end in ["A -> HEARTBEAT -> Z", "Z -> HEARTBEAT -> A"] {
        let probes = times(&pair, end, start);
        let waits: Vec<u64> = probes.windows(2).map(|two| two[1] - two[0]).collect();
        assert!((17..=20).contains(&probes.len()), "{probes:?}");
        assert!(waits.iter().all(|wait| (30_500..=31_520).contains(wait)), "30 s + 1 s ± 500 ms: {waits:?}");
        assert!(waits.windows(2).any(|two| two[0] != two[1]), "with jitter: {waits:?}");
    }
    assert!(lines(&pair, "HEARTBEAT-ACK").len() >= 34);
}

#[test]
fn a_path_with_traffic_is_not_probed() {
    let mut pair = Pair::open(standard(), 1);
    for _ in 0..120 {
        pair.send(End::A, 100);
        pair.run_for(secs(1));
    }
    assert!(lines(&pair, "A -> HEARTBEAT ->").is_empty());
    assert!(!lines(&pair, "Z -> HEARTBEAT ->").is_empty(), "Z sends nothing that could be timed");
}

#[test]
fn a_dead_idle_path_is_detected_by_its_probes_and_reported() {
    let mut pair = Pair::open(standard(), 2);
    pair.pipes[1].is_cut = true;
    pair.run_for(secs(400));
    assert!(pair.a.events.contains(&Event::PathDown(path(1))), "{:?}", pair.a.events);
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Inactive]);
    assert_eq!(pair.closed(End::A), None, "only the path that carries the data counts for the association");
    pair.pipes[1].is_cut = false;
    pair.run_for(secs(120));
    assert!(pair.a.events.contains(&Event::PathUp(path(1))));
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 2]);
}

#[test]
fn a_heartbeat_measures_the_path() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.pipes[1].delay = ms(400);
    pair.connect();
    pair.run_for(secs(80));
    assert_eq!(pair.path(End::A, 1).srtt, Some(ms(800)));
    assert_eq!(pair.path(End::A, 0).srtt, Some(ms(20)));
    assert!(pair.path(End::A, 1).rto > pair.path(End::A, 0).rto);
}

#[test]
fn a_heartbeat_is_answered_on_the_path_it_came_by() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    let tag = pair.at(End::Z).tags().0;
    pair.inject(End::Z, 1, packet(tag, &[&Heartbeat::new(vec![1; 10])]));
    pair.run_for(Duration::ZERO);
    assert_eq!(pair.take_log(), ["Z -2> HEARTBEAT-ACK -2> A"]);
}

// Where data and answers go (RFC 9260 §6.4).

#[test]
fn standard_sctp_keeps_to_the_primary_path_until_it_is_told_another() {
    let mut pair = Pair::open(standard(), 2);
    (0..5).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(secs(1));
    assert!(lines(&pair, "A -2> DATA").is_empty());
    pair.at(End::A).set_primary(path(1));
    pair.log.clear();
    (0..5).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(secs(1));
    assert!(lines(&pair, "A -1> DATA").is_empty());
    assert_eq!(lines(&pair, "A -2> DATA").len(), 5);
    pair.at(End::A).set_primary(path(7));
    pair.send(End::A, 100);
    assert_eq!(pair.log.last().expect("sent").text, "A -2> DATA -2> Z", "there is no such path");
}

/// §6.7: "SHOULD always try to send the SACK chunk to the same destination address from which the last DATA chunk
/// was received."
#[test]
fn an_acknowledgement_goes_back_where_the_data_came_from() {
    let mut pair = Pair::open(standard(), 2);
    pair.at(End::A).set_primary(path(1));
    (0..2).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(ms(300));
    assert_eq!(lines(&pair, "SACK"), ["Z -2> SACK -2> A"; 2]);
}

#[test]
fn new_data_goes_over_both_paths_by_default() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    (0..6).for_each(|_| pair.send(End::A, 1400));
    assert_eq!([lines(&pair, "-1> DATA").len(), lines(&pair, "-2> DATA").len()], [3, 3]);
}

/// M-CMT-1: "one packet each turn", or each path's window at once.
#[test]
fn paths_take_turns_by_the_packet_or_by_the_window() {
    for (scheduler, expected) in [("round-robin", "12121212"), ("fill", "11112222")] {
        let window = InitialWindow::Bytes(ByteCount::new(4 * 1460));
        let scheduler = scheduler.into();
        let mut pair = Pair::open(Config { scheduler, initial_window: window, ..Config::rfc9260() }, 2);
        pair.log.clear();
        pair.send_at_once(End::A, 8, 1444);
        let paths: String = lines(&pair, "DATA").iter().filter_map(|line| line.chars().nth(3)).collect();
        assert_eq!(paths, expected, "{:?}", lines(&pair, ""));
    }
}

/// "an endpoint SHOULD try to retransmit a chunk that timed out to an active destination transport address that is
/// different from the last destination address".
#[test]
fn a_chunk_that_timed_out_goes_to_another_path_with_that_paths_timer() {
    let mut pair = Pair::open(standard(), 2);
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    pair.send(End::A, 100);
    pair.run_for(ms(1100));
    let data = ["0 A -1> DATA -1> lost", "1000 A -2> DATA -2> Z", "1010 Z -2> SACK -2> A"];
    assert_eq!(pair.take_timed_log(start), data);
    assert_eq!(pair.path(End::A, 0).rto, secs(2), "the path that failed backs off");
    assert_eq!(pair.path(End::A, 1).rto, secs(1), "the other does not");
}

/// "an endpoint SHOULD send fast retransmissions to the same destination transport address to which the original
/// data was sent".
#[test]
fn a_fast_retransmission_stays_on_its_path() {
    let mut pair = Pair::open(standard(), 2);
    pair.a.reads_at_once = true;
    pair.z.reads_at_once = true;
    for _ in 0..40 {
        pair.send(End::A, 1400);
    }
    pair.run_for(secs(2));
    pair.lose(End::A, "DATA");
    (0..8).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(ms(500));
    assert_eq!(pair.at(End::A).path_counters(path(0)).fast_retransmits, 1);
    assert!(lines(&pair, "A -2> DATA").is_empty());
}

#[test]
fn in_rfc_2960_a_fast_retransmission_leaves_its_path() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..Config::rfc2960() }, 2);
    for _ in 0..40 {
        pair.send(End::A, 1400);
    }
    pair.run_for(secs(2));
    pair.receive(End::Z);
    pair.lose(End::A, "DATA");
    (0..8).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(ms(500));
    assert_eq!(lines(&pair, "A -2> DATA"), ["A -2> DATA -2> Z"]);
}

/// The timer of the path that a chunk left was running for that chunk: it starts anew for the next one, which is as
/// young as the news that made the chunk move.
#[test]
fn the_timer_of_the_path_that_a_chunk_left_runs_anew_for_the_next_one() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..Config::rfc2960() }, 2);
    for _ in 0..40 {
        pair.send(End::A, 1400);
    }
    pair.run_for(secs(2));
    pair.receive(End::Z);
    let start = pair.now;
    pair.lose_nth(End::A, "DATA", 1);
    pair.lose_nth(End::A, "DATA", 6);
    (0..6).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(secs(2));
    assert_eq!(times(&pair, "A -2> DATA", start), [20, 1020], "{:?}", pair.take_timed_log(start));
}

// Failure and recovery (RFC 9260 §6.4.1, §8.1, §8.2).

/// "When the value in the error counter exceeds the protocol parameter 'Path.Max.Retrans'": at the sixth.
#[test]
fn a_primary_path_that_dies_is_left_and_taken_again_when_it_heals() {
    let mut pair = Pair::open(standard(), 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].is_cut = true;
    let mut sent = 0;
    for _ in 0..150 {
        pair.send(End::A, 1000);
        sent += 1;
        pair.run_for(secs(1));
    }
    assert!(pair.a.events.contains(&Event::PathDown(path(0))), "{:?}", pair.a.events);
    assert_eq!(pair.at(End::A).path_counters(path(0)).timeouts, 6);
    assert_eq!(pair.closed(End::A), None);
    pair.log.clear();
    pair.send(End::A, 1000);
    pair.run_for(ms(500));
    sent += 1;
    assert_eq!(pair.log[0].text, "A -2> DATA -2> Z", "new data goes to the other path at once");
    pair.pipes[0].is_cut = false;
    pair.run_for(secs(200));
    assert!(pair.a.events.contains(&Event::PathUp(path(0))));
    pair.log.clear();
    pair.send(End::A, 1000);
    sent += 1;
    assert_eq!(pair.log[0].text, "A -1> DATA -1> Z", "and back to the primary");
    pair.run_for(secs(5));
    assert_eq!(pair.z.read.len(), sent);
}

/// §8.1: "If the value of this counter exceeds the limit indicated in the protocol parameter
/// 'Association.Max.Retrans'": at the eleventh.
#[test]
fn a_peer_that_is_gone_is_given_up_after_eleven_errors() {
    let mut pair = Pair::open(standard(), 1);
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    pair.send(End::A, 100);
    pair.run_for(secs(1000));
    assert_eq!(pair.closed(End::A), Some(CloseReason::PeerGone { errors: 11 }));
    let sent = times(&pair, "A -> DATA", start);
    assert_eq!(sent, [0, 1, 3, 7, 15, 31, 63, 123, 183].map(|second| second * 1000));
    assert_eq!(
        lines(&pair, "A -> HEARTBEAT").len(),
        2,
        "nothing that could be timed left: HEARTBEATs count too"
    );
}

#[test]
fn both_paths_may_fail_for_a_while_and_everything_arrives_in_the_end() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.z.reads_at_once = true;
    (0..50).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(5));
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    pair.run_for(secs(20));
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
    pair.run_for(secs(120));
    assert_eq!(pair.z.read.len(), 50);
    assert_eq!(pair.closed(End::A), None);
}

#[test]
fn an_acknowledgement_ends_the_count_of_errors() {
    let mut pair = Pair::open(standard(), 1);
    pair.z.reads_at_once = true;
    for _ in 0..4 {
        pair.pipes[0].is_cut = true;
        pair.send(End::A, 100);
        // Four time-outs, after 1, 3, 7 and 15 seconds; the next one brings it through.
        pair.run_for(secs(20));
        pair.pipes[0].is_cut = false;
        pair.run_for(secs(20));
        // What is sent once and acknowledged ends the back-off as well.
        pair.send(End::A, 100);
        pair.run_for(secs(20));
    }
    assert_eq!(pair.z.read.len(), 8);
    assert!(pair.at(End::A).path_counters(path(0)).timeouts >= 16);
    assert_eq!(pair.closed(End::A), None, "never more than eleven errors in a row");
}

/// M-SCTP-15: the acknowledgement of a chunk that was sent on two paths does not tell which of them works.
#[test]
fn a_retransmission_that_arrives_does_not_hide_a_dead_path() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].is_cut = true;
    for _ in 0..200 {
        pair.send(End::A, 1000);
        pair.run_for(secs(1));
    }
    assert!(pair.a.events.contains(&Event::PathDown(path(0))), "{:?}", pair.a.events);
    assert_eq!(pair.closed(End::A), None);
    pair.run_for(secs(100));
    assert_eq!(pair.z.read.len(), 200);
}

// Addresses that change.

/// RFC 6951 §5.4: a translator loses its mapping and gives another port; the tag identifies the packets.
#[test]
fn a_peer_whose_port_changed_is_found_again_by_its_tag() {
    let mut pair = Pair::new(standard(), 1);
    pair.pipes[0].translated = Some(40_000);
    pair.establish();
    assert_eq!(pair.at(End::Z).path_addresses(path(0)).remote.port(), 40_000);
    pair.pipes[0].translated = Some(50_000);
    pair.send(End::A, 100);
    pair.run_for(secs(5));
    assert_eq!(pair.receive(End::Z).len(), 1);
    let remotes: Vec<u16> = (0..pair.at(End::Z).paths().len())
        .map(|index| pair.at(End::Z).path_addresses(path(index)).remote.port())
        .collect();
    assert_eq!(
        remotes,
        [40_000, 50_000],
        "a path that worked keeps its port: the new one is a path of its own"
    );
    assert!(pair.z.events.contains(&Event::PathAdded(path(1))));
    assert!(pair.z.events.contains(&Event::PathConfirmed(path(1))));
    pair.send(End::Z, 100);
    pair.run_for(secs(10));
    assert_eq!(pair.receive(End::A).len(), 1, "{:?}", pair.log);
}

#[test]
fn a_path_that_failed_follows_its_peer_to_another_port() {
    let mut pair = Pair::new(standard(), 1);
    pair.pipes[0].translated = Some(40_000);
    pair.establish();
    // Nothing comes through for so long that Z gives the path up, by its HEARTBEATs.
    let failover = pair.at(End::Z).paths().len();
    assert_eq!(failover, 1);
    pair.pipes[0].is_cut = true;
    pair.send(End::Z, 100);
    pair.run_until(secs(400), |pair| states(pair, End::Z)[0] == PathState::Inactive);
    pair.pipes[0].is_cut = false;
    pair.pipes[0].translated = Some(50_000);
    pair.run_for(secs(60));
    let moved = SocketAddr::new(address(End::A, 0).ip(), 50_000);
    assert!(pair.z.events.contains(&Event::PathMoved(path(0), moved)), "{:?}", pair.z.events);
    assert_eq!(pair.at(End::Z).paths().len(), 1);
    pair.run_for(secs(120));
    assert_eq!(pair.receive(End::A).len(), 1, "{:?}", pair.log);
}

/// The acceptor's first probes go to a port that the translator never opened. They must not use up the chances of the
/// port that the peer's packets then come from.
#[test]
fn a_path_whose_port_was_wrong_is_probed_anew_where_its_packets_come_from() {
    let striped = Config::rfc9260();
    let config = Config { failover: Failover { path_max: 0, ..striped.failover }, ..striped };
    let mut pair = Pair::new(config, 2);
    pair.pipes[1].translated = Some(40_000);
    pair.connect();
    // Longer than one RTO.initial and shorter than a heartbeat period: the wrong port has had its only chance.
    pair.run_for(secs(10));
    assert_eq!(states(&mut pair, End::Z)[1], PathState::Unconfirmed);
    pair.send_at_once(End::A, 8, 1_400);
    pair.run_for(Duration::from_millis(200));
    assert_eq!(states(&mut pair, End::Z)[1], PathState::Active, "{:?}", pair.log);
    assert_eq!(pair.at(End::Z).path_addresses(path(1)).remote.port(), 40_000);
}

/// A packet with the right tag from an address that was not announced makes a path to be verified, and nothing else.
#[test]
fn an_unknown_address_with_the_right_tag_becomes_a_path_to_be_verified() {
    let mut pair = Pair::open(standard(), 1);
    let tag = pair.at(End::Z).tags().0;
    let elsewhere: SocketAddr = "198.51.100.9:9899".parse().expect("an address");
    pair.inject_from(End::Z, elsewhere, packet(tag, &[&Heartbeat::new(vec![1; 10])]));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Unconfirmed]);
    assert_eq!(pair.at(End::Z).path_addresses(path(1)).remote, elsewhere);
    (0..8).for_each(|_| pair.send(End::Z, 1400));
    pair.run_for(secs(5));
    let strays = lines(&pair, "-> 198.51.100.9:9899");
    assert!(!strays.is_empty());
    let is_probe = |line: &String| line.contains("HEARTBEAT") && !line.contains("DATA");
    assert!(strays.iter().all(is_probe), "{strays:?}");
    assert_eq!(pair.receive(End::A).len(), 8);
}

#[test]
fn an_unknown_address_with_a_wrong_tag_changes_nothing() {
    let mut pair = Pair::open(standard(), 1);
    let elsewhere: SocketAddr = "198.51.100.9:9899".parse().expect("an address");
    let wrong = VerificationTag::new(pair.at(End::Z).tags().0.get() ^ 1);
    pair.inject_from(End::Z, elsewhere, packet(wrong, &[&Heartbeat::new(vec![1; 10])]));
    assert_eq!(pair.at(End::Z).paths().len(), 1);
    assert_eq!(pair.take_log(), ["Z -> ABORT -> 198.51.100.9:9899"]);
}

#[test]
fn no_flood_of_addresses_makes_more_than_sixteen_paths() {
    let mut pair = Pair::open(standard(), 1);
    let tag = pair.at(End::Z).tags().0;
    for host in 0..100u8 {
        let elsewhere = SocketAddr::from(([198, 51, 100, host], 9899));
        pair.inject_from(End::Z, elsewhere, packet(tag, &[&Heartbeat::new(vec![1; 10])]));
    }
    assert_eq!(pair.at(End::Z).paths().len(), 16);
    assert_flows(&mut pair);
}

fn assert_flows(pair: &mut Pair) {
    for end in [End::A, End::Z] {
        pair.send(end, 5000);
        pair.run_for(secs(5));
        assert_eq!(pair.receive(end.other()).len(), 1, "{end:?} sent a message");
    }
}

// Addresses that are announced (RFC 9260 §5.1.2).

#[test]
fn addresses_that_the_acceptor_announces_become_paths() {
    let mut pair = Pair::new(standard(), 2);
    pair.may_cross = true;
    pair.connect_to(End::A, &[address(End::Z, 0)]);
    pair.run_for(secs(5));
    let remotes: Vec<SocketAddr> = (0..pair.at(End::A).paths().len())
        .map(|index| pair.at(End::A).path_addresses(path(index)).remote)
        .collect();
    assert!(remotes.contains(&address(End::Z, 1)), "{remotes:?}");
    assert!(states(&mut pair, End::A).iter().all(|state| *state == PathState::Active));
    assert_flows(&mut pair);
}

// IPv6.

#[test]
fn an_association_over_ipv6_sends_what_fits_behind_the_larger_header() {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V6]);
    pair.keep_packets();
    pair.establish();
    pair.send(End::A, 5000);
    pair.run_for(secs(1));
    assert_eq!(pair.receive(End::Z).len(), 1);
    let longest = pair.take_packets(End::A).iter().map(Bytes::len).max();
    assert_eq!(longest, Some(1500 - 48), "IPv6 and UDP take 48 bytes");
    assert_eq!(pair.path(End::A, 0).packet_limit, ByteCount::new(1452));
}

#[test]
fn paths_over_both_versions_of_ip_share_their_data() {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V4, IpVersion::V6]);
    pair.establish();
    (0..6).for_each(|_| pair.send(End::A, 1400));
    assert_eq!([lines(&pair, "-1> DATA").len(), lines(&pair, "-2> DATA").len()], [3, 3]);
    pair.run_for(secs(1));
    assert_eq!(pair.receive(End::Z).len(), 6);
    pair.pipes[0].is_cut = true;
    // A chunk is as large as the narrower path carries, so that it may go there again.
    (0..6).for_each(|_| pair.send(End::A, 5000));
    pair.run_for(secs(60));
    assert_eq!(pair.receive(End::Z).len(), 6);
    let addresses = PathAddresses { local: pair.address(End::A, 1), remote: pair.address(End::Z, 1) };
    assert_eq!(pair.at(End::A).path_addresses(path(1)), addresses);
    assert_eq!(addresses.remote.port(), PORT);
}
