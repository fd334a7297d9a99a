//! What must hold for any bytes whatever: the bodies of the fuzz targets of this crate. `hostile_bytes.rs`
//! runs them on inputs of its own, so that they are exercised without a fuzzer too.
#![allow(dead_code, reason = "each fuzz target uses one of the bodies")]

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::check_init;
use anabranch_sctp::association::cookie::StateCookie;
use anabranch_sctp::config::Config;
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Abort, Cause, Checksum, Chunk, CommonHeader, CookieEcho, Data, EncodeChunk, ErrorChunk, GapBlock,
    Heartbeat, HeartbeatAck, InitAck, Packet, PacketBuilder, Parameter, Ppid, Sack, Shutdown, ShutdownAck,
    StreamId, VerificationTag,
};
use bytes::Bytes;

use crate::pair::{End, PORT, Pair};

/// Numbers and slices taken from fuzzed bytes; zeros when they are used up.
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    pub fn u32(&mut self) -> u32 {
        u32::from(self.u16()) << 16 | u32::from(self.u16())
    }

    /// A slice whose length, at most `most`, is fuzzed too.
    pub fn slice(&mut self, most: usize) -> &'a [u8] {
        let length = usize::from(self.u16()).min(most).min(self.rest.len());
        let (slice, rest) = self.rest.split_at(length);
        self.rest = rest;
        slice
    }
}

/// A packet of any bytes is read to its end without a panic, with and without its checksum, and what could
/// be read can be shown.
pub fn packet(bytes: &[u8]) {
    for checksum in [Checksum::Omitted, Checksum::Crc32c] {
        let Ok(packet) = Packet::decode(bytes, checksum) else { continue };
        let mut shown = packet.header().to_string().len();
        let mut count = 0;
        for chunk in packet.chunks() {
            shown += chunk.map_or_else(|error| error.to_string().len(), |chunk| chunk.to_string().len());
            count += 1;
        }
        assert!(count <= bytes.len() / 4 + 1, "every chunk takes four bytes");
        assert!(count == 0 || shown > 0);
    }
}

/// Chunks of any content survive being written and read, and a packet that is changed is refused or read.
pub fn chunks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut buffer = Vec::new();
    let header = CommonHeader {
        source_port: input.u16(),
        destination_port: input.u16(),
        verification_tag: VerificationTag::new(input.u32()),
    };
    let limit = usize::from(input.u16()).max(64);
    let mut builder = PacketBuilder::new(&mut buffer, header, limit);
    let mut written = 0;
    while !input.is_empty() && written < 64 {
        written += usize::from(push_chunk(&mut input, &mut builder));
    }
    let length = builder.finish(Checksum::Crc32c);
    assert_eq!(length, buffer.len());
    if written == 0 {
        return;
    }
    assert!(length <= limit);
    let packet = Packet::decode(&buffer, Checksum::Crc32c).expect("it was just written");
    assert_eq!(packet.header(), header);
    let read: Vec<Chunk<'_>> = packet.chunks().map(|chunk| chunk.expect("sound")).collect();
    assert_eq!(read.len(), written);
    let at = usize::from(input.u16()) % length;
    let mut changed = buffer.clone();
    changed[at] ^= 1 << (at % 8);
    assert!(Packet::decode(&changed, Checksum::Crc32c).is_err(), "CRC32c finds every single bit");
    self::packet(&changed);
}

/// Writes one chunk of fuzzed content; whether it fitted.
fn push_chunk(input: &mut Input<'_>, builder: &mut PacketBuilder<'_>) -> bool {
    let kind = input.byte();
    let numbers: Vec<(u16, u16)> = (0..input.byte() % 8).map(|_| (input.u16(), input.u16())).collect();
    let gaps: Vec<GapBlock> = numbers.iter().map(|&(start, end)| GapBlock { start, end }).collect();
    let duplicates: Vec<Tsn> = numbers.iter().map(|&(tsn, _)| Tsn::new(u32::from(tsn))).collect();
    let tsn = Tsn::new(input.u32());
    let bytes = input.slice(2_000);
    let flags = input.byte();
    let data = Data {
        tsn,
        stream: StreamId::new(input.u16()),
        ssn: Ssn::new(input.u16()),
        ppid: Ppid::new(input.u32()),
        unordered: flags & 1 != 0,
        beginning: flags & 2 != 0,
        ending: flags & 4 != 0,
        immediate: flags & 8 != 0,
        payload: if bytes.is_empty() { b"x" } else { bytes },
    };
    let sack = Sack {
        cumulative_tsn_ack: tsn,
        a_rwnd: input.u32(),
        flags,
        gap_blocks: gaps.as_slice().into(),
        duplicates: duplicates.as_slice().into(),
    };
    let init = InitAck {
        initiate_tag: VerificationTag::new(input.u32()),
        a_rwnd: input.u32(),
        outbound_streams: input.u16(),
        inbound_streams: input.u16(),
        initial_tsn: tsn,
        parameters: vec![Parameter::StateCookie(bytes.to_vec())],
    };
    let causes = vec![Cause::ProtocolViolation(bytes.to_vec())];
    let chunk: Box<dyn EncodeChunk + '_> = match kind % 10 {
        0 => Box::new(data),
        1 => Box::new(sack),
        2 => Box::new(init),
        3 => Box::new(Heartbeat { info: bytes.to_vec() }),
        4 => Box::new(HeartbeatAck { info: bytes.to_vec() }),
        5 => Box::new(Abort { tag_reflected: flags & 1 != 0, causes }),
        6 => Box::new(ErrorChunk { causes }),
        7 => Box::new(Shutdown { cumulative_tsn_ack: tsn }),
        8 => Box::new(CookieEcho { cookie: bytes }),
        _ => Box::new(ShutdownAck),
    };
    builder.push(chunk.as_ref()).is_ok()
}

/// Parameters and causes of any bytes are read without a panic; what is read writes itself as it was, and an
/// INIT with it is judged.
pub fn parameters(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kind = [1, 2, 6, 9][usize::from(input.byte() % 4)];
    let fixed = if kind <= 2 { 16 } else { 0 };
    let length = (4 + bytes.len().max(fixed)).min(60_000);
    let mut raw = vec![0; 12];
    raw.extend([kind, 0]);
    raw.extend((length as u16).to_be_bytes());
    raw.extend(bytes.iter().take(length - 4));
    raw.resize(12 + length.next_multiple_of(4), 0);
    let Ok(packet) = Packet::decode(&raw, Checksum::Omitted) else { return };
    for chunk in packet.chunks().map_while(Result::ok) {
        match &chunk {
            Chunk::Init(init) => {
                let _ = check_init(init);
                init.parameters.iter().for_each(check_parameter);
            }
            Chunk::InitAck(ack) => {
                let _ = check_init(ack);
                ack.parameters.iter().for_each(check_parameter);
            }
            Chunk::Abort(Abort { causes, .. }) | Chunk::Error(ErrorChunk { causes }) => {
                for cause in causes {
                    assert!(cause.to_bytes().len() >= 4);
                    assert!(!cause.to_string().is_empty());
                }
            }
            _ => {}
        }
    }
}

fn check_parameter(parameter: &Parameter) {
    assert!(parameter.to_bytes().len() >= 4);
    assert!(!parameter.to_string().is_empty());
}

/// No bytes pass for a cookie that are none, a cookie survives being sealed, and an endpoint makes no
/// association of a cookie that was changed.
pub fn cookie(bytes: &[u8]) {
    let key = [7; 32];
    assert!(StateCookie::open(bytes, &key).is_err(), "nobody guesses a signature");
    let mut input = Input::new(bytes);
    let socket = |input: &mut Input<'_>| {
        SocketAddr::from(([input.byte(), input.byte(), input.byte(), input.byte()], input.u16()))
    };
    let tag = |input: &mut Input<'_>| VerificationTag::new(input.u32());
    let sealed = StateCookie {
        created: Time::from_nanos(u64::from(input.u32())),
        lifetime: Duration::from_nanos(u64::from(input.u32())),
        local_tag: tag(&mut input),
        peer_tag: tag(&mut input),
        tie_tags: (tag(&mut input), tag(&mut input)),
        local_tsn: Tsn::new(input.u32()),
        peer_tsn: Tsn::new(input.u32()),
        peer_window: input.u32(),
        outbound_streams: input.u16(),
        inbound_streams: input.u16(),
        local_port: input.u16(),
        peer_port: input.u16(),
        local: socket(&mut input),
        remote: socket(&mut input),
        announced: (0..input.byte() % 16).map(|_| socket(&mut input).ip()).collect(),
    };
    let mut whole = sealed.seal(&key);
    assert_eq!(StateCookie::open(&whole, &key).as_ref(), Ok(&sealed));
    let at = usize::from(input.u16()) % whole.len();
    whole[at] ^= input.byte() | 1;
    assert!(StateCookie::open(&whole, &key).is_err());
    echo_changed_cookie(bytes);
}

/// A real handshake whose COOKIE-ECHO is changed on the way, the checksum set right again.
fn echo_changed_cookie(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_millis(25));
    let echo = pair.take_packets(End::A).pop().expect("A answered the INIT-ACK");
    let packet = Packet::decode(&echo, Checksum::Crc32c).expect("A sends sound packets");
    let Some(Ok(Chunk::CookieEcho(real))) = packet.chunks().next() else { panic!("it is no COOKIE-ECHO") };
    let mut cookie = real.cookie.to_vec();
    let at = usize::from(input.u16()) % cookie.len();
    cookie[at] ^= input.byte() | 1;
    let mut forged = Vec::new();
    let mut builder = PacketBuilder::new(&mut forged, packet.header(), 2_000);
    builder.push(&CookieEcho { cookie: &cookie }).expect("it fits");
    builder.finish(Checksum::Crc32c);
    pair.inject(End::Z, 0, forged);
    pair.run_for(Duration::ZERO);
    assert!(pair.z.endpoint.is_empty(), "a forged cookie opens nothing");
}

/// A peer that knows the tag and sends whatever it likes, in any state: nothing panics, memory stays bounded,
/// and every stretch of time ends.
pub fn association(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let config = Config {
        receive_buffer: ByteCount::new(20_000),
        send_buffer: ByteCount::new(20_000),
        ..Config::rfc9260()
    };
    let mut pair = Pair::new(config.clone(), 1 + usize::from(input.byte() % 2));
    pair.connect();
    pair.run_for(Duration::from_millis(u64::from(input.byte() % 64)));
    for _ in 0..200 {
        if input.is_empty() {
            break;
        }
        match input.byte() % 12 {
            0 => pair.run_for(Duration::from_millis(u64::from(input.byte()))),
            1 => pair.run_for(Duration::from_millis(u64::from(input.u16()))),
            2 if pair.z.id.is_some() => pair.close(End::Z),
            3 if pair.z.id.is_some() => {
                let payload = Bytes::copy_from_slice(input.slice(4_000));
                let _ = pair.try_send(
                    End::Z,
                    u16::from(input.byte() % 20),
                    input.byte().is_multiple_of(2),
                    payload,
                );
            }
            4 => {
                pair.receive(End::Z);
            }
            _ => attack(&mut input, &mut pair),
        }
        check_bounds(&mut pair, &config);
    }
    let mut steps = 0;
    pair.run_until(Duration::from_secs(30), |_| {
        steps += 1;
        steps > 50_000
    });
    assert!(steps <= 50_000, "thirty seconds of silence are not a storm");
}

/// One packet to Z with its tag, or now and then another.
fn attack(input: &mut Input<'_>, pair: &mut Pair) {
    let tag = match pair.z.id {
        Some(_) if !input.byte().is_multiple_of(16) => pair.at(End::Z).tags().0,
        _ => VerificationTag::new(input.u32()),
    };
    let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
    let mut packet = Vec::new();
    let mut builder = PacketBuilder::new(&mut packet, header, 4_000);
    let mut any = false;
    for _ in 0..1 + input.byte() % 3 {
        any |= push_near(input, &mut builder, pair);
    }
    if !any || builder.finish(Checksum::Crc32c) == 0 {
        return;
    }
    pair.inject(End::Z, 0, packet);
    pair.run_for(Duration::ZERO);
}

/// A chunk whose numbers lie near those in use, so that it is not simply too old or too new.
fn push_near(input: &mut Input<'_>, builder: &mut PacketBuilder<'_>, pair: &mut Pair) -> bool {
    let kind = input.byte();
    if kind.is_multiple_of(4) || pair.z.id.is_none() {
        return push_chunk(input, builder);
    }
    let (arrived, sent) = pair.at(End::Z).ack_points().unwrap_or((Tsn::new(0), Tsn::new(0)));
    let flags = input.byte();
    if kind % 4 == 3 {
        let gaps: Vec<GapBlock> = (0..input.byte() % 4)
            .map(|_| GapBlock { start: u16::from(input.byte() % 16), end: u16::from(input.byte() % 16) })
            .collect();
        let sack = Sack {
            cumulative_tsn_ack: Tsn::new(
                sent.get().wrapping_add(u32::from(input.byte() % 8)).wrapping_sub(4),
            ),
            a_rwnd: u32::from(input.u16()),
            flags,
            gap_blocks: gaps.as_slice().into(),
            duplicates: [].as_slice().into(),
        };
        return builder.push(&sack).is_ok();
    }
    let payload = input.slice(1_400);
    let data = Data {
        tsn: Tsn::new(arrived.get().wrapping_add(u32::from(input.byte() % 16)).wrapping_sub(2)),
        stream: StreamId::new(u16::from(input.byte() % 4)),
        ssn: Ssn::new(u16::from(input.byte() % 8)),
        ppid: Ppid::new(0),
        unordered: flags & 1 != 0,
        beginning: flags & 2 != 0,
        ending: flags & 4 != 0,
        immediate: flags & 8 != 0,
        payload: if payload.is_empty() { b"y" } else { payload },
    };
    builder.push(&data).is_ok()
}

fn check_bounds(pair: &mut Pair, config: &Config) {
    for end in [End::A, End::Z] {
        let side = pair.side(end);
        let Some(association) = side.id.and_then(|id| side.endpoint.association(id)) else { continue };
        assert!(association.received_bytes_held() <= config.receive_buffer * 2 + config.mtu);
        assert!(association.unacknowledged() <= config.send_buffer);
        assert!(association.paths().len() <= 16);
    }
    pair.take_log();
}
