//! Messages of several streams share the paths: in turns, by priority, by weight, and interleaved as I-DATA (RFC 8260).

use crate::pair::{End, Pair, outgoing};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Outgoing, Reliability};
use anabranch_sctp::config::{Config, StreamScheduler};
use anabranch_sctp::event::Event;
use anabranch_sctp::wire::{Checksum, Chunk, Packet, Ppid, StreamId};
use bytes::Bytes;

fn interleaved(stream_scheduler: StreamScheduler) -> Config {
    Config {
        interleaving: true,
        partial_reliability: true,
        stream_scheduler,
        send_buffer: ByteCount::from_mib(1),
        receive_buffer: ByteCount::from_mib(1),
        ..Config::rfc9260()
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Sends a message of `length` bytes on `stream`; the PPID is the length too.
fn send(pair: &mut Pair, stream: u16, length: usize, reliability: Reliability) {
    let (stream, ppid) = (StreamId::new(stream), Ppid::new(length as u32));
    let payload = (0..length).map(|at| at as u8).collect::<Vec<u8>>();
    let message = Outgoing {
        stream,
        ppid,
        unordered: false,
        immediate: false,
        reliability,
        payload: Bytes::from(payload),
    };
    let now = pair.now;
    pair.at(End::A).send(now, message).expect("there is room");
}

/// The messages that arrived at Z: stream and length. Each is as it was sent.
fn received(pair: &mut Pair) -> Vec<(u16, usize)> {
    let check = |message: anabranch_sctp::association::Message| {
        let (stream, ppid) = (message.stream.get(), message.ppid.get());
        let bytes = message.into_bytes();
        assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == at as u8));
        assert_eq!(bytes.len() as u32, ppid);
        (stream, bytes.len())
    };
    pair.receive(End::Z).into_iter().map(check).collect()
}

fn count(log: &[String], text: &str) -> usize {
    log.iter().filter(|line| line.contains(text)).count()
}

/// Bulk data waits on stream 1, of which the slow path takes what is due later.
#[test]
fn a_prompt_message_passes_all_that_wait_and_takes_the_quick_path() {
    let config =
        Config { scheduler: "in-order-arrival".to_owned(), ..interleaved(StreamScheduler::FairBandwidth) };
    let mut pair = Pair::open(config, 2);
    pair.pipes[1].delay = ms(60);
    (0..100).for_each(|_| send(&mut pair, 1, 10_000, Reliability::Full));
    pair.run_for(ms(30));
    for round in 0..3 {
        let waiting = pair.at(End::A).waiting();
        assert!(waiting > ByteCount::from_kib(200), "{round}: bulk data waits, {waiting}");
        received(&mut pair);
        let message = outgoing(2, false, Reliability::Full, Bytes::from_static(&[0, 1, 2]));
        pair.try_send_prompt(End::A, Outgoing { ppid: Ppid::new(3), ..message }).expect("there is room");
        pair.run_for(ms(25));
        let arrived = received(&mut pair);
        assert!(arrived.contains(&(2, 3)), "{round}: {arrived:?}");
    }
}

/// Both wait on one stream, whose messages are numbered when they are cut.
#[test]
fn a_prompt_message_behind_another_of_its_stream_waits_for_it() {
    let mut pair = Pair::open(interleaved(StreamScheduler::FairBandwidth), 2);
    send(&mut pair, 1, 100_000, Reliability::Full);
    let message = outgoing(1, false, Reliability::Full, Bytes::from_static(&[0, 1, 2]));
    pair.try_send_prompt(End::A, Outgoing { ppid: Ppid::new(3), ..message }).expect("there is room");
    pair.run_for(ms(5_000));
    assert_eq!(received(&mut pair), [(1, 100_000), (1, 3)]);
}

#[test]
fn a_short_message_overtakes_a_long_one_of_lower_priority() {
    let mut pair = Pair::open(interleaved(StreamScheduler::Priority), 2);
    pair.at(End::A).set_stream_value(StreamId::new(1), 9);
    send(&mut pair, 1, 400_000, Reliability::Full);
    pair.settle(End::A);
    pair.run_for(ms(30));
    send(&mut pair, 2, 5_000, Reliability::Full);
    pair.settle(End::A);
    let before = pair.now;
    while received(&mut pair) != [(2, 5_000)] {
        pair.run_for(ms(5));
        assert!(pair.now < before + ms(200), "it waits for the long one");
    }
    assert!(pair.at(End::A).unacknowledged() > ByteCount::new(100_000), "most of the long one is under way");
    pair.run_for(Duration::from_secs(20));
    assert_eq!(received(&mut pair), [(1, 400_000)]);
}

#[test]
fn streams_take_turns_chunk_by_chunk() {
    let mut pair = Pair::open(interleaved(StreamScheduler::RoundRobin), 1);
    pair.keep_packets();
    send(&mut pair, 1, 30_000, Reliability::Full);
    send(&mut pair, 2, 29_000, Reliability::Full);
    pair.settle(End::A);
    pair.run_for(Duration::from_secs(5));
    let packets = pair.take_packets(End::A);
    let stream_of = |packet: &Bytes| match Packet::decode(packet, Checksum::Omitted).ok()?.chunks().next()? {
        Ok(Chunk::IData(data)) => Some(data.stream.get()),
        _ => None,
    };
    let streams: Vec<u16> = packets.iter().filter_map(stream_of).collect();
    let changes = streams.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes > 30, "{changes} changes in {} chunks", streams.len());
    let mut both = received(&mut pair);
    both.sort_unstable();
    assert_eq!(both, [(1, 30_000), (2, 29_000)]);
}

#[test]
fn a_long_message_loses_parts_on_two_paths_and_arrives_whole() {
    let mut pair = Pair::open(interleaved(StreamScheduler::FairBandwidth), 2);
    for nth in [2, 5, 11, 17] {
        pair.lose_nth(End::A, "I-DATA", nth);
    }
    for stream in 0..4 {
        send(&mut pair, stream, 20_000 + usize::from(stream), Reliability::Full);
    }
    pair.settle(End::A);
    pair.run_for(Duration::from_secs(20));
    let mut all = received(&mut pair);
    all.sort_unstable();
    assert_eq!(all, [(0, 20_000), (1, 20_001), (2, 20_002), (3, 20_003)]);
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
}

#[test]
fn a_message_that_expires_in_the_middle_is_skipped_although_all_its_chunks_arrived() {
    let mut pair = Pair::open(interleaved(StreamScheduler::RoundRobin), 1);
    pair.take_log();
    let deadline = pair.now + ms(55);
    send(&mut pair, 1, 300_000, Reliability::Until(deadline));
    pair.settle(End::A);
    pair.run_for(ms(60));
    send(&mut pair, 1, 700, Reliability::Full);
    pair.settle(End::A);
    pair.run_for(Duration::from_secs(5));
    assert_eq!(received(&mut pair), [(1, 700)]);
    let log = pair.take_log();
    assert!(count(&log, "I-FORWARD-TSN") > 0 && count(&log, " FORWARD-TSN") == 0, "{log:#?}");
    let given_up = pair.a.events.iter().filter(
        |event| matches!(event, Event::GivenUp { bytes, was_sent: true, .. } if bytes.get() == 300_000),
    );
    assert_eq!(given_up.count(), 1);
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO);
}

#[test]
fn an_unordered_message_is_skipped_too() {
    let mut pair = Pair::open(interleaved(StreamScheduler::FirstCome), 1);
    pair.lose_nth(End::A, "I-DATA", 2);
    let (stream, ppid, payload) = (StreamId::new(3), Ppid::new(5_000), Bytes::from(vec![7; 5_000]));
    let reliability = Reliability::Until(pair.now + ms(30));
    let now = pair.now;
    let message = Outgoing { stream, ppid, unordered: true, immediate: false, reliability, payload };
    pair.at(End::A).send(now, message).expect("there is room");
    pair.settle(End::A);
    pair.run_for(Duration::from_secs(3));
    assert_eq!(received(&mut pair), []);
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO, "what arrived of it is dropped");
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
}

#[test]
fn a_peer_without_i_data_gets_data_and_whole_messages_take_turns() {
    let plain = Config { interleaving: false, ..interleaved(StreamScheduler::RoundRobin) };
    let mut pair = Pair::unequal(interleaved(StreamScheduler::RoundRobin), plain, 1);
    pair.establish();
    pair.take_log();
    for _ in 0..3 {
        send(&mut pair, 1, 4_000, Reliability::Full);
    }
    for _ in 0..3 {
        send(&mut pair, 2, 3_000, Reliability::Full);
    }
    pair.settle(End::A);
    pair.run_for(Duration::from_secs(5));
    let all = received(&mut pair);
    let streams: Vec<u16> = all.iter().map(|message| message.0).collect();
    assert_eq!(streams, [1, 2, 1, 2, 1, 2]);
    assert_eq!(count(&pair.take_log(), "I-DATA"), 0);
}

#[test]
fn data_after_the_agreement_on_i_data_ends_the_association() {
    let mut pair = Pair::open(interleaved(StreamScheduler::FirstCome), 1);
    let tsn = pair.at(End::A).ack_points().expect("open").0.next();
    let data = anabranch_sctp::wire::Data {
        tsn,
        stream: StreamId::new(0),
        ssn: anabranch_sctp::seq::Ssn::new(0),
        ppid: Ppid::new(0),
        unordered: false,
        beginning: true,
        ending: true,
        immediate: false,
        payload: b"x",
    };
    pair.forge(End::A, &[&data]);
    pair.run_for(ms(200));
    assert!(pair.closed(End::A).is_some() && pair.closed(End::Z).is_some());
}
