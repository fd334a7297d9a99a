//! The answers of an end to senders that have not proved their address: their number, their bytes, and those to
//! addresses that others name.

use std::net::SocketAddr;

use crate::pair::{End, Pair, address, packet};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::Ecn;
use anabranch_sctp::config::{Config, Failover, IpVersion};
use anabranch_sctp::endpoint::{Arrival, Channel};
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Checksum, Chunk, CookieEcho, EncodeChunk, Heartbeat, Init, Packet, Parameter, Sack, ShutdownAck,
    VerificationTag,
};
use bytes::Bytes;

fn init(parameters: Vec<Parameter>) -> Init {
    Init {
        initiate_tag: VerificationTag::new(0x0102_0304),
        a_rwnd: 100_000,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn::new(1),
        parameters,
    }
}

fn unknown_peer(last: [u8; 2]) -> SocketAddr {
    SocketAddr::from(([198, 51, last[0], last[1]], 777))
}

/// The number of `times` packets at once from these addresses Z answers.
fn answers(pair: &mut Pair, from: impl Fn(u32) -> SocketAddr, times: u32, bytes: &[u8]) -> usize {
    for number in 0..times {
        pair.inject_from(End::Z, from(number), bytes.to_vec());
    }
    pair.take_packets(End::Z).len()
}

fn listening() -> Pair {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair
}

#[test]
fn a_flood_of_inits_from_one_place_is_answered_at_a_bounded_rate_and_others_at_once() {
    let mut pair = listening();
    let asked = packet(VerificationTag::ZERO, &[&init(Vec::new())]);
    let flood = |number: u32| unknown_peer([100, number as u8]);
    assert_eq!(answers(&mut pair, flood, 1_000, &asked), 256, "a burst");
    let mut answered = 0;
    for _ in 0..100 {
        pair.run_for(Duration::from_millis(10));
        answered += answers(&mut pair, flood, 100, &asked);
        assert_eq!(answers(&mut pair, |_| unknown_peer([1, 1]), 1, &asked), 1, "somebody else");
    }
    assert_eq!(answered, 64, "in a second, of 10,000");
}

/// While the socket takes nothing, the memory of answers to strangers is bounded.
#[test]
fn no_more_than_256_answers_wait_to_be_sent() {
    let mut pair = listening();
    let asked = Bytes::from(packet(VerificationTag::ZERO, &[&init(Vec::new())]));
    let (now, local) = (pair.now, address(End::Z, 0));
    for number in 0..400_u16 {
        let (remote, bytes) = (unknown_peer(number.to_be_bytes()), asked.clone());
        let (ecn, memory) = (Ecn::NotEct, ByteCount::of_len(bytes.len()));
        pair.z.endpoint.handle(now, &Arrival { local, remote, channel: Channel::PLAIN, ecn, bytes, memory });
    }
    let mut bytes = Vec::new();
    let answers = std::iter::from_fn(|| pair.z.endpoint.poll_transmit(now, &mut bytes, 1));
    assert_eq!(answers.count(), 256);
}

#[test]
fn a_newcomer_opens_an_association_during_a_flood() {
    let mut pair = listening();
    let asked = packet(VerificationTag::ZERO, &[&init(Vec::new())]);
    answers(&mut pair, |number| unknown_peer([100, number as u8]), 5_000, &asked);
    pair.connect();
    for _ in 0..10 {
        pair.run_for(Duration::from_millis(10));
        answers(&mut pair, |number| unknown_peer([100, number as u8]), 500, &asked);
    }
    assert!(pair.at(End::A).is_open(), "at the first attempt");
}

/// RFC 9260 §8.4, rules 5 and 8.
#[test]
fn what_comes_out_of_the_blue_is_answered_at_a_bounded_rate() {
    let heartbeat = Heartbeat::new(vec![1; 8]);
    let chunks: [&dyn EncodeChunk; 2] = [&heartbeat, &ShutdownAck];
    for chunk in chunks {
        let mut pair = listening();
        let bytes = packet(VerificationTag::new(99), &[chunk]);
        assert_eq!(answers(&mut pair, |number| unknown_peer([100, number as u8]), 1_000, &bytes), 256);
        pair.run_for(Duration::from_secs(1));
        assert_eq!(answers(&mut pair, |number| unknown_peer([100, number as u8]), 1_000, &bytes), 64);
        let asked = packet(VerificationTag::ZERO, &[&init(Vec::new())]);
        assert_eq!(answers(&mut pair, |_| unknown_peer([100, 1]), 1, &asked), 1, "INITs are counted apart");
    }
}

#[test]
fn an_init_ack_is_at_most_three_and_a_half_times_as_long_as_its_init() {
    let v4 = |last: u8| Parameter::Ipv4Address([10, 7, 0, last].into());
    let unknown = || Parameter::Unknown { kind: 0xc0ff, value: Vec::new() };
    let asked = [
        Vec::new(),
        vec![Parameter::SupportedAddressTypes(vec![5, 6])],
        (1..=16).map(v4).collect(),
        (0..100).map(|_| unknown()).collect(),
        // ASCONF and its answer, which are answered with all that they need.
        vec![Parameter::SupportedExtensions(vec![0xc1, 0x80])],
    ];
    for version in [IpVersion::V4, IpVersion::V6] {
        for addresses in [1, 2, 16] {
            let config = Config { dynamic_addresses: true, ..Config::rfc9260() };
            let mut pair = Pair::over(config.clone(), config, &vec![version; addresses]);
            pair.keep_packets();
            for parameters in asked.clone() {
                let asked = packet(VerificationTag::ZERO, &[&init(parameters)]);
                pair.inject(End::Z, 0, asked.clone());
                pair.run_for(Duration::ZERO);
                let answer = pair.take_packets(End::Z).remove(0);
                let headers = match version {
                    IpVersion::V4 => 28,
                    IpVersion::V6 => 48,
                };
                let (out, into) = (answer.len() + headers, asked.len() + headers);
                assert!(10 * out <= 35 * into, "{out} bytes for {into} with the headers of UDP and IP");
            }
        }
    }
}

/// Addresses that a peer names and that do not answer are probed (RFC 9260 §5.4).
#[test]
fn addresses_that_never_answer_get_few_bytes_and_none_before_the_cookie_came_back() {
    let standard = Config::rfc9260();
    let quick = Failover { potentially_failed: 1, quick: true, ..standard.failover };
    for failover in [standard.failover, quick] {
        let mut pair = Pair::new(Config { failover, ..standard.clone() }, 16);
        pair.keep_packets();
        pair.pipes[1..].iter_mut().for_each(|pipe| pipe.is_cut = true);
        pair.connect();
        // INIT is answered, and the cookie is on its way.
        pair.run_for(Duration::from_millis(29));
        assert_eq!(bytes_elsewhere(&mut pair), 0);
        // A HEARTBEAT has 40 bytes: one in a time-out first, then six to each address and ever more rarely, at last one
        // in HB.interval and RTO.Max.
        let spans = [(10, 11), (600, 15 * 12), (600, 15 * 8)];
        for (seconds, heartbeats) in spans {
            pair.run_for(Duration::from_secs(seconds));
            let bytes = bytes_elsewhere(&mut pair);
            assert!((40..=40 * heartbeats).contains(&bytes), "{bytes} bytes in {seconds} seconds");
        }
        assert!(pair.at(End::Z).is_open());
    }
}

/// Returns the bytes from Z to every address of A but the first.
fn bytes_elsewhere(pair: &mut Pair) -> usize {
    let log = std::mem::take(&mut pair.log);
    log.iter().filter(|line| line.from == End::Z && line.pipe != 0).map(|line| line.bytes.len()).sum()
}

/// RFC 9260 §5.4: of an acceptor's paths the one that the INIT-ACK took is confirmed. An attacker that gets a cookie at
/// its own address may send it as if from another.
#[test]
fn a_cookie_that_comes_from_elsewhere_opens_no_way_for_data_there() {
    let mut pair = listening();
    pair.inject_from(End::Z, unknown_peer([100, 1]), packet(VerificationTag::ZERO, &[&init(Vec::new())]));
    let (tag, cookie) = cookie_of(&pair.take_packets(End::Z)[0]);
    let victim = unknown_peer([7, 7]);
    pair.inject_from(End::Z, victim, packet(tag, &[&CookieEcho { cookie: &cookie }]));
    assert!(pair.at(End::Z).is_open());
    for _ in 0..20 {
        let _ = pair.try_send(End::Z, 0, false, Bytes::from_static(&[7; 10_000]));
        pair.run_for(Duration::from_millis(500));
        // The end that opened it has the first TSN, and acknowledges what it does not see.
        let Some((_, acked)) = pair.at(End::Z).ack_points() else { break };
        let sack = Sack {
            cumulative_tsn_ack: acked.next(),
            a_rwnd: 100_000,
            flags: 0,
            gap_blocks: [].as_slice().into(),
            duplicates: [].as_slice().into(),
        };
        pair.inject_from(End::Z, unknown_peer([100, 1]), packet(tag, &[&sack]));
    }
    let there = pair.log.iter().filter(|line| line.from == End::Z && line.text.contains("198.51.7.7"));
    let (count, bytes) = there.fold((0, 0), |(count, bytes), line| {
        assert!(!line.text.contains("DATA"), "{}", line.text);
        (count + 1, bytes + line.bytes.len())
    });
    assert!(bytes <= 500, "{count} packets of {bytes} bytes to a host that did not ask for anything");
}

fn cookie_of(bytes: &Bytes) -> (VerificationTag, Vec<u8>) {
    let answer = Packet::decode(bytes, Checksum::Crc32c).expect("sound");
    let Some(Ok(Chunk::InitAck(ack))) = answer.chunks().next() else { panic!("no INIT-ACK") };
    let cookie = ack.parameters.into_iter().find_map(|parameter| match parameter {
        Parameter::StateCookie(cookie) => Some(cookie),
        _ => None,
    });
    (ack.initiate_tag, cookie.expect("a cookie"))
}
