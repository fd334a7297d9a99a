//! Messages that are larger than the receive buffer arrive in parts (RFC 9260 §6.9, RFC 6458 §6.1.7 and §8.1.21, RFC 8260
//! §2.2.3).

use crate::pair::{End, Pair, data};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Message, Outgoing, Part, Reliability};
use anabranch_sctp::config::{Config, MessageLimit, StreamScheduler};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::seq::{Fsn, Mid, Ssn, Tsn};
use anabranch_sctp::wire::{
    Data, EncodeChunk, ForwardTsn, IData, Place, Ppid, ReConfig, ReConfigParameter, SkippedStream, StreamId,
};
use bytes::Bytes;

const SECOND: Duration = Duration::from_secs(1);
const BUFFER: u64 = 20_000;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Both ends receive messages in parts, in a buffer of 20,000 bytes, and send any that fit into the send buffer.
fn in_parts() -> Config {
    Config {
        partial_delivery: true,
        message_limit: MessageLimit::SendBuffer,
        receive_buffer: ByteCount::new(BUFFER),
        send_buffer: ByteCount::from_kib(512),
        ..Config::rfc9260()
    }
}

fn interleaved() -> Config {
    Config {
        interleaving: true,
        partial_reliability: true,
        stream_scheduler: StreamScheduler::RoundRobin,
        ..in_parts()
    }
}

/// The payload of a message of `length` bytes on `stream`.
fn payload(stream: u16, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u8).wrapping_mul(31) ^ (at >> 8) as u8 ^ stream as u8).collect()
}

fn send(pair: &mut Pair, stream: u16, length: usize, reliability: Reliability) {
    send_as(pair, stream, false, length, reliability);
}

fn send_as(pair: &mut Pair, stream: u16, unordered: bool, length: usize, reliability: Reliability) {
    let message = Outgoing {
        stream: StreamId::new(stream),
        ppid: Ppid::new(length as u32),
        unordered,
        immediate: false,
        reliability,
        payload: Bytes::from(payload(stream, length)),
    };
    let now = pair.now;
    pair.at(End::A).send(now, message).expect("there is room");
    pair.settle(End::A);
}

/// The messages that Z receives until nothing more comes, reading every 5 ms: stream and length. Each is as it was sent, and
/// Z never holds more than its buffer.
fn read_all(pair: &mut Pair, span: Duration) -> Vec<(u16, usize)> {
    let mut received = Vec::new();
    let until = pair.now + span;
    while pair.now < until {
        pair.run_for(ms(5));
        let most = ByteCount::new(2 * BUFFER);
        let held = pair.at(End::Z).received_bytes_held();
        assert!(held <= most, "{held} are held");
        received.extend(pair.receive(End::Z).into_iter().map(checked));
    }
    received
}

/// The stream and the length of a whole message, which is as it was sent.
fn checked(message: Message) -> (u16, usize) {
    let (stream, ppid) = (message.stream.get(), message.ppid.get());
    let bytes = message.into_bytes();
    assert!(bytes == payload(stream, bytes.len()), "a message of stream {stream} is not as it was sent");
    assert_eq!(bytes.len() as u32, ppid);
    (stream, bytes.len())
}

/// The parts that Z reads now: stream, part and length.
fn parts(pair: &mut Pair) -> Vec<(u16, Part, usize)> {
    let parts = pair.receive_parts(End::Z).into_iter();
    parts.map(|part| (part.stream.get(), part.part, part.len())).collect()
}

fn aborted(pair: &Pair) -> Vec<(u16, u32, bool)> {
    let of = |event: &Event| match event {
        Event::PartialDeliveryAborted { stream, ppid, unordered } => {
            Some((stream.get(), ppid.get(), *unordered))
        }
        _ => None,
    };
    pair.z.events.iter().filter_map(of).collect()
}

fn violation(pair: &mut Pair) -> String {
    match pair.closed(End::Z) {
        Some(CloseReason::ProtocolViolation { what }) => what,
        other => panic!("{other:?}"),
    }
}

/// The TSN that Z expects next.
fn next(pair: &mut Pair) -> Tsn {
    pair.at(End::Z).ack_points().expect("it is open").0.next()
}

/// A fragment of 1,000 bytes of the first message on stream 0; `part` is "B", "E" or "".
fn fragment<'a>(tsn: Tsn, part: &str, payload: &'a [u8]) -> Data<'a> {
    Data {
        beginning: part.contains('B'),
        ending: part.contains('E'),
        ppid: Ppid::new(7),
        ..data(tsn, payload)
    }
}

/// An open association in which eleven fragments of a message on stream 0 arrived at Z and were read.
fn begun(config: Config) -> (Pair, Tsn) {
    let mut pair = Pair::open(config, 1);
    let mut tsn = next(&mut pair);
    for at in 0..11 {
        let part = if at == 0 { "B" } else { "" };
        pair.forge(End::Z, &[&fragment(tsn, part, &[7; 1000])]);
        tsn = tsn.next();
    }
    assert_eq!(parts(&mut pair), [(0, Part::First, 11_000)]);
    (pair, tsn)
}

#[test]
fn a_message_of_four_buffers_arrives_unchanged_over_two_paths_that_lose_packets() {
    for config in [in_parts(), Config { nr_sack: true, ..in_parts() }, interleaved()] {
        let mut pair = Pair::open(config, 2);
        pair.seed(6);
        pair.faults.loss = 20;
        send(&mut pair, 1, 80_000, Reliability::Full);
        send(&mut pair, 1, 900, Reliability::Full);
        assert_eq!(read_all(&mut pair, SECOND * 40), [(1, 80_000), (1, 900)]);
        assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO);
        assert_eq!(aborted(&pair), []);
        pair.close(End::A);
        pair.run_for(SECOND * 10);
        assert_eq!(pair.closed(End::Z), Some(CloseReason::Graceful));
    }
}

#[test]
fn a_beginning_is_delivered_from_half_of_the_buffer_on_and_a_message_that_ends_before_is_whole() {
    let mut pair = Pair::open(in_parts(), 1);
    let first = next(&mut pair);
    let fragments: Vec<Data<'_>> = (0..9).map(|at| fragment(first.plus(at), "", &[7; 1000])).collect();
    pair.forge(End::Z, &[&Data { beginning: true, ..fragments[0] }]);
    fragments[1..].iter().for_each(|fragment| pair.forge(End::Z, &[fragment]));
    assert_eq!(parts(&mut pair), [], "9,000 of 10,000 bytes");
    pair.forge(End::Z, &[&fragment(first.plus(9), "", &[7; 1000])]);
    assert_eq!(pair.z.events.last(), Some(&Event::Readable));
    assert_eq!(parts(&mut pair), [(0, Part::First, 10_000)]);
    pair.forge(End::Z, &[&fragment(first.plus(10), "", &[7; 300])]);
    pair.forge(End::Z, &[&fragment(first.plus(11), "", &[7; 200])]);
    assert_eq!(parts(&mut pair), [(0, Part::Middle, 500)], "what follows need not reach the point");
    pair.forge(End::Z, &[&fragment(first.plus(13), "E", &[7; 10])]);
    assert_eq!(parts(&mut pair), [], "a part before it is missing");
    pair.forge(End::Z, &[&fragment(first.plus(12), "", &[7; 1])]);
    assert_eq!(parts(&mut pair), [(0, Part::Last, 11)]);
    let whole = Data { ssn: Ssn::new(1), ..fragment(first.plus(14), "BE", &[7; 5]) };
    pair.forge(End::Z, &[&whole]);
    assert_eq!(parts(&mut pair), [(0, Part::Whole, 5)]);
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO);
}

#[test]
fn parts_that_were_not_read_yet_are_delivered_as_one() {
    let mut pair = Pair::open(in_parts(), 1);
    send(&mut pair, 2, 15_000, Reliability::Full);
    pair.run_for(SECOND);
    assert_eq!(parts(&mut pair), [(2, Part::Whole, 15_000)]);
}

#[test]
fn without_the_switch_and_with_credits_for_streams_a_message_beyond_the_buffer_ends_the_association() {
    let off = Config { partial_delivery: false, ..in_parts() };
    for config in [off, Config { stream_credits: true, ..in_parts() }] {
        let mut pair = Pair::open(config, 1);
        send(&mut pair, 0, 80_000, Reliability::Full);
        pair.run_for(SECOND * 30);
        assert_eq!(violation(&mut pair), "a message is larger than the receive buffer of 20000 B");
    }
}

#[test]
fn a_reader_that_pauses_stops_the_peer_in_the_middle_of_a_message() {
    let mut pair = Pair::open(in_parts(), 2);
    send(&mut pair, 0, 200_000, Reliability::Full);
    pair.run_for(SECOND * 30);
    let held = pair.at(End::Z).received_bytes_held();
    assert!(held <= ByteCount::new(BUFFER) && held > ByteCount::new(BUFFER * 4 / 5), "{held}");
    assert_eq!(pair.z.events.iter().filter(|event| **event == Event::Readable).count(), 1);
    assert_eq!(read_all(&mut pair, SECOND * 60), [(0, 200_000)]);
}

#[test]
fn messages_of_other_streams_are_delivered_between_the_parts_and_later_ones_of_the_stream_behind_them() {
    let mut pair = Pair::open(interleaved(), 2);
    send(&mut pair, 1, 80_000, Reliability::Full);
    send(&mut pair, 2, 90_000, Reliability::Full);
    send(&mut pair, 1, 100, Reliability::Full);
    send_as(&mut pair, 1, true, 60_000, Reliability::Full);
    for length in 200..230 {
        send(&mut pair, 3, length, Reliability::Full);
    }
    let received = read_all(&mut pair, SECOND * 40);
    let place = |message: (u16, usize)| received.iter().position(|one| *one == message);
    assert_eq!(received.len(), 34);
    assert!(place((3, 229)) < place((1, 80_000)), "{received:?}");
    assert!(place((1, 80_000)) < place((1, 100)), "{received:?}");
}

#[test]
fn an_unordered_message_arrives_in_parts() {
    for config in [in_parts(), interleaved()] {
        let mut pair = Pair::open(config, 1);
        send_as(&mut pair, 4, true, 80_000, Reliability::Full);
        send_as(&mut pair, 4, true, 70_000, Reliability::Full);
        let mut received = read_all(&mut pair, SECOND * 20);
        received.sort_unstable();
        assert_eq!(received, [(4, 70_000), (4, 80_000)]);
    }
}

/// RFC 9260 §6.9: "runs out of buffer space while still waiting for more fragments".
#[test]
fn a_buffer_full_of_beginnings_gives_the_largest_one() {
    let mut pair = Pair::open(interleaved(), 1);
    let mut tsn = next(&mut pair);
    for (stream, count) in [(1, 4), (2, 8), (3, 7)] {
        for at in 0..count {
            pair.forge(End::Z, &[&interleaved_fragment(tsn, (stream, 0), at, false)]);
            tsn = tsn.next();
        }
    }
    assert_eq!(parts(&mut pair), [(2, Part::First, 8_000)]);
    pair.forge(End::Z, &[&interleaved_fragment(tsn, (2, 0), 8, true)]);
    assert_eq!(parts(&mut pair), [(2, Part::Last, 1_000)]);
}

/// Fragment `fsn` of 1,000 bytes of the ordered message `mid` on `stream`.
fn interleaved_fragment(tsn: Tsn, (stream, mid): (u16, u32), fsn: u32, ending: bool) -> IData<'static> {
    IData {
        tsn,
        stream: StreamId::new(stream),
        mid: Mid::new(mid),
        place: if fsn == 0 { Place::First(Ppid::new(7)) } else { Place::Later(Fsn::new(fsn)) },
        unordered: false,
        ending,
        immediate: false,
        payload: &[7; 1_000],
    }
}

#[test]
fn a_message_whose_turn_has_not_come_waits() {
    let mut pair = Pair::open(interleaved(), 1);
    let tsn = next(&mut pair);
    for at in 0..12 {
        pair.forge(End::Z, &[&interleaved_fragment(tsn.plus(at), (1, 1), at, false)]);
    }
    assert_eq!(parts(&mut pair), []);
    pair.forge(End::Z, &[&interleaved_fragment(tsn.plus(12), (1, 0), 0, true)]);
    assert_eq!(parts(&mut pair), [(1, Part::Whole, 1_000)]);
    pair.forge(End::Z, &[&interleaved_fragment(tsn.plus(13), (1, 1), 12, false)]);
    assert_eq!(parts(&mut pair), [(1, Part::First, 13_000)]);
}

#[test]
fn a_message_that_the_peer_gives_up_ends_incomplete_and_the_next_one_is_whole() {
    let data = Config { partial_reliability: true, ..in_parts() };
    for config in [data, interleaved()] {
        let mut pair = Pair::open(config, 1);
        let deadline = pair.now + ms(400);
        send(&mut pair, 1, 400_000, Reliability::Until(deadline));
        send(&mut pair, 1, 3_000, Reliability::Full);
        let (mut seen, mut length) = (Vec::new(), 0);
        for _ in 0..2_000 {
            pair.run_for(ms(5));
            for (stream, part, len) in parts(&mut pair) {
                assert_eq!(stream, 1);
                length += if part == Part::Whole { 0 } else { len };
                seen.push(part);
            }
        }
        assert_eq!(seen.first(), Some(&Part::First));
        assert_eq!(seen[seen.len() - 2..], [Part::Aborted, Part::Whole]);
        assert!(seen[1..seen.len() - 2].iter().all(|part| *part == Part::Middle), "{seen:?}");
        assert!((10_000..400_000).contains(&length), "{length}");
        assert_eq!(aborted(&pair), [(1, 400_000, false)]);
        assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO);
        send(&mut pair, 1, 80_000, Reliability::Full);
        assert_eq!(read_all(&mut pair, SECOND * 20), [(1, 80_000)]);
    }
}

#[test]
fn what_arrives_late_of_an_aborted_message_is_dropped() {
    let (mut pair, next) = begun(Config { partial_reliability: true, ..in_parts() });
    let skipped = [SkippedStream { stream: StreamId::new(0), ssn: Ssn::new(0) }];
    let forward = ForwardTsn { new_cumulative_tsn: next, skipped: skipped[..].into() };
    pair.forge(End::Z, &[&fragment(next.plus(1), "", &[8; 1000])]);
    pair.forge(End::Z, &[&forward]);
    pair.forge(End::Z, &[&fragment(next.plus(2), "E", &[8; 1000])]);
    let whole = Data { ssn: Ssn::new(1), ..fragment(next.plus(3), "BE", &[9; 5]) };
    pair.forge(End::Z, &[&whole]);
    assert_eq!(parts(&mut pair), [(0, Part::Aborted, 0), (0, Part::Whole, 5)]);
    assert_eq!(aborted(&pair), [(0, 7, false)]);
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO);
}

/// No honest peer resets a stream inside a message.
#[test]
fn a_reset_of_the_stream_ends_a_message_incomplete() {
    let config = Config { stream_reconfiguration: true, ..in_parts() };
    let (mut pair, tsn) = begun(config);
    let request = pair.at(End::A).ack_points().expect("it is open").1.next();
    let streams = [StreamId::new(0)];
    let reset = ReConfigParameter::ResetOutgoing {
        request,
        response: Tsn::new(0),
        last_tsn: tsn.previous(),
        streams: streams[..].into(),
    };
    pair.forge(End::Z, &[&ReConfig::of(reset)]);
    assert_eq!(parts(&mut pair), [(0, Part::Aborted, 0)]);
    assert_eq!(aborted(&pair), [(0, 7, false)]);
    pair.forge(End::Z, &[&fragment(tsn, "E", &[7; 1000])]);
    pair.forge(End::Z, &[&fragment(tsn.next(), "BE", &[7; 3])]);
    assert_eq!(parts(&mut pair), [(0, Part::Whole, 3)], "it is the first message after the reset");
}

#[test]
fn a_reset_waits_for_a_message_in_parts() {
    let mut pair = Pair::open(Config { stream_reconfiguration: true, ..in_parts() }, 1);
    send(&mut pair, 1, 80_000, Reliability::Full);
    pair.at(End::A).reset_streams(&[StreamId::new(1)]).expect("it is open");
    pair.settle(End::A);
    send(&mut pair, 1, 60_000, Reliability::Full);
    assert_eq!(read_all(&mut pair, SECOND * 20), [(1, 80_000), (1, 60_000)]);
    assert!(pair.z.events.contains(&Event::IncomingStreamsReset(vec![StreamId::new(1)])));
    assert_eq!(aborted(&pair), []);
}

#[test]
fn the_end_of_the_association_ends_a_message_incomplete() {
    let (mut pair, tsn) = begun(in_parts());
    pair.forge(End::Z, &[&fragment(tsn, "", &[7; 100])]);
    pair.z.events.clear();
    pair.abort(End::A, "the test says so");
    pair.run_for(SECOND);
    let [Event::PartialDeliveryAborted { .. }, Event::Closed(_)] = &pair.z.events[..] else {
        panic!("{:?}", pair.z.events)
    };
    assert_eq!(parts(&mut pair), [(0, Part::Middle, 100), (0, Part::Aborted, 0)]);
}

#[test]
fn a_peer_that_restarts_ends_a_message_incomplete() {
    let mut pair = Pair::open(in_parts(), 1);
    send(&mut pair, 0, 80_000, Reliability::Full);
    pair.run_for(SECOND);
    assert!(matches!(parts(&mut pair)[..], [(0, Part::First, 10_000..)]));
    pair.run_for(SECOND);
    pair.restart(End::A);
    pair.connect();
    pair.run_for(SECOND);
    assert!(pair.z.events.contains(&Event::Restarted), "{:?}", pair.z.events);
    assert_eq!(parts(&mut pair).pop(), Some((0, Part::Aborted, 0)));
    send(&mut pair, 0, 80_000, Reliability::Full);
    assert_eq!(read_all(&mut pair, SECOND * 20), [(0, 80_000)]);
}

#[test]
fn fragments_that_contradict_a_message_in_parts_end_the_association() {
    type Fragments = &'static [(&'static str, u16, u16)];
    let cases: [(Fragments, &str); 6] = [
        (&[("B", 0, 0)], "is inside another message"),
        (&[("BE", 1, 0)], "is inside another message"),
        (&[("", 1, 0)], "not to the same stream"),
        (&[("", 0, 1)], "not to the same stream"),
        (&[("E", 0, 0), ("", 0, 0)], "lacks a part"),
        (&[("E", 0, 0), ("BE", 0, 0)], "arrived a second time"),
    ];
    for (fragments, what) in cases {
        let (mut pair, mut tsn) = begun(in_parts());
        for &(part, stream, ssn) in fragments {
            let chunk =
                Data { stream: StreamId::new(stream), ssn: Ssn::new(ssn), ..fragment(tsn, part, &[7; 10]) };
            pair.forge(End::Z, &[&chunk]);
            tsn = tsn.next();
        }
        let found = violation(&mut pair);
        assert!(found.contains(what), "{found:?} for {fragments:?}");
        let last = parts(&mut pair).pop().map(|(_, part, _)| part);
        assert!(matches!(last, Some(Part::Aborted | Part::Last)), "{last:?} for {fragments:?}");
    }
}

#[test]
fn a_message_with_the_number_of_one_in_parts_is_never_delivered_inside_it() {
    let (mut pair, tsn) = begun(in_parts());
    let second = fragment(tsn.next(), "BE", &[9; 10]);
    pair.forge(End::Z, &[&second]);
    assert_eq!(violation(&mut pair), "message 0 of stream 0 arrived a second time; message 0 is expected");
    assert_eq!(parts(&mut pair), [(0, Part::Aborted, 0)]);
}

#[test]
fn an_fsn_inside_what_was_delivered_ends_the_association() {
    for (fsn, ending) in [(3, false), (0, false), (10, true)] {
        let mut pair = Pair::open(interleaved(), 1);
        let tsn = next(&mut pair);
        for at in 0..11 {
            pair.forge(End::Z, &[&interleaved_fragment(tsn.plus(at), (1, 0), at, false)]);
        }
        assert_eq!(parts(&mut pair), [(1, Part::First, 11_000)]);
        pair.forge(End::Z, &[&interleaved_fragment(tsn.plus(11), (1, 0), fsn, ending)]);
        assert!(violation(&mut pair).contains("FSN"));
    }
}

#[test]
fn an_endless_message_of_tiny_fragments_needs_no_more_than_the_buffer() {
    let mut pair = Pair::open(in_parts(), 1);
    let first = next(&mut pair);
    let mut arrived = 0;
    for round in 0..300_u32 {
        let tsn = next(&mut pair);
        let fragments: Vec<Data<'_>> = (0..40)
            .map(|at| fragment(tsn.plus(at), if tsn.plus(at) == first { "B" } else { "" }, &[7; 1]))
            .collect();
        let chunks: Vec<&dyn EncodeChunk> = fragments.iter().map(|one| one as &dyn EncodeChunk).collect();
        pair.forge(End::Z, &chunks);
        assert!(pair.at(End::Z).received_bytes_held() <= ByteCount::new(320), "257 bytes of memory each");
        if round % 8 == 0 {
            arrived += parts(&mut pair).iter().map(|part| part.2).sum::<usize>();
        }
    }
    arrived += parts(&mut pair).iter().map(|part| part.2).sum::<usize>();
    assert_eq!(arrived as u32, next(&mut pair).distance_from(first));
    assert!(arrived > 4_000, "{arrived}");
}

/// Each message that began needs memory until it ends, which the buffer bounds as well.
#[test]
fn a_peer_that_begins_messages_and_never_ends_them_fills_the_buffer() {
    let mut pair = Pair::open(Config { inbound_streams: 4_096, outbound_streams: 4_096, ..interleaved() }, 1);
    let mut begun = 0;
    for stream in 0..4_000 {
        for at in 0..10 {
            if pair.closed(End::Z).is_none() {
                let tsn = next(&mut pair);
                pair.forge(End::Z, &[&interleaved_fragment(tsn, (stream, 0), at, false)]);
            }
        }
        begun += parts(&mut pair).iter().filter(|part| part.1 == Part::First).count();
    }
    assert_eq!(violation(&mut pair), "a message is larger than the receive buffer of 20000 B");
    assert!((90..=320).contains(&begun), "{begun} messages began");
    assert_eq!(aborted(&pair).len(), begun);
}
