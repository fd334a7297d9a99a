//! NR-SACKs: what arrived out of order leaves the send buffer before the cumulative acknowledgement
//! (draft-natarajan-tsvwg-sctp-nrsack).

use crate::pair::{End, Pair, data};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::SendError;
use anabranch_sctp::config::{BurstRule, Config, InitialWindow, MaxBurst, NrGaps};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathId;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{GapBlock, NrSack, Sack};
use bytes::Bytes;

/// Twenty chunks may leave at once, and a chunk is lost only by a time-out.
fn plain() -> Config {
    Config {
        initial_window: InitialWindow::Bytes(ByteCount::new(20_000)),
        max_burst: MaxBurst { packets: 1_000, rule: BurstRule::Event },
        missing_reports: 255,
        ..Config::rfc9260()
    }
}

fn firm() -> Config {
    Config { nr_sack: true, ..plain() }
}

fn unacknowledged(pair: &mut Pair) -> u64 {
    pair.at(End::A).unacknowledged().get()
}

fn resent(pair: &mut Pair) -> u64 {
    pair.at(End::A).path_counters(PathId::FIRST).retransmitted_chunks
}

/// The names of the chunks with which Z acknowledged, each once.
fn reports(pair: &mut Pair) -> Vec<&'static str> {
    let log = pair.take_log();
    let has = |name: &str| log.iter().any(|line| line.split(' ').any(|word| word == name));
    ["SACK", "NR-SACK"].into_iter().filter(|name| has(name)).collect()
}

/// An association in which A has sent `count` chunks of 1,000 bytes that did not arrive, and nothing else will arrive for
/// most of a second. Returns the TSN before them.
fn lost(config: Config, count: usize) -> (Pair, Tsn) {
    let mut pair = Pair::open(config, 1);
    (1..=count).for_each(|nth| pair.lose_nth(End::A, "DATA", nth));
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    pair.send_at_once(End::A, count, 1_000);
    pair.take_log();
    (pair, acked)
}

/// A block of these offsets.
fn block((start, end): (u16, u16)) -> GapBlock {
    GapBlock { start, end }
}

/// Forges an NR-SACK to A with these R and NR blocks.
fn report(pair: &mut Pair, cumulative: Tsn, renegable: &[(u16, u16)], nr: &[(u16, u16)]) {
    let blocks: Vec<GapBlock> = renegable.iter().chain(nr).copied().map(block).collect();
    let nr_sack = NrSack {
        cumulative_tsn_ack: cumulative,
        a_rwnd: 1 << 20,
        flags: 0,
        renegable: renegable.len() as u16,
        gap_blocks: blocks.as_slice().into(),
        duplicates: (&[][..]).into(),
    };
    pair.forge(End::A, &[&nr_sack]);
}

/// Forges a SACK to A with these blocks.
fn report_plainly(pair: &mut Pair, cumulative: Tsn, gaps: &[(u16, u16)]) {
    let blocks: Vec<GapBlock> = gaps.iter().copied().map(block).collect();
    let gap_blocks = blocks.as_slice().into();
    let sack = Sack {
        cumulative_tsn_ack: cumulative,
        a_rwnd: 1 << 20,
        flags: 0,
        gap_blocks,
        duplicates: (&[][..]).into(),
    };
    pair.forge(End::A, &[&sack]);
}

/// The chunks in flight.
fn in_flight(pair: &mut Pair) -> u64 {
    pair.path(End::A, 0).flight.get() / 1_016
}

#[test]
fn nr_sacks_are_sent_between_ends_that_are_both_set_to_it() {
    for (a, z, name) in [(firm(), firm(), "NR-SACK"), (firm(), plain(), "SACK"), (plain(), firm(), "SACK")] {
        let mut pair = Pair::unequal(a.clone(), z.clone(), 1);
        pair.establish();
        pair.send_at_once(End::A, 10, 1_000);
        pair.run_for(Duration::from_secs(1));
        assert_eq!((reports(&mut pair), unacknowledged(&mut pair)), (vec![name], 0));
        let mut joined = Pair::unequal(a, z, 1);
        joined.join();
        joined.send_at_once(End::A, 10, 1_000);
        joined.run_for(Duration::from_secs(1));
        assert_eq!(reports(&mut joined), [name]);
    }
}

#[test]
fn where_address_changes_are_announced_too_both_are_agreed() {
    let mut pair = Pair::open(Config { dynamic_addresses: true, ..firm() }, 1);
    pair.send_at_once(End::A, 10, 1_000);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(reports(&mut pair), ["NR-SACK"]);
}

#[test]
fn where_sacks_report_only_new_gaps_they_stay_sacks() {
    let mut pair = Pair::open(Config { sack_content: "new".into(), ..firm() }, 1);
    pair.send_at_once(End::A, 10, 1_000);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(reports(&mut pair), ["SACK"]);
}

#[test]
fn with_readable_gaps_only_messages_that_can_be_read_leave_the_send_buffer_early() {
    let readable = Config { nr_gaps: NrGaps::Readable, ..firm() };
    let mut pair = Pair::open(readable, 1);
    pair.lose_nth(End::A, "DATA", 1);
    for (stream, length) in [(0, 1_000), (0, 1_000), (1, 1_000), (1, 3_000)] {
        pair.try_send(End::A, stream, false, vec![7; length].into()).expect("there is room");
    }
    pair.run_for(Duration::from_millis(100));
    assert_eq!(unacknowledged(&mut pair), 2_000, "the two messages of stream 0");
    pair.run_for(Duration::from_secs(5));
    assert_eq!((unacknowledged(&mut pair), resent(&mut pair), pair.receive(End::Z).len()), (0, 1, 4));
}

#[test]
fn what_arrived_beyond_a_gap_leaves_the_send_buffer_at_once_and_only_the_gap_is_sent_again() {
    for (config, held) in [(firm(), 2_000), (plain(), 10_000)] {
        let mut pair = Pair::open(config, 1);
        pair.lose_nth(End::A, "DATA", 1);
        pair.lose_nth(End::A, "DATA", 6);
        pair.send_at_once(End::A, 10, 1_000);
        pair.run_for(Duration::from_millis(100));
        assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (held, 2));
        pair.run_for(Duration::from_secs(5));
        assert_eq!((unacknowledged(&mut pair), resent(&mut pair), pair.receive(End::Z).len()), (0, 2, 10));
        pair.close(End::A);
        pair.run_for(Duration::from_secs(1));
        assert_eq!(pair.closed(End::A), Some(CloseReason::Graceful));
    }
}

#[test]
fn a_message_that_waits_for_room_gets_it_before_the_gap_is_closed() {
    for (config, is_writable) in [(firm(), true), (plain(), false)] {
        let mut pair = Pair::open(Config { send_buffer: ByteCount::new(10_000), ..config }, 1);
        pair.lose(End::A, "DATA");
        pair.send_at_once(End::A, 10, 1_000);
        let more = |pair: &mut Pair| pair.try_send(End::A, 0, false, Bytes::from(vec![7; 5_000]));
        assert!(matches!(more(&mut pair), Err(SendError::BufferFull { .. })));
        pair.a.events.clear();
        pair.run_for(Duration::from_millis(100));
        assert_eq!(
            (pair.a.events.contains(&Event::Writable), more(&mut pair).is_ok()),
            (is_writable, is_writable)
        );
        assert!(unacknowledged(&mut pair) <= 10_000);
        pair.run_for(Duration::from_secs(5));
        assert_eq!(pair.receive(End::Z).len(), if is_writable { 11 } else { 10 });
    }
}

#[test]
fn what_is_acknowledged_for_good_is_neither_taken_back_nor_sent_again() {
    let (mut pair, before) = lost(firm(), 8);
    report(&mut pair, before, &[], &[(2, 4), (7, 7)]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (4_000, 4));
    report_plainly(&mut pair, before, &[]);
    report(&mut pair, before, &[], &[]);
    report_plainly(&mut pair, before, &[(3, 3)]);
    assert_eq!(
        (unacknowledged(&mut pair), in_flight(&mut pair)),
        (4_000, 4),
        "a SACK without it says nothing"
    );
    pair.run_for(Duration::from_secs(2));
    // T3-rtx sends again what is in flight, and the peer has never got the rest.
    assert_eq!((resent(&mut pair), pair.closed(End::A)), (4, None));
}

#[test]
fn what_is_an_r_block_may_be_taken_back_and_what_is_both_is_for_good() {
    let (mut pair, before) = lost(firm(), 8);
    report(&mut pair, before, &[(2, 4)], &[(4, 6)]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (5_000, 3));
    report_plainly(&mut pair, before, &[]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (5_000, 5), "2 and 3 are in flight again");
    report(&mut pair, before, &[], &[(2, 2)]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (4_000, 4));
    report_plainly(&mut pair, before.plus(8), &[]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (0, 0));
}

#[test]
fn blocks_that_are_out_of_order_or_overlap_in_their_list_are_skipped() {
    let (mut pair, before) = lost(firm(), 8);
    report(&mut pair, before, &[], &[(6, 5), (0, 3), (3, 5), (4, 6), (2, 2)]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (5_000, 5));
}

#[test]
fn an_nr_block_of_what_was_never_sent_ends_the_association() {
    for (renegable, nr) in [(&[][..], &[(2, 9)][..]), (&[(9, 9)], &[(2, 3)]), (&[], &[(2, u16::MAX)])] {
        let (mut pair, before) = lost(firm(), 8);
        report(&mut pair, before, renegable, nr);
        assert!(matches!(pair.closed(End::A), Some(CloseReason::ProtocolViolation { .. })), "{nr:?}");
    }
}

#[test]
fn an_old_nr_sack_changes_nothing() {
    let (mut pair, before) = lost(firm(), 8);
    report(&mut pair, before.plus(2), &[], &[]);
    report(&mut pair, before, &[], &[(3, 8)]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (6_000, 6));
}

/// To an end that is not set to it, type 16 is unknown: the packet is discarded from there on, without a report.
#[test]
fn an_nr_sack_that_was_not_agreed_is_discarded_with_what_follows_it() {
    let (mut pair, before) = lost(plain(), 8);
    let (arrived, _) = pair.at(End::A).ack_points().expect("it is open");
    let blocks = [block((2, 3))];
    let nr_sack = NrSack {
        cumulative_tsn_ack: before.plus(4),
        a_rwnd: 1 << 20,
        flags: 0,
        renegable: 0,
        gap_blocks: blocks.as_slice().into(),
        duplicates: (&[][..]).into(),
    };
    pair.forge(End::A, &[&nr_sack, &data(arrived.next(), b"behind it")]);
    assert_eq!((unacknowledged(&mut pair), in_flight(&mut pair)), (8_000, 8));
    assert!(pair.receive(End::A).is_empty() && pair.take_log().is_empty());
}

#[test]
fn a_second_report_in_a_packet_has_no_effect() {
    let (mut pair, before) = lost(firm(), 8);
    let blocks = [[block((2, 3))], [block((5, 6))]];
    let [one, other] = blocks.each_ref().map(|gaps| NrSack {
        cumulative_tsn_ack: before,
        a_rwnd: 1 << 20,
        flags: 0,
        renegable: 0,
        gap_blocks: gaps.as_slice().into(),
        duplicates: (&[][..]).into(),
    });
    pair.forge(End::A, &[&one, &other]);
    assert_eq!(unacknowledged(&mut pair), 6_000);
}
