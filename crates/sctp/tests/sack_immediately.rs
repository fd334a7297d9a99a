//! The I bit of DATA: the receiver does not delay the SACK (RFC 7053).

use crate::pair::{End, Pair, chunks};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Outgoing, Reliability};
use anabranch_sctp::config::{Config, InitialWindow};
use anabranch_sctp::wire::{Chunk, Ppid, StreamId};
use bytes::Bytes;

fn before_waiting() -> Config {
    Config { sack_before_waiting: true, ..Config::rfc9260() }
}

/// An association whose packets are kept.
fn open(config: Config) -> Pair {
    let mut pair = Pair::open(config, 1);
    // The first DATA is acknowledged without delay in any case.
    pair.send(End::A, 10);
    pair.run_for(Duration::from_secs(1));
    pair.keep_packets();
    pair.log.clear();
    pair
}

fn send_at_once(pair: &mut Pair, lengths: &[usize], immediate: bool) {
    let now = pair.now;
    for &length in lengths {
        let message = Outgoing {
            stream: StreamId::new(0),
            ppid: Ppid::new(0),
            unordered: false,
            immediate,
            reliability: Reliability::Full,
            payload: Bytes::from(vec![7; length]),
        };
        pair.at(End::A).send(now, message).expect("there is room");
    }
    pair.settle(End::A);
}

/// The I bits of the chunks that left A, in the order in which they left.
fn bits(pair: &mut Pair) -> Vec<bool> {
    let packets = pair.take_packets(End::A);
    let bit = |chunk: Chunk<'_>| match chunk {
        Chunk::Data(data) => Some(data.immediate),
        _ => None,
    };
    packets.iter().flat_map(|packet| chunks(packet).into_iter().filter_map(bit).collect::<Vec<_>>()).collect()
}

/// The time until everything is acknowledged.
fn until_acknowledged(pair: &mut Pair) -> u64 {
    let start = pair.now;
    pair.run_until(Duration::from_secs(5), |pair| pair.at(End::A).unacknowledged().is_zero());
    pair.now.since(start).as_millis()
}

#[test]
fn a_message_that_asks_for_it_is_acknowledged_at_once() {
    for (immediate, after) in [(true, 20), (false, 220)] {
        let mut pair = open(Config::rfc9260());
        send_at_once(&mut pair, &[100], immediate);
        assert_eq!(until_acknowledged(&mut pair), after);
        assert_eq!(bits(&mut pair), [immediate]);
    }
}

#[test]
fn the_last_fragment_of_a_message_asks_and_no_other() {
    let mut pair = open(Config::rfc9260());
    send_at_once(&mut pair, &[4_000], true);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(bits(&mut pair), [false, false, true]);
}

#[test]
fn a_message_that_asked_asks_again_when_it_is_sent_again() {
    let mut pair = open(Config::rfc9260());
    pair.lose(End::A, "DATA");
    send_at_once(&mut pair, &[100], true);
    pair.run_for(Duration::from_secs(3));
    assert_eq!(bits(&mut pair), [true, true]);
}

/// Four packets fit into the first window, and the fifth follows when two are acknowledged.
#[test]
fn the_chunks_that_fill_the_window_or_end_the_queue_ask() {
    let window = |config| Config { initial_window: InitialWindow::Bytes(ByteCount::new(4_000)), ..config };
    for (config, expected) in
        [(before_waiting(), [false, false, true, false, true]), (Config::rfc9260(), [false; 5])]
    {
        let mut pair = open(window(config));
        send_at_once(&mut pair, &[1_400; 5], false);
        pair.run_for(Duration::from_secs(2));
        assert_eq!(bits(&mut pair), expected);
    }
}

#[test]
fn a_chunk_that_leaves_the_peer_no_room_for_another_asks() {
    let small = Config { receive_buffer: ByteCount::new(3_000), ..before_waiting() };
    let mut pair = open(small);
    send_at_once(&mut pair, &[1_000; 5], false);
    // 3,000 bytes less the ten that were not read.
    assert_eq!(bits(&mut pair), [false, true]);
}

#[test]
fn before_a_shutdown_what_is_sent_again_last_asks_too() {
    let mut pair = open(before_waiting());
    (2..=3).for_each(|nth| pair.lose_nth(End::A, "DATA", nth));
    send_at_once(&mut pair, &[1_000; 3], false);
    pair.close(End::A);
    pair.run_for(Duration::from_secs(10));
    assert_eq!(bits(&mut pair), [false, false, true, false, true]);
    assert!(pair.closed(End::A).is_some());
}
