//! Messages of a few bytes: as many SSNs as there are wait at once, a packet of them costs little more memory than one
//! large message, and what is advertised can be held (RFC 9260 §6.2, §6.5, §6.6).

use crate::pair::{End, Pair};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Outgoing, Reliability};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::PathId;
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{Data, EncodeChunk, Ppid, StreamId};
use bytes::Bytes;

const PROFILES: [&str; 4] = ["rfc2960", "rfc4960", "rfc9260", "tuned-1"];

fn profile(name: &str) -> Config {
    Config::profile(name).expect("a shipped profile")
}

/// A message of `length` bytes that contains its number, as far as there is room.
fn numbered(number: u32, length: usize) -> Bytes {
    number.to_le_bytes().into_iter().cycle().take(length).collect()
}

/// DATA chunk number `number` of a peer whose first TSN follows `before`: a whole message of one byte on stream 0.
fn message(before: Tsn, number: u32) -> Data<'static> {
    Data {
        tsn: before.plus(1 + number),
        stream: StreamId::new(0),
        ssn: Ssn::new(number as u16),
        ppid: Ppid::new(number),
        unordered: false,
        beginning: true,
        ending: true,
        immediate: false,
        payload: b"x",
    }
}

/// Injects these messages into Z, in packets as full as they get.
fn inject(pair: &mut Pair, before: Tsn, numbers: std::ops::Range<u32>) {
    let all: Vec<Data<'_>> = numbers.map(|number| message(before, number)).collect();
    for packet in all.chunks(70) {
        let packet: Vec<&dyn EncodeChunk> = packet.iter().map(|data| data as &dyn EncodeChunk).collect();
        pair.forge(End::Z, &packet);
    }
}

/// Hands messages over, from number `sent` to `count`, as long as there is room. Departures are decided when all are
/// there.
fn fill(pair: &mut Pair, mut sent: u32, count: u32, length: usize) -> u32 {
    let now = pair.now;
    while sent < count {
        let (stream, ppid) = (StreamId::new(0), Ppid::new(sent));
        let message = Outgoing {
            stream,
            ppid,
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload: numbered(sent, length),
        };
        if pair.at(End::A).send(now, message).is_err() {
            break;
        }
        sent += 1;
    }
    pair.settle(End::A);
    sent
}

/// A transfer of `count` messages of `length` bytes with `lose` before it: how long it took.
fn transfer(config: &Config, count: u32, length: usize, lose: impl FnOnce(&mut Pair)) -> Duration {
    let mut pair = Pair::open(config.clone(), 1);
    pair.log = Vec::new();
    lose(&mut pair);
    let began = pair.now;
    let (mut sent, mut received) = (0, 0);
    let is_done = pair.run_until(Duration::from_secs(300), |pair| {
        pair.log.clear();
        sent = fill(pair, sent, count, length);
        for message in pair.receive(End::Z) {
            assert_eq!(message.into_bytes(), numbered(received, length));
            received += 1;
        }
        received == count
    });
    assert!(is_done, "{received} of {count} messages of {length} B arrived ({})", config.profile);
    pair.now.since(began)
}

// More SSNs than half of all there are.

#[test]
fn nearly_all_ssns_may_wait_for_one_lost_message() {
    let config = Config { receive_buffer: ByteCount::from_mib(2), ..Config::rfc9260() };
    let mut pair = Pair::open(config, 1);
    let (before, _) = pair.at(End::Z).ack_points().expect("it is open");
    pair.pipes[0].drop_next[End::Z as usize] = u32::MAX;
    // SSNs have wrapped before, so that those ahead look like those that have passed.
    inject(&mut pair, before, 0..40_000);
    assert_eq!(pair.receive(End::Z).len(), 40_000);
    inject(&mut pair, before, 40_001..105_535);
    assert!(pair.receive(End::Z).is_empty());
    inject(&mut pair, before, 40_000..40_001);
    let numbers: Vec<u32> = pair.receive(End::Z).iter().map(|message| message.ppid.get()).collect();
    assert!(numbers.into_iter().eq(40_000..105_535));
    assert!(pair.is_open(End::Z));
}

#[test]
fn an_ssn_that_passed_ends_the_association_although_all_others_may_be_ahead() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let (before, _) = pair.at(End::Z).ack_points().expect("it is open");
    inject(&mut pair, before, 0..10);
    inject(&mut pair, before, 11..20);
    pair.forge(End::Z, &[&Data { ssn: Ssn::new(3), ..message(before, 20) }]);
    let reason = format!("{:?}", pair.closed(End::Z).expect("it ended"));
    assert!(
        reason.contains("message 3 of stream 0 arrived a second time; message 10 is expected"),
        "{reason}"
    );
}

// What is advertised can be held, and what is missing is taken.

#[test]
fn a_lost_packet_of_small_messages_costs_no_more_than_one_of_large_ones() {
    for name in PROFILES {
        let lost = |pair: &mut Pair| pair.lose_nth(End::A, "DATA", 30);
        let packets = 300;
        let large = transfer(&profile(name), packets, 1_400, lost);
        for length in [1, 10, 20, 64] {
            let count = packets * 1_400 / (16 + (length as u32).next_multiple_of(4));
            let took = transfer(&profile(name), count, length, lost);
            assert!(took <= large + large / 4, "{name}: {took} with {length} B, {large} with 1,400 B");
        }
    }
}

#[test]
fn a_small_buffer_that_is_full_of_small_messages_takes_all_that_is_retransmitted() {
    for name in PROFILES {
        let config =
            Config { receive_buffer: ByteCount::from_kib(16), receive_growth: None, ..profile(name) };
        for length in [1, 10, 64] {
            let lossless = transfer(&config, 8_000, length, |_| {});
            let took = transfer(&config, 8_000, length, |pair| pair.lose_nth(End::A, "DATA", 40));
            let timeout = config.rto.min + Duration::from_millis(500);
            assert!(took <= lossless + timeout, "{name}, {length} B: {took}, without the loss {lossless}");
        }
    }
}

#[test]
fn no_more_small_messages_are_asked_for_than_can_be_held() {
    for name in PROFILES {
        let config =
            Config { receive_buffer: ByteCount::from_kib(64), receive_growth: None, ..profile(name) };
        for length in [1, 10, 20] {
            let mut pair = Pair::open(config.clone(), 1);
            let (mut sent, mut received) = (0, 0);
            // While they are read, the receiver learns how small they are; then reading stops.
            pair.run_until(Duration::from_secs(60), |pair| {
                pair.log.clear();
                sent = fill(pair, sent, 60_000, length);
                received += pair.receive(End::Z).len();
                received > 10_000
            });
            pair.run_until(Duration::from_millis(150), |pair| {
                sent = fill(pair, sent, 60_000, length);
                false
            });
            let again = pair.at(End::A).path_counters(PathId::FIRST).retransmitted_chunks;
            assert_eq!(again, 0, "{name}, {length} B: chunks for which there was no room");
            let held = pair.at(End::Z).received_bytes_held().get() / length as u64;
            assert!(held > 2_000, "{name}, {length} B: {held} messages are held in 128 KiB of memory");
        }
    }
}
