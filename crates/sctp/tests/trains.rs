//! Datagrams that arrive together do what they would do one after the other, and what is kept of them keeps no memory
//! that is not counted.

use anabranch_base::ByteCount;
use anabranch_sctp::association::Ecn;
use anabranch_sctp::config::{Config, SackBatch};
use anabranch_sctp::endpoint::{Channel, Endpoint, Train};
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Abort, Data, Duplicates, EncodeChunk, GapBlocks, Heartbeat, PathRole, Ppid, Sack, StreamId,
    VerificationTag,
};
use bytes::Bytes;
use proptest::prelude::*;

use crate::counting::{allocated, held};
use crate::pair::{End, Pair, packet};

/// The kind of a packet of the peer.
#[derive(Clone, Debug)]
enum Kind {
    /// DATA with the TSN so far behind or ahead of the next, a whole message or a part of one.
    Data {
        ahead: i32,
        is_whole: bool,
        stream: u16,
        length: usize,
    },
    Sack,
    Heartbeat,
    /// DATA with somebody else's tag.
    WrongTag,
    /// DATA with a bit that changed on the way.
    Damaged,
    Short,
    Abort,
}

fn any_kind() -> impl Strategy<Value = Kind> {
    let data =
        (prop_oneof![8 => Just(0), 1 => -3..4_i32], prop::bool::weighted(0.9), 0..12_u16, 1..1_400_usize)
            .prop_map(|(ahead, is_whole, stream, length)| Kind::Data { ahead, is_whole, stream, length });
    prop_oneof![
        40 => data,
        2 => Just(Kind::Sack),
        2 => Just(Kind::Heartbeat),
        1 => Just(Kind::WrongTag),
        1 => Just(Kind::Damaged),
        1 => Just(Kind::Short),
        1 => Just(Kind::Abort),
    ]
}

/// The packets of a peer that has this association with `pair`.
fn packets(pair: &mut Pair, kinds: &[Kind]) -> Vec<Vec<u8>> {
    let tag = pair.at(End::Z).tags().0;
    let (before, acked) = pair.at(End::Z).ack_points().expect("it is open");
    let mut next = before.next();
    kinds
        .iter()
        .map(|kind| match *kind {
            Kind::Data { ahead, is_whole, stream, length } => {
                let tsn = Tsn::new(next.get().wrapping_add_signed(ahead));
                next = if ahead == 0 { next.next() } else { next };
                // Without an order, so that no SSN comes twice.
                let data = Data { stream: StreamId::new(stream), ending: is_whole, ..whole(tsn) };
                packet(tag, &[&Data { payload: &vec![7; length], ..data }])
            }
            Kind::Sack => packet(tag, &[&sack(acked)]),
            Kind::Heartbeat => packet(tag, &[&Heartbeat { info: b"who".to_vec(), role: PathRole::Ordinary }]),
            Kind::WrongTag => {
                let other = VerificationTag::new(tag.get() ^ 1);
                packet(other, &[&Data { payload: b"x", ..whole(next) }])
            }
            Kind::Damaged => {
                let mut bytes = packet(tag, &[&Data { payload: b"x", ..whole(next) }]);
                bytes[20] ^= 1;
                bytes
            }
            Kind::Short => vec![0; 5],
            Kind::Abort => packet(tag, &[&Abort { tag_reflected: false, causes: Vec::new() }]),
        })
        .collect()
}

fn whole(tsn: Tsn) -> Data<'static> {
    let (ssn, ppid) = (Ssn::new(0), Ppid::new(0));
    let stream = StreamId::new(0);
    Data {
        tsn,
        stream,
        ssn,
        ppid,
        unordered: true,
        beginning: true,
        ending: true,
        immediate: false,
        payload: b"x",
    }
}

fn sack(acked: Tsn) -> Sack<'static> {
    let (gap_blocks, duplicates) = (GapBlocks::EMPTY, Duplicates::EMPTY);
    Sack { cumulative_tsn_ack: acked, a_rwnd: 100_000, flags: 0, gap_blocks, duplicates }
}

/// The packets arrive at Z together, in one piece of memory of which `memory` is allocated.
fn arrive(pair: &mut Pair, packets: &[Vec<u8>], memory: usize, answer: impl FnMut(&mut Endpoint)) {
    let bytes = Bytes::from(packets.concat());
    let ends: Vec<usize> = packets
        .iter()
        .scan(0, |end, packet| {
            *end += packet.len();
            Some(*end)
        })
        .collect();
    let places: Vec<_> = packets.iter().zip(&ends).map(|(packet, end)| end - packet.len()..*end).collect();
    let train = Train {
        local: pair.address(End::Z, 0),
        remote: pair.address(End::A, 0),
        channel: Channel::PLAIN,
        ecn: Ecn::NotEct,
        bytes: &bytes,
        memory: ByteCount::of_len(memory),
        packets: &places,
    };
    let now = pair.now;
    pair.z.endpoint.handle_train(now, &train, answer);
}

/// Returns the state of Z: its packets, its messages, its acknowledgements.
fn outcome(pair: &mut Pair, mut sent: Vec<u8>) -> (Vec<u8>, Vec<Vec<u8>>, String) {
    let now = pair.now;
    while pair.z.endpoint.poll_transmit(now, &mut sent, 1).is_some() {}
    let read = pair.receive(End::Z).into_iter().map(|message| message.to_vec()).collect();
    let end = pair.at(End::Z);
    (sent, read, format!("{:?} {:?} {:?}", end.state(), end.ack_points(), end.poll_timeout()))
}

proptest! {
    #[test]
    fn a_train_does_what_its_packets_do_one_after_the_other(
        kinds in prop::collection::vec(any_kind(), 1..100),
        is_whole in any::<bool>(),
    ) {
        let mut config = Config::rfc9260();
        config.sack.batch = if is_whole { SackBatch::Whole } else { SackBatch::Each };
        let [mut together, mut apart] = [(); 2].map(|()| Pair::open(config.clone(), 1));
        let packets = packets(&mut together, &kinds);
        let now = together.now;
        let [mut sent, mut sent_apart] = [Vec::new(), Vec::new()];
        let collect = |endpoint: &mut Endpoint, sent: &mut Vec<u8>| {
            while endpoint.poll_transmit(now, sent, 1).is_some() {}
        };
        arrive(&mut together, &packets, 1 << 16, |endpoint| collect(endpoint, &mut sent));
        prop_assert!(!is_whole || sent.is_empty(), "one answer for all");
        for one in &packets {
            arrive(&mut apart, std::slice::from_ref(one), one.len(), |_| ());
            if !is_whole {
                collect(&mut apart.z.endpoint, &mut sent_apart);
            }
        }
        prop_assert_eq!(outcome(&mut together, sent), outcome(&mut apart, sent_apart));
    }
}

/// A packet for the end with this tag, whose next TSN is this one.
type Packet = fn(Tsn, VerificationTag) -> Vec<u8>;

/// A peer that makes an end keep one packet of each train: the others are discarded, each for another reason.
#[test]
fn one_packet_kept_of_each_train_does_not_keep_the_train() {
    const BUFFER: ByteCount = ByteCount::from_kib(256);
    let others: [(&str, Packet); 5] = [
        ("duplicates", |next, tag| data(tag, Tsn::new(next.get().wrapping_sub(1)), 0)),
        ("no such stream", |next, tag| data(tag, next.plus(1), 999)),
        ("another tag", |next, tag| data(VerificationTag::new(tag.get() ^ 1), next.plus(1), 0)),
        ("beyond reach", |next, tag| data(tag, next.plus(1 << 30), 0)),
        ("damaged", |next, tag| {
            let mut bytes = data(tag, next.plus(1), 0);
            bytes[100] ^= 1;
            bytes
        }),
    ];
    for (why, other) in others {
        let config =
            Config { receive_buffer: BUFFER, inbound_streams: 16, outbound_streams: 16, ..Config::rfc9260() };
        let mut pair = Pair::open(config, 1);
        pair.log = Vec::new();
        let tag = pair.at(End::Z).tags().0;
        let before = held();
        for _ in 0..100 {
            let (last, _) = pair.at(End::Z).ack_points().expect("it is open");
            let next = last.next();
            let mut packets = vec![data(tag, next, 0)];
            packets.resize(46, other(next, tag));
            arrive(&mut pair, &packets, 1 << 16, |_| ());
            let mut answer = Vec::new();
            let now = pair.now;
            while pair.z.endpoint.poll_transmit(now, &mut answer, 1).is_some() {}
        }
        assert!(pair.at(End::Z).received_bytes_held() >= ByteCount::new(100 * 1_400), "{why}");
        let kept = held() - before;
        assert!(kept <= 2 * BUFFER.get() + (128 << 10), "{why}: {kept} B are held");
    }
}

/// A packet with a whole message of 1,400 bytes.
fn data(tag: VerificationTag, tsn: Tsn, stream: u16) -> Vec<u8> {
    let chunk = Data { stream: StreamId::new(stream), payload: &[7; 1_400], ..whole(tsn) };
    let chunk: &dyn EncodeChunk = &chunk;
    packet(tag, &[chunk])
}

#[test]
fn data_of_a_train_that_is_kept_stays_where_it_is() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let kinds = vec![Kind::Data { ahead: 0, is_whole: true, stream: 0, length: 1_400 }; 40];
    let packets = packets(&mut pair, &kinds);
    let before = allocated().bytes;
    arrive(&mut pair, &packets, 1 << 16, |_| ());
    let cost = allocated().bytes - before;
    // The train's own memory, and the lists of messages: no payload was copied.
    let own = packets.concat().len() as u64 + 40 * 32;
    assert!(cost < own + 20_000, "{cost} B were allocated, {own} B are the train");
    assert_eq!(pair.receive(End::Z).len(), 40);
}
