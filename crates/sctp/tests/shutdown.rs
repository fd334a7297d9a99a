//! Ending an association: in order from either side or from both, with every answer lost once, and at once
//! (RFC 9260 §9).

use crate::pair::{End, Pair, data};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{AssociationState, SendError};
use anabranch_sctp::config::{Config, Failover, InitialWindow, RtoSettings};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathId;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Abort, Cause, CookieEcho, Shutdown, ShutdownAck, ShutdownComplete};
use anabranch_sctp::wire::{Checksum, Chunk, Data, Packet, VerificationTag};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn open() -> Pair {
    Pair::open(Config::rfc9260(), 1)
}

fn assert_both_closed(pair: &mut Pair) {
    for end in [End::A, End::Z] {
        assert_eq!(pair.closed(end), Some(CloseReason::Graceful), "{end:?}");
        assert_eq!(pair.at(end).state(), AssociationState::Closed);
    }
    assert_eq!(pair.next_event(), None, "nothing is left to do");
}

// In order (RFC 9260 §9.2).

#[test]
fn three_packets_close_an_idle_association() {
    let mut pair = open();
    pair.close(End::A);
    assert_eq!(pair.at(End::A).state(), AssociationState::ShutdownSent);
    pair.run_for(ms(10));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownAckSent);
    pair.run_for(ms(90));
    let dialogue = ["A -> SHUTDOWN -> Z", "Z -> SHUTDOWN-ACK -> A", "A -> SHUTDOWN-COMPLETE -> Z"];
    assert_eq!(pair.take_log(), dialogue);
    assert_both_closed(&mut pair);
    assert!(pair.z.events.contains(&Event::PeerClosing));
}

#[test]
fn the_acceptor_closes_in_the_same_way() {
    let mut pair = open();
    pair.close(End::Z);
    pair.run_for(ms(100));
    let dialogue = ["Z -> SHUTDOWN -> A", "A -> SHUTDOWN-ACK -> Z", "Z -> SHUTDOWN-COMPLETE -> A"];
    assert_eq!(pair.take_log(), dialogue);
    assert_both_closed(&mut pair);
}

/// "If an endpoint is in the SHUTDOWN-SENT state and receives a SHUTDOWN chunk from its peer, the endpoint SHOULD
/// respond immediately with a SHUTDOWN ACK chunk".
#[test]
fn both_ends_may_close_at_once() {
    let mut pair = open();
    pair.close(End::A);
    pair.close(End::Z);
    pair.run_for(ms(100));
    let dialogue = [
        "A -> SHUTDOWN -> Z",
        "Z -> SHUTDOWN -> A",
        "Z -> SHUTDOWN-ACK -> A",
        "A -> SHUTDOWN-ACK -> Z",
        "A -> SHUTDOWN-COMPLETE -> Z",
        "Z -> SHUTDOWN-COMPLETE -> A",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_both_closed(&mut pair);
}

#[test]
fn what_was_sent_before_the_close_is_delivered_first() {
    let mut pair = open();
    for _ in 0..3 {
        pair.send(End::A, 1400);
    }
    pair.close(End::A);
    assert_eq!(pair.at(End::A).state(), AssociationState::ShutdownPending);
    pair.run_for(ms(500));
    let dialogue = [
        "A -> DATA -> Z",
        "A -> DATA -> Z",
        "A -> DATA -> Z",
        "Z -> SACK -> A",
        "Z -> SACK -> A",
        "A -> SHUTDOWN -> Z",
        "Z -> SHUTDOWN-ACK -> A",
        "A -> SHUTDOWN-COMPLETE -> Z",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!(pair.receive(End::Z).len(), 3, "messages unread at the close are still readable");
    assert_both_closed(&mut pair);
}

#[test]
fn a_loss_before_the_close_is_mended_first() {
    let mut pair = open();
    pair.lose(End::A, "DATA");
    pair.send(End::A, 100);
    pair.close(End::A);
    pair.run_for(secs(3));
    let dialogue = [
        "A -> DATA -> lost",
        "A -> DATA -> Z",
        "Z -> SACK -> A",
        "A -> SHUTDOWN -> Z",
        "Z -> SHUTDOWN-ACK -> A",
        "A -> SHUTDOWN-COMPLETE -> Z",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!(pair.receive(End::Z).len(), 1);
    assert_both_closed(&mut pair);
}

/// "While in the SHUTDOWN-SENT state, the SHUTDOWN chunk sender MUST immediately respond to each received packet
/// containing one or more DATA chunks with a SHUTDOWN chunk and restart the T2-shutdown timer."
#[test]
fn data_that_comes_after_the_shutdown_is_taken_and_answered_packet_by_packet() {
    let mut pair = open();
    pair.close(End::A);
    for _ in 0..3 {
        pair.send(End::Z, 1400);
    }
    pair.run_for(ms(500));
    let dialogue = [
        "A -> SHUTDOWN -> Z",
        "Z -> DATA -> A",
        "Z -> DATA -> A",
        "Z -> DATA -> A",
        "A -> SHUTDOWN -> Z",
        "A -> SHUTDOWN -> Z",
        "A -> SHUTDOWN -> Z",
        "Z -> SHUTDOWN-ACK -> A",
        "A -> SHUTDOWN-COMPLETE -> Z",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!(pair.receive(End::A).len(), 3);
    assert_both_closed(&mut pair);
}

#[test]
fn a_packet_with_many_small_messages_gets_one_shutdown() {
    let small = Config { initial_window: InitialWindow::Bytes(ByteCount::new(1460)), ..Config::rfc9260() };
    let mut pair = Pair::open(small, 1);
    for _ in 0..4 {
        pair.send(End::Z, 1400);
    }
    for _ in 0..4 {
        pair.send(End::Z, 100);
    }
    pair.close(End::A);
    pair.run_for(secs(2));
    let log = pair.take_log();
    assert!(log.contains(&"Z -> DATA + DATA + DATA + DATA -> A".to_owned()), "{log:?}");
    assert!(log.iter().all(|line| line.matches("SHUTDOWN + SHUTDOWN").count() == 0), "{log:?}");
    assert_eq!(pair.receive(End::A).len(), 8);
    assert_both_closed(&mut pair);
}

/// "The SHUTDOWN chunk does not contain Gap Ack Block fields" (§6.2): it takes none back.
#[test]
fn a_gap_during_the_shutdown_costs_one_retransmission() {
    let mut pair = open();
    pair.lose(End::Z, "DATA");
    for _ in 0..8 {
        pair.send(End::Z, 1400);
    }
    pair.close(End::A);
    pair.run_for(secs(5));
    assert_eq!(pair.receive(End::A).len(), 8);
    let data = pair.take_log().iter().filter(|line| line.starts_with("Z -> DATA")).count();
    assert_eq!(data, 9, "one of eight packets was lost");
    let counters = pair.at(End::Z).path_counters(PathId::FIRST);
    assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
    assert_both_closed(&mut pair);
}

#[test]
fn no_message_is_taken_once_the_association_closes() {
    let mut pair = open();
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 100);
    pair.close(End::A);
    let refused = pair.try_send(End::A, 0, false, Bytes::from_static(b"late"));
    assert_eq!(refused, Err(SendError::NotOpen), "SHUTDOWN-PENDING");
    let mut pair = open();
    pair.close(End::A);
    let refused = pair.try_send(End::A, 0, false, Bytes::from_static(b"late"));
    assert_eq!(refused, Err(SendError::NotOpen), "SHUTDOWN-SENT");
    pair.pipes[0].drop_next[End::Z as usize] = 1;
    pair.run_for(ms(20));
    let refused = pair.try_send(End::Z, 0, false, Bytes::from_static(b"late"));
    assert_eq!(refused, Err(SendError::NotOpen), "SHUTDOWN-ACK-SENT");
}

#[test]
fn a_peer_that_has_data_left_finishes_in_shutdown_received() {
    let mut pair = open();
    (0..20).for_each(|_| pair.send(End::Z, 1400));
    pair.close(End::A);
    pair.run_for(ms(15));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownReceived);
    let refused = pair.try_send(End::Z, 0, false, Bytes::from_static(b"late"));
    assert_eq!(refused, Err(SendError::NotOpen));
    pair.run_for(secs(2));
    assert_eq!(pair.receive(End::A).len(), 20);
    assert_both_closed(&mut pair);
}

// Lost answers: T2-shutdown.

#[test]
fn a_lost_shutdown_is_sent_again_after_one_rto() {
    let mut pair = open();
    let start = pair.now;
    pair.lose(End::A, "SHUTDOWN");
    pair.close(End::A);
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> SHUTDOWN -> lost",
        "1000 A -> SHUTDOWN -> Z",
        "1010 Z -> SHUTDOWN-ACK -> A",
        "1020 A -> SHUTDOWN-COMPLETE -> Z",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
    assert_both_closed(&mut pair);
}

#[test]
fn a_lost_shutdown_ack_is_sent_again_by_either_timer() {
    let mut pair = open();
    let start = pair.now;
    pair.lose(End::Z, "SHUTDOWN-ACK");
    pair.close(End::A);
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> SHUTDOWN -> Z",
        "10 Z -> SHUTDOWN-ACK -> lost",
        "1000 A -> SHUTDOWN -> Z",
        "1010 Z -> SHUTDOWN-ACK -> A",
        "1020 A -> SHUTDOWN-COMPLETE -> Z",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
    assert_both_closed(&mut pair);
}

/// §8.4 rule 5: the association of A is gone, and still its answer comes, with the T bit.
#[test]
fn a_lost_shutdown_complete_is_given_again_by_an_end_that_forgot() {
    let mut pair = open();
    let start = pair.now;
    pair.keep_packets();
    pair.lose(End::A, "SHUTDOWN-COMPLETE");
    pair.close(End::A);
    pair.run_for(ms(500));
    assert_eq!(pair.closed(End::A), Some(CloseReason::Graceful));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownAckSent);
    let dialogue = ["0 A -> SHUTDOWN -> Z", "10 Z -> SHUTDOWN-ACK -> A", "20 A -> SHUTDOWN-COMPLETE -> lost"];
    assert_eq!(pair.take_timed_log(start), dialogue);
    pair.run_for(secs(1));
    let answer = pair.log.last().expect("an answer").bytes.clone();
    let dialogue = ["1010 Z -> SHUTDOWN-ACK -> A", "1020 A -> SHUTDOWN-COMPLETE -> Z"];
    assert_eq!(pair.take_timed_log(start), dialogue);
    let complete = Chunk::ShutdownComplete(ShutdownComplete { tag_reflected: true });
    let packet = Packet::decode(&answer, Checksum::Crc32c).expect("sound");
    assert_eq!(packet.chunks().collect::<Vec<_>>(), [Ok(complete)]);
    assert_both_closed(&mut pair);
}

/// The way back works, and Z does not know that the way there does not.
#[test]
fn the_last_word_goes_by_a_path_that_works() {
    let mut pair = Pair::open(Config::tuned_1(), 2);
    pair.run_for(secs(1));
    pair.pipes[0].drop_next[End::A as usize] = u32::MAX;
    (0..200).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(600));
    assert!(pair.path(End::A, 0).state.has_failed());
    assert!(pair.path(End::Z, 0).state.carries_data());
    pair.log.clear();
    pair.close(End::A);
    assert!(pair.run_until(ms(200), |pair| pair.closed(End::A).is_some()));
    let ways: Vec<(&str, usize)> = pair.log.iter().map(|line| (line.text.as_str(), line.pipe)).collect();
    let dialogue =
        [("A -2> SHUTDOWN -2> Z", 1), ("Z -1> SHUTDOWN-ACK -1> A", 0), ("A -2> SHUTDOWN-COMPLETE -2> Z", 1)];
    assert_eq!(ways, dialogue);
    pair.run_for(ms(100));
    assert_both_closed(&mut pair);
}

/// §8.4 rule 8: a late packet of Z, which another path held up, comes when A has forgotten; the answer to it may be
/// faster than the last packet. An end with a reason to abort still says so.
#[test]
fn that_the_peer_has_forgotten_is_a_last_word_too() {
    for (tag_reflected, ended) in
        [(true, CloseReason::Graceful), (false, CloseReason::AbortedByPeer { causes: Vec::new() })]
    {
        let mut pair = open();
        let (own, peers) = pair.at(End::Z).tags();
        pair.lose(End::A, "SHUTDOWN-COMPLETE");
        pair.close(End::A);
        pair.run_for(ms(500));
        assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownAckSent);
        let tag = if tag_reflected { peers.expect("open") } else { own };
        pair.forge_with_tag(End::Z, tag, &[&Abort { tag_reflected, causes: Vec::new() }]);
        assert_eq!(pair.closed(End::Z), Some(ended));
    }
}

/// §9.2: "If an endpoint is in the SHUTDOWN-ACK-SENT state and receives an INIT chunk [...], it SHOULD discard
/// the INIT chunk and retransmit the SHUTDOWN ACK chunk."
#[test]
fn a_peer_that_restarts_while_the_last_answer_is_missing_is_told_to_finish_first() {
    let mut pair = open();
    pair.lose(End::A, "SHUTDOWN-COMPLETE");
    pair.close(End::A);
    pair.run_for(ms(100));
    pair.restart(End::A);
    pair.take_log();
    pair.connect();
    pair.run_for(secs(3));
    let dialogue = [
        "A -> INIT -> Z",
        "Z -> SHUTDOWN-ACK -> A",
        "A -> SHUTDOWN-COMPLETE -> Z",
        "A -> INIT -> Z",
        "Z -> INIT-ACK -> A",
        "A -> COOKIE-ECHO -> Z",
        "Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!(pair.closed(End::Z), Some(CloseReason::Graceful));
    assert!(pair.at(End::A).is_open());
}

/// §5.2.4 action A: "it MUST NOT set up a new association but instead resend the SHUTDOWN ACK chunk and send an
/// ERROR chunk with a "Cookie Received While Shutting Down" error cause to its peer."
#[test]
fn a_restart_whose_cookie_comes_while_the_last_answer_is_missing_gets_an_error_as_well() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(ms(100));
    let cumulative_tsn_ack = initial_tsn(&pair.take_packets(End::Z)[0]).previous();
    pair.restart(End::A);
    pair.lose(End::A, "COOKIE-ECHO");
    pair.connect();
    pair.run_for(ms(100));
    let cookie = pair.take_packets(End::A).pop().expect("the COOKIE-ECHO came last");
    pair.forge(End::Z, &[&Shutdown { cumulative_tsn_ack }]);
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownAckSent);
    pair.take_log();
    pair.inject(End::Z, 0, cookie.to_vec());
    pair.run_for(ms(1));
    assert_eq!(pair.take_log(), ["Z -> SHUTDOWN-ACK + ERROR -> A"]);
    assert_eq!(pair.z.endpoint.len(), 1);
}

// A SHUTDOWN that the peer did not send (docs/security.md).

#[test]
fn a_forged_shutdown_that_acknowledges_what_was_lost_ends_both_ends() {
    let mut pair = open();
    pair.lose(End::Z, "DATA");
    pair.send(End::Z, 100);
    let cumulative_tsn_ack = pair.at(End::Z).ack_points().expect("open").1.next();
    pair.send(End::Z, 100);
    pair.send(End::Z, 100);
    pair.forge(End::Z, &[&Shutdown { cumulative_tsn_ack }]);
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownReceived);
    pair.close(End::A);
    pair.run_for(secs(299));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownReceived, "what A lacks never comes");
    pair.run_for(secs(10));
    assert_eq!([End::A, End::Z].map(|end| pair.at(end).state()), [AssociationState::Closed; 2]);
}

#[test]
fn data_that_is_acknowledged_keeps_an_end_that_was_told_to_shut_down() {
    let rto = RtoSettings { max: secs(2), ..Config::rfc9260().rto };
    let config = Config { rto, receive_buffer: ByteCount::new(1_500), ..Config::rfc9260() };
    let mut pair = Pair::open(config, 1);
    pair.a.reads_at_once = true;
    pair.pipes[0].delay = ms(400);
    for _ in 0..40 {
        pair.send(End::Z, 1_400);
    }
    let cumulative_tsn_ack = pair.at(End::Z).ack_points().expect("open").1;
    pair.forge(End::Z, &[&Shutdown { cumulative_tsn_ack }]);
    // Three times the guard's ten seconds.
    pair.run_for(secs(30));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownReceived);
    pair.run_until(secs(60), |pair| pair.a.read.len() == 40);
    assert_eq!(pair.a.read.len(), 40);
}

/// The first TSN of the end that sent this INIT-ACK.
fn initial_tsn(bytes: &Bytes) -> Tsn {
    let packet = Packet::decode(bytes, Checksum::Crc32c).expect("sound");
    match packet.chunks().next() {
        Some(Ok(Chunk::InitAck(ack))) => ack.initial_tsn,
        other => panic!("not an INIT-ACK: {other:?}"),
    }
}

#[test]
fn an_unanswered_shutdown_ends_after_association_max_retrans() {
    let failover = Failover { association_max: 3, ..Config::rfc9260().failover };
    let mut pair = Pair::open(Config { failover, ..Config::rfc9260() }, 1);
    let start = pair.now;
    pair.pipes[0].is_cut = true;
    pair.close(End::A);
    pair.run_for(secs(60));
    let mut times = [0, 1, 3, 7].map(|second| format!("{} A -> SHUTDOWN -> lost", second * 1000)).to_vec();
    times.push("15000 A -> ABORT -> lost".to_owned());
    let log: Vec<String> =
        pair.take_timed_log(start).into_iter().filter(|line| line.contains("A ->")).collect();
    assert_eq!(log, times);
    assert_eq!(pair.closed(End::A), Some(CloseReason::PeerGone { errors: 4 }));
}

/// T5-shutdown-guard: "5 times RTO.Max".
#[test]
fn a_shutdown_that_takes_five_times_rto_max_is_aborted() {
    let rto = RtoSettings { initial: secs(1), min: secs(1), max: secs(2), ..Config::rfc9260().rto };
    let failover = Failover { association_max: 100, ..Config::rfc9260().failover };
    let mut pair = Pair::open(Config { rto, failover, ..Config::rfc9260() }, 1);
    let start = pair.now;
    pair.pipes[0].is_cut = true;
    pair.close(End::A);
    pair.run_for(secs(60));
    let log = pair.take_timed_log(start);
    let last = log.iter().rfind(|line| line.contains("A ->")).expect("a last word");
    assert_eq!(last, "10000 A -> ABORT -> lost");
    assert!(matches!(pair.closed(End::A), Some(CloseReason::PeerGone { .. })));
}

/// §8.3: the sending of HEARTBEATs "is discontinued after sending either a SHUTDOWN chunk or SHUTDOWN ACK chunk".
#[test]
fn no_heartbeat_leaves_once_the_shutdown_was_sent() {
    let mut pair = open();
    pair.pipes[0].is_cut = true;
    pair.close(End::A);
    pair.run_for(secs(200));
    let log = pair.take_log();
    assert!(log.iter().all(|line| line != "A -> HEARTBEAT -> lost"), "{log:?}");
}

#[test]
fn shutdown_chunks_that_come_in_the_wrong_state_are_dropped() {
    let mut pair = open();
    pair.forge(End::A, &[&ShutdownAck]);
    pair.forge(End::A, &[&ShutdownComplete { tag_reflected: false }]);
    assert!(pair.at(End::A).is_open());
    pair.close(End::A);
    pair.forge(End::A, &[&ShutdownComplete { tag_reflected: false }]);
    assert_eq!(pair.at(End::A).state(), AssociationState::ShutdownSent);
    pair.run_for(ms(100));
    assert_both_closed(&mut pair);
}

/// RFC 9260 §6: "DATA chunks MUST only be received according to the rules below in ESTABLISHED, SHUTDOWN-PENDING, and
/// SHUTDOWN-SENT states. A DATA chunk received in any other state SHOULD be discarded."
#[test]
fn data_of_a_peer_that_has_said_that_it_is_done_is_discarded() {
    for (messages, state) in
        [(20, AssociationState::ShutdownReceived), (0, AssociationState::ShutdownAckSent)]
    {
        let mut pair = open();
        (0..messages).for_each(|_| pair.send(End::Z, 1400));
        pair.close(End::A);
        pair.run_for(ms(15));
        assert_eq!(pair.at(End::Z).state(), state);
        pair.take_log();
        let (cumulative, _) = pair.at(End::Z).ack_points().expect("it is not closed");
        pair.forge(End::Z, &[&Data { immediate: true, ..data(cumulative.next(), b"late") }]);
        assert_eq!(pair.take_log(), [""; 0], "{state:?}");
        assert_eq!(pair.at(End::Z).ack_points().expect("it is not closed").0, cumulative, "{state:?}");
        assert!(pair.receive(End::Z).is_empty(), "{state:?}");
        pair.run_for(secs(5));
        assert_eq!(pair.receive(End::A).len(), messages);
        assert_both_closed(&mut pair);
    }
}

#[test]
fn an_association_that_is_not_open_yet_closes_at_once() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.close(End::A);
    assert_eq!(pair.closed(End::A), Some(CloseReason::Graceful));
    pair.run_for(secs(5));
    assert_eq!(pair.take_log(), ["A -> INIT -> Z", "Z -> INIT-ACK -> A", "A -> ABORT -> Z"]);
    assert!(pair.z.endpoint.is_empty());
}

// At once (RFC 9260 §9.1).

#[test]
fn an_abort_ends_both_ends_and_gives_its_reason() {
    let mut pair = open();
    pair.send(End::A, 100);
    pair.run_for(ms(50));
    pair.log.clear();
    pair.abort(End::A, "lunch");
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["A -> ABORT -> Z"]);
    assert_eq!(pair.closed(End::A), Some(CloseReason::AbortedHere { why: "lunch".into() }));
    let causes = vec![Cause::UserInitiatedAbort(b"lunch".to_vec())];
    assert_eq!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { causes }));
    assert_eq!(pair.receive(End::Z).len(), 1, "messages unread at the end are still readable");
}

#[test]
fn an_abort_overtakes_the_data_that_waits_and_carries_none() {
    let mut pair = open();
    (0..50).for_each(|_| pair.send(End::A, 1400));
    pair.log.clear();
    pair.abort(End::A, "enough");
    assert_eq!(pair.take_log(), ["A -> ABORT -> Z"]);
}

/// §8.4: an abort that was lost is noticed with the next packet, and still says why.
#[test]
fn a_lost_abort_is_given_again_when_the_peer_speaks() {
    for is_forgotten in [false, true] {
        let mut pair = open();
        pair.lose(End::A, "ABORT");
        pair.abort(End::A, "gone");
        if is_forgotten {
            let (now, id) = (pair.now, pair.a.id.expect("open"));
            pair.a.endpoint.remove(now, id);
        }
        pair.send(End::Z, 100);
        pair.run_for(ms(100));
        assert_eq!(pair.take_log(), ["A -> ABORT -> lost", "Z -> DATA -> A", "A -> ABORT -> Z"]);
        let causes = vec![Cause::UserInitiatedAbort(b"gone".to_vec())];
        assert_eq!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { causes }));
    }
}

/// §8.4: an end that lost its memory answers by an ABORT with the T bit.
#[test]
fn a_peer_that_has_forgotten_the_association_is_distinguished_from_one_that_aborts_it() {
    let mut pair = open();
    let peers = pair.at(End::Z).tags().1.expect("open");
    pair.forge_with_tag(End::Z, peers, &[&Abort { tag_reflected: true, causes: Vec::new() }]);
    assert_eq!(pair.closed(End::Z), Some(CloseReason::UnknownToPeer));
}

#[test]
fn a_removed_association_is_aborted_first() {
    let mut pair = open();
    let (now, id) = (pair.now, pair.a.id.expect("open"));
    pair.a.endpoint.remove(now, id);
    pair.settle(End::A);
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["A -> ABORT -> Z"]);
    assert!(pair.a.endpoint.is_empty());
}

#[test]
fn nothing_but_the_abort_of_a_packet_is_answered() {
    let mut pair = open();
    let abort = Abort { tag_reflected: false, causes: Vec::new() };
    pair.forge(End::A, &[&abort, &CookieEcho { cookie: &[1; 8] }]);
    assert_eq!(pair.closed(End::A), Some(CloseReason::AbortedByPeer { causes: Vec::new() }));
    pair.forge_with_tag(End::A, VerificationTag::new(5), &[&abort]);
    assert!(pair.take_log().is_empty());
}
