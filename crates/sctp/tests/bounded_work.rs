//! The work that a peer, or an attacker that can write in its name, can cause at an end: counted by examined chunks
//! and answers, and bounded by received and sent data. `bounded_memory.rs` has what it can make an end keep.

use std::net::SocketAddr;

use crate::in_flight::{self, CHUNKS, examined, sack};
use crate::pair::{End, PORT, Pair, packet};
use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::association::Ecn;
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, Channel, Endpoint, EndpointConfig, join};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Abort, Asconf, CookieEcho, EncodeChunk, GapBlock, HeartbeatAck, Init, Parameter, Shutdown,
    VerificationTag,
};
use bytes::Bytes;

/// Two ends by the RFC's rules, of which A has chunks in flight that have not arrived.
fn sending() -> Pair {
    in_flight::sending(&Registry::standard(), Config::rfc9260())
}

/// The chunks but the first.
const ALL: [GapBlock; 1] = [GapBlock { start: 2, end: CHUNKS }];

#[test]
fn a_packet_full_of_sacks_costs_no_more_than_one_of_them() {
    let mut pair = sending();
    let (all, none) = (sack(&mut pair, &ALL), sack(&mut pair, &[]));
    let alternating: Vec<&dyn EncodeChunk> =
        (0..2_000).map(|number| if number % 2 == 0 { &all as _ } else { &none as _ }).collect();
    pair.forge(End::A, &alternating);
    let work = examined(&mut pair);
    assert!((1..=2 * u64::from(CHUNKS)).contains(&work), "{work} blocks and chunks were looked at");
    assert!(pair.at(End::A).is_open());
}

#[test]
fn a_packet_full_of_shutdowns_costs_no_more_than_one_of_them() {
    let mut pair = sending();
    let every_other: Vec<GapBlock> =
        (1..CHUNKS / 2).map(|number| GapBlock { start: 2 * number, end: 2 * number }).collect();
    let scattered = sack(&mut pair, &every_other);
    pair.forge(End::A, &[&scattered]);
    let before = examined(&mut pair);
    let shutdown = Shutdown { cumulative_tsn_ack: scattered.cumulative_tsn_ack };
    pair.forge(End::A, &vec![&shutdown as &dyn EncodeChunk; 2_000]);
    let work = examined(&mut pair) - before;
    assert!((1..=2 * u64::from(CHUNKS)).contains(&work), "{work} blocks and chunks were looked at");
}

/// Honest peers never renege, except that SACKs overtake one another on several return paths.
#[test]
fn what_is_taken_back_again_and_again_costs_a_multiple_of_what_was_sent_and_arrives_all_the_same() {
    let mut pair = sending();
    let (all, none) = (sack(&mut pair, &ALL), sack(&mut pair, &[]));
    for _ in 0..500 {
        pair.forge(End::A, &[&all]);
        pair.forge(End::A, &[&none]);
    }
    let (work, chunks) = (examined(&mut pair), u64::from(CHUNKS));
    // Each may be taken back 16 times, and a whole window before; then it is acknowledged again. Each SACK may cost some
    // steps of its own.
    let bound = 2 * chunks + 2 * (65_535 + 16 * chunks) + 4 * 1_000;
    assert!((2 * 65_535..=bound).contains(&work), "{work} blocks and chunks were looked at");
    // Nothing of it is true: the receiver has none of them.
    pair.pipes[0].drop_next = [0; 2];
    let mut received = 0;
    pair.run_until(Duration::from_secs(600), |pair| {
        received += pair.receive(End::Z).len();
        received == usize::from(CHUNKS)
    });
    assert_eq!(received, usize::from(CHUNKS), "{:?}", pair.a.events);
}

/// The number of COOKIE-ACKs that left Z since it was asked last.
fn cookie_acks(pair: &mut Pair) -> usize {
    let log = pair.take_log();
    log.iter().map(|line| line.matches("COOKIE-ACK").count()).sum()
}

/// RFC 9260 §5.1 C: "it MUST be the first chunk in the packet". Only that one is looked into.
#[test]
fn a_cookie_behind_another_chunk_is_not_acknowledged() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let (other, echo) = (HeartbeatAck::new(Vec::new()), CookieEcho { cookie: b"" });
    let mut chunks: Vec<&dyn EncodeChunk> = vec![&echo; 10_000];
    chunks.insert(0, &other);
    pair.forge(End::Z, &chunks);
    assert_eq!(cookie_acks(&mut pair), 0);
    pair.assert_flows();
}

#[test]
fn a_cookie_that_comes_ten_thousand_times_at_once_is_acknowledged_a_bounded_number_of_times() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_secs(1));
    let echo = pair.take_packets(End::A).remove(1);
    let (local, remote) = (pair.address(End::Z, 0), pair.address(End::A, 0));
    for is_closing in [false, true] {
        if is_closing {
            pair.pipes[0].is_cut = true;
            pair.send(End::Z, 10);
            pair.close(End::Z);
            pair.take_log();
        }
        for _ in 0..10_000 {
            let now = pair.now;
            pair.z.endpoint.handle(now, &arrival(local, remote, echo.clone()));
        }
        pair.settle(End::Z);
        let answers = cookie_acks(&mut pair);
        assert!((1..=64).contains(&answers), "{answers} answers");
    }
}

fn arrival(local: SocketAddr, remote: SocketAddr, bytes: Bytes) -> Arrival {
    let memory = ByteCount::of_len(bytes.len());
    Arrival { local, remote, channel: Channel::PLAIN, ecn: Ecn::NotEct, bytes, memory }
}

/// The number of associations an end has.
const PEERS: usize = 1_024;

fn peer(number: usize) -> SocketAddr {
    SocketAddr::from(([10, 1 + (number >> 8) as u8, number as u8, 1], PORT))
}

fn endpoint(local: SocketAddr) -> Endpoint {
    let config = EndpointConfig {
        association: Config { dynamic_addresses: true, ..Config::rfc9260() },
        registry: Registry::standard(),
        port: PORT,
        accepts: true,
        local: vec![local],
        max_associations: 2 * PEERS,
    };
    Endpoint::new(config, Seed::from_number(u64::from(local.port()))).expect("good settings")
}

#[test]
fn packets_without_our_tag_cost_the_same_however_many_associations_there_are() {
    let end = SocketAddr::from(([10, 0, 0, 1], PORT));
    let mut crowded = endpoint(end);
    let (mut first, mut tag) = (None, None);
    for number in 0..PEERS {
        let mut other = endpoint(peer(number));
        let (id, theirs) = join(Time::ZERO, &mut crowded, &mut other).expect("strangers");
        first.get_or_insert(id);
        tag = other.association(theirs).map(|association| association.tags().0);
    }
    let own = crowded.association(first.expect("some")).expect("alive").tags().0;
    let init = Init {
        initiate_tag: VerificationTag::new(7),
        a_rwnd: 100_000,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn::new(1),
        parameters: Vec::new(),
    };
    let abort = Abort { tag_reflected: true, causes: Vec::new() };
    let address = |number| Parameter::AddAddress { id: 0, address: peer(number).ip() };
    let lookup = Parameter::Ipv4Address([10, 1, 0, 1].into());
    let asconf = Asconf { serial: Tsn::new(1), parameters: vec![lookup, address(PEERS), address(9)] };
    let packets: [(usize, VerificationTag, &dyn EncodeChunk); 6] = [
        (PEERS, VerificationTag::ZERO, &init),
        (PEERS - 1, VerificationTag::ZERO, &init),
        (PEERS, tag.expect("some"), &abort),
        (PEERS - 1, VerificationTag::new(5), &abort),
        (0, own, &asconf),
        (PEERS - 1, tag.expect("some"), &abort),
    ];
    for (from, tag, chunk) in packets {
        let before = crowded.examined();
        crowded.handle(Time::ZERO, &arrival(end, peer(from), packet(tag, &[chunk]).into()));
        let examined = crowded.examined() - before;
        assert!(examined <= 3, "{examined} associations were looked at for {}", chunk.kind());
    }
    let open = (0..PEERS).filter(|_| crowded.poll_event().is_some()).count();
    assert_eq!(open, PEERS, "each tells that it is open");
    let mut closed = std::iter::from_fn(|| crowded.poll_event());
    assert!(closed.next().is_some(), "and the last one is over by the ABORT of its peer");
}
