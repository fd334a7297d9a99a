//! The memory that a peer can make an end keep, however it sends: counted by the allocator, and bounded by the receive
//! buffer and a constant. Each test floods an end whose application reads nothing, or everything, and checks the most
//! that was held at once.

mod counting;
mod pair;
mod trains;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::Ecn;
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, Channel};
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Cause, Data, EncodeChunk, ErrorChunk, Heartbeat, Ppid, StreamId, Test, VerificationTag,
};
use bytes::Bytes;
use counting::{Counting, held};
use pair::{End, Pair, packet};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The receive buffer of the end that is flooded.
const BUFFER: ByteCount = ByteCount::from_kib(256);

/// An end with an open association, and what it held when the flood began.
struct Victim {
    pair: Pair,
    tag: VerificationTag,
    /// The TSN before the first that the peer may send.
    before: Tsn,
    held: u64,
    most: u64,
    /// The bytes of what it answered.
    answered: usize,
    scratch: Vec<u8>,
}

impl Victim {
    fn new(inbound_streams: u16) -> Victim {
        let outbound_streams = inbound_streams;
        Victim::with(Config { inbound_streams, outbound_streams, ..Config::rfc9260() })
    }

    fn with(config: Config) -> Victim {
        let config = Config { receive_buffer: BUFFER, ..config };
        let mut pair = Pair::open(config, 1);
        let tag = pair.at(End::Z).tags().0;
        let (before, _) = pair.at(End::Z).ack_points().expect("it is open");
        pair.log = Vec::new();
        let scratch = Vec::with_capacity(1 << 17);
        Victim { pair, tag, before, held: held(), most: 0, answered: 0, scratch }
    }

    /// Chunks in one packet of its peer arrive; what it answers is thrown away.
    fn take(&mut self, chunks: &[&dyn EncodeChunk]) {
        let bytes = Bytes::from(packet(self.tag, chunks));
        let memory = ByteCount::of_len(bytes.len());
        self.take_slice(bytes, memory);
    }

    /// A packet that keeps `memory` alive.
    fn take_slice(&mut self, bytes: Bytes, memory: ByteCount) {
        let (local, remote) = (self.pair.address(End::Z, 0), self.pair.address(End::A, 0));
        let arrival = Arrival { local, remote, channel: Channel::PLAIN, ecn: Ecn::NotEct, bytes, memory };
        let now = self.now();
        self.pair.z.endpoint.handle(now, &arrival);
        drop(arrival);
        self.most = self.most.max(held().saturating_sub(self.held));
    }

    /// Everything that it wants to send leaves, and is lost.
    fn answer(&mut self) {
        let now = self.now();
        while self.pair.z.endpoint.poll_transmit(now, &mut self.scratch, 1).is_some() {
            self.answered += self.scratch.len();
            self.scratch.clear();
        }
        while self.pair.z.endpoint.poll_event().is_some() {}
    }

    /// The application reads all that it can.
    fn read(&mut self) {
        while self.pair.at(End::Z).receive().is_some() {}
    }

    fn now(&self) -> Time {
        self.pair.now
    }

    fn is_open(&mut self) -> bool {
        self.pair.at(End::Z).is_open()
    }

    /// The `number`-th chunk of the peer, from 1: one byte on stream 0, a whole message of its own.
    fn chunk(&self, number: u32) -> Data<'static> {
        Data {
            tsn: self.before.plus(number),
            stream: StreamId::new(0),
            ssn: Ssn::new(0),
            ppid: Ppid::new(0),
            unordered: false,
            beginning: true,
            ending: true,
            immediate: false,
            payload: b"x",
        }
    }

    /// Checks that it held at most `times` its receive buffer and what an association needs anyway.
    fn assert_bounded(&self, times: u64) {
        let bound = BUFFER.get() * times + OTHERWISE;
        assert!(self.most <= bound, "{} B were held at once, {bound} B are allowed", self.most);
    }
}

/// Queues, lists and tables of an association, without user data.
const OTHERWISE: u64 = 128 << 10;

#[test]
fn one_chunk_held_of_each_received_batch_does_not_keep_the_batches() {
    let mut victim = Victim::new(16);
    let payload = vec![7; 1_400];
    for batch in 0..150 {
        // The one that is held lies among 43 others that have arrived before.
        let held = Data { payload: &payload, beginning: false, ending: false, ..victim.chunk(2 + batch) };
        let packet = packet(victim.tag, &[&held]);
        let memory = Bytes::from(packet.repeat(44));
        let whole = ByteCount::of_len(memory.len());
        for at in 0..44 {
            victim.take_slice(memory.slice(at * packet.len()..(at + 1) * packet.len()), whole);
        }
        drop(memory);
        victim.answer();
    }
    assert_eq!(victim.pair.at(End::Z).received_bytes_held(), ByteCount::new(150 * 1_400));
    victim.assert_bounded(1);
}

#[test]
fn every_stream_there_can_be_costs_less_than_100_bytes() {
    let mut victim = Victim::new(u16::MAX);
    for number in 0..u32::from(u16::MAX) {
        let stream = StreamId::new(number as u16);
        victim.take(&[&Data { stream, ..victim.chunk(1 + number) }]);
        victim.read();
        victim.answer();
    }
    assert!(victim.is_open());
    let most = 100 * u64::from(u16::MAX);
    assert!(victim.most <= most, "{} B were held, {most} B are allowed", victim.most);
}

#[test]
fn a_message_that_waits_on_each_of_many_streams_is_accounted_for() {
    let mut victim = Victim::new(u16::MAX);
    for number in 0..u32::from(u16::MAX) {
        let stream = StreamId::new(number as u16);
        victim.take(&[&Data { stream, ssn: Ssn::new(1), ..victim.chunk(2 + number) }]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn first_fragments_of_many_messages_are_accounted_for() {
    let mut victim = Victim::new(16);
    for number in 0..60_000 {
        victim.take(&[&Data { unordered: true, ending: false, ..victim.chunk(2 + 2 * (number % 30_000)) }]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn middle_fragments_of_a_message_without_a_beginning_are_accounted_for() {
    let mut victim = Victim::new(16);
    for number in 0..60_000 {
        victim.take(&[&Data { beginning: false, ending: false, ..victim.chunk(2 + number) }]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn large_fragments_without_a_beginning_are_accounted_for() {
    let mut victim = Victim::new(16);
    let payload = vec![7; 1_400];
    for number in 0..10_000 {
        let part = Data { payload: &payload, beginning: false, ending: false, ..victim.chunk(2 + number) };
        victim.take(&[&part]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn every_other_tsn_leaves_gaps_that_are_bounded() {
    let mut victim = Victim::new(16);
    for number in 0..40_000_u32 {
        let ssn = Ssn::new(1 + number as u16);
        victim.take(&[&Data { ssn, ..victim.chunk(2 + 2 * number) }]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn unread_tiny_messages_are_accounted_for() {
    let mut victim = Victim::new(16);
    for number in 0..60_000_u32 {
        victim.take(&[&Data { ssn: Ssn::new(number as u16), ..victim.chunk(1 + number) }]);
        victim.answer();
    }
    assert!(victim.is_open());
    victim.assert_bounded(2);
}

#[test]
fn duplicates_are_listed_in_a_bounded_sack() {
    let mut victim = Victim::new(16);
    victim.take(&[&victim.chunk(1)]);
    for _ in 0..20_000 {
        victim.take(&[&victim.chunk(1), &victim.chunk(1), &victim.chunk(1)]);
    }
    victim.answered = 0;
    victim.answer();
    assert!(victim.answered <= 1_500, "{} B answer the last of them", victim.answered);
    assert!(victim.is_open());
    victim.assert_bounded(0);
}

#[test]
fn errors_unknown_chunks_and_bad_streams_are_answered_by_a_bounded_number() {
    let unknown = [1_000, 60_000].map(|length| Unknown(vec![0; length]));
    let mut victim = Victim::new(16);
    let report = ErrorChunk { causes: vec![Cause::UserInitiatedAbort(vec![0; 1_000])] };
    for number in 0..10_000 {
        victim.take(&[&report]);
        unknown.iter().for_each(|chunk| victim.take(&[chunk]));
        victim.take(&[&Data { stream: StreamId::new(999), ..victim.chunk(1 + number) }]);
    }
    victim.answer();
    let answered = victim.answered;
    assert!((1_000..=100 << 10).contains(&answered), "{answered} B answer the flood");
    assert!(victim.is_open());
    victim.assert_bounded(0);
}

#[test]
fn heartbeats_are_answered_by_a_bounded_number() {
    let probes = [1_200, 60_000].map(|length| Heartbeat::new(vec![7; length]));
    let mut victim = Victim::new(16);
    for _ in 0..10_000 {
        probes.iter().for_each(|probe| victim.take(&[probe]));
    }
    victim.answer();
    let answered = victim.answered;
    assert!((1_200..=100 << 10).contains(&answered), "{answered} B answer the flood");
    victim.pair.run_for(Duration::from_secs(1));
    assert!(victim.is_open());
    victim.assert_bounded(0);
}

#[test]
fn test_packets_are_kept_only_for_a_reader_and_up_to_a_number() {
    let config = Config { test_packets: true, ..Config::rfc9260() };
    let mut victim = Victim::with(config);
    let bodies = [&[7; 64][..], &[7; 1], &[], &[7; 1_000]];
    let tests = bodies.map(|body| Test { body });
    let chunks: Vec<&dyn EncodeChunk> = tests.iter().map(|test| test as &dyn EncodeChunk).collect();
    for _ in 0..50_000 {
        victim.take(&chunks);
    }
    victim.answer();
    victim.assert_bounded(0);
    victim.pair.at(End::Z).receive_tests();
    for _ in 0..50_000 {
        victim.take(&chunks);
    }
    victim.answer();
    assert_eq!((victim.answered, victim.is_open()), (0, true));
    let most = 65_536 * 200;
    assert!(victim.most <= most, "{} B are held, {most} B are allowed", victim.most);
    let end = victim.pair.at(End::Z);
    assert_eq!(end.missed_tests(), 100_000 - 65_536);
    let kept: Vec<usize> = std::iter::from_fn(|| end.poll_test()).map(|test| test.body.len()).collect();
    assert_eq!((kept.len(), &kept[..4]), (65_536, &[64, 1, 64, 1][..]));
    end.stop_receiving_tests();
}

#[test]
fn messages_of_one_byte_that_wait_to_be_sent_are_accounted_for() {
    let config = Config { send_buffer: ByteCount::from_mib(1), ..Config::rfc9260() };
    let mut pair = Pair::open(config, 1);
    pair.pipes[0].is_cut = true;
    let before = held();
    let queued =
        (0..1 << 20).take_while(|_| pair.try_send(End::A, 0, false, Bytes::from(vec![7])).is_ok()).count();
    let most = held().saturating_sub(before);
    assert!(queued > 4_000, "{queued} were taken");
    assert!(most <= (2 << 20) + OTHERWISE, "{queued} messages of one byte hold {most} B");
    pair.pipes[0].is_cut = false;
    let (mut received, all) = (0, queued);
    pair.run_until(Duration::from_secs(600), |pair| {
        received += pair.receive(End::Z).len();
        pair.log = Vec::new();
        received == all
    });
    assert_eq!(received, queued);
    pair.run_for(Duration::from_secs(1));
    let left = held().saturating_sub(before);
    assert!(left <= 1 << 20, "{left} B are kept although nothing waits");
}

/// A chunk of an unknown type that asks to be reported.
struct Unknown(Vec<u8>);

impl EncodeChunk for Unknown {
    fn kind(&self) -> u8 {
        0xdf
    }

    fn value_len(&self) -> usize {
        self.0.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        // 11 in the highest bits: to be passed over, and reported (RFC 9260 §3.2).
        out.extend_from_slice(&[0xdf, 0]);
        out.extend_from_slice(&(self.0.len() as u16 + 4).to_be_bytes());
        out.extend_from_slice(&self.0);
    }
}
