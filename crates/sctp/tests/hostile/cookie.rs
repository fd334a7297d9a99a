//! The laws for any bytes that are presented as a cookie.

use std::net::SocketAddr;

use anabranch_base::{Duration, Time};
use anabranch_sctp::association::cookie::StateCookie;
use anabranch_sctp::association::{Features, OfferedExtensions, PeerExtensions, ReceiverRules};
use anabranch_sctp::config::Config;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Checksum, Chunk, CookieEcho, Packet, Parameter, VerificationTag};

use super::Input;
use crate::pair::{End, Pair, packet_with};

/// Only cookies pass as cookies, a cookie survives being sealed, and an endpoint accepts its own cookie and no other.
pub(crate) fn cookie(bytes: &[u8]) {
    let key = [7; 32];
    assert!(StateCookie::open(bytes, &key).is_err(), "a signature cannot be guessed");
    let mut input = Input::new(bytes);
    let mut edits = Input::new(bytes);
    let cookie = fuzzed(&mut input);
    let sealed = cookie.seal(&key);
    assert_eq!(StateCookie::open(&sealed, &key).as_ref(), Ok(&cookie));
    assert!(StateCookie::open(&changed(&sealed, &mut input), &key).is_err());
    echo(&mut edits, bytes);
}

fn fuzzed(input: &mut Input<'_>) -> StateCookie {
    let socket = |input: &mut Input<'_>| {
        SocketAddr::from(([input.byte(), input.byte(), input.byte(), input.byte()], input.u16()))
    };
    let tag = |input: &mut Input<'_>| VerificationTag::new(input.u32());
    StateCookie {
        created: Time::from_nanos(u64::from(input.u32())),
        lifetime: Duration::from_nanos(u64::from(input.u32())),
        local_tag: tag(input),
        peer_tag: tag(input),
        tie_tags: (tag(input), tag(input)),
        local_tsn: Tsn::new(input.u32()),
        peer_tsn: Tsn::new(input.u32()),
        peer_window: input.u32(),
        outbound_streams: input.u16(),
        inbound_streams: input.u16(),
        local_port: input.u16(),
        peer_port: input.u16(),
        local: socket(input),
        remote: socket(input),
        announced: (0..input.below(16))
            .map(|_| socket(input).ip())
            .filter(|ip| !ip.is_unspecified())
            .collect(),
        ecn: input.is_one_in(2),
        features: Features::from_bits(input.byte() & 31),
        receiver: ReceiverRules::from_bits(input.byte()),
        extensions: input.is_one_in(2).then(|| extensions(input)),
    }
}

/// Returns the extensions that an INIT of fuzzed parameters offers.
fn extensions(input: &mut Input<'_>) -> OfferedExtensions {
    let config = Config { dynamic_addresses: true, ..Config::rfc9260() };
    let offered = [
        Parameter::Random(vec![input.byte(); 32]),
        Parameter::ChunkList(input.slice(260).to_vec()),
        Parameter::HmacAlgorithms((0..input.below(20)).map(|_| input.u16() % 5).collect()),
        Parameter::SupportedExtensions(vec![input.byte() | 0xc1, 0x80]),
    ];
    let offer = PeerExtensions::read(&config, &offered).expect("a random number of 32 bytes");
    OfferedExtensions { random: [input.byte(); 32], offer }
}

/// The same bytes with a few changed, removed or added: never unchanged.
fn changed(sealed: &[u8], input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = sealed.to_vec();
    for _ in 0..1 + input.below(4) {
        let at = usize::from(input.u16()) % bytes.len();
        match input.below(4) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.insert(at, input.byte()),
            _ => bytes[at] ^= input.byte() | 1,
        }
    }
    if bytes == sealed {
        bytes[0] ^= 1;
    }
    bytes
}

/// A handshake in which a changed COOKIE-ECHO and one of any bytes overtake the real one.
fn echo(input: &mut Input<'_>, bytes: &[u8]) {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_millis(25));
    let echo = pair.take_packets(End::A).pop().expect("A answered the INIT-ACK");
    let packet = Packet::decode(&echo, Checksum::Crc32c).expect("A sends sound packets");
    let Some(Ok(Chunk::CookieEcho(real))) = packet.chunks().next() else { panic!("it is not a COOKIE-ECHO") };
    for forged in [changed(real.cookie, input).as_slice(), &bytes[..bytes.len().min(1_000)]] {
        pair.inject(End::Z, 0, packet_with(packet.header(), &[&CookieEcho { cookie: forged }]));
        pair.run_for(Duration::ZERO);
        assert!(pair.z.endpoint.is_empty(), "a forged cookie opens nothing");
    }
    pair.run_for(Duration::from_millis(5));
    assert_eq!(pair.z.endpoint.len(), 1, "the real one still does");
}
