//! Chunks, parameters and causes of fuzzed content, all of them such that they can be written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anabranch_base::Duration;
use anabranch_sctp::seq::{Fsn, Mid, Ssn, Tsn};
use anabranch_sctp::wire::{
    Abort, Asconf, AsconfAck, Auth, Cause, Chunk, CongestionWindowReduced, CookieEcho, Data, EcnEcho,
    ErrorChunk, ForwardTsn, GapBlock, Heartbeat, HeartbeatAck, IData, IForwardTsn, InitLayout, NrSack, Pad,
    Parameter, Place, Ppid, ReConfig, ReConfigParameter, Sack, Shutdown, ShutdownComplete, SkippedMessage,
    SkippedStream, StreamId, Test, UnknownChunk, VerificationTag,
};

use super::Input;

/// The parts of a chunk.
pub(crate) struct Parts<'a> {
    kind: u8,
    pub(crate) flags: u8,
    pub(crate) tsn: Tsn,
    pub(crate) number: u32,
    pub(crate) stream: u16,
    pub(crate) ssn: u16,
    pub(crate) gaps: Vec<GapBlock>,
    pub(crate) duplicates: Vec<Tsn>,
    skipped: Vec<SkippedStream>,
    pub(crate) streams: Vec<StreamId>,
    parameters: Vec<Parameter>,
    causes: Vec<Cause>,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The parts of a chunk of any type.
    pub(crate) fn any(input: &mut Input<'a>) -> Parts<'a> {
        let kind = input.byte();
        Parts::of_kind(kind, input)
    }

    /// The parts of a chunk of the type `KINDS[kind]`; only what that type has is taken from the input.
    pub(crate) fn of_kind(kind: u8, input: &mut Input<'a>) -> Parts<'a> {
        let kind = KINDS[usize::from(kind) % KINDS.len()];
        let tsn = Tsn::new(input.u32());
        let (number, flags) = (input.u32(), input.byte());
        let (stream, ssn) = (input.u16(), input.u16());
        let words: Vec<(u16, u16)> = match kind {
            SACK | NR_SACK | FORWARD_TSN | I_FORWARD_TSN | RE_CONFIG => {
                (0..input.below(8)).map(|_| (input.u16(), input.u16())).collect()
            }
            _ => Vec::new(),
        };
        let parameters = match kind {
            INIT | INIT_ACK | ASCONF | ASCONF_ACK => (0..input.below(6)).map(|_| parameter(input)).collect(),
            _ => Vec::new(),
        };
        let causes = match kind {
            ABORT | ERROR => (0..1 + input.below(4)).map(|_| cause(input)).collect(),
            _ => Vec::new(),
        };
        let skip =
            |&(stream, ssn): &(u16, u16)| SkippedStream { stream: StreamId::new(stream), ssn: Ssn::new(ssn) };
        Parts {
            kind,
            flags,
            tsn,
            number,
            stream,
            ssn,
            gaps: words.iter().map(|&(start, end)| GapBlock { start, end }).collect(),
            duplicates: words.iter().take(3).map(|&(low, _)| Tsn::new(low.into())).collect(),
            skipped: words.iter().map(skip).collect(),
            streams: words.iter().map(|&(stream, _)| StreamId::new(stream)).collect(),
            parameters,
            causes,
            bytes: input.slice(2_000),
        }
    }

    /// The chunk, borrowing from its parts.
    pub(crate) fn chunk(&self) -> Chunk<'_> {
        match self.kind {
            DATA => Chunk::Data(Data {
                tsn: self.tsn,
                stream: StreamId::new(self.stream),
                ssn: Ssn::new(self.ssn),
                ppid: Ppid::new(self.number),
                unordered: self.flags & 1 != 0,
                beginning: self.flags & 2 != 0,
                ending: self.flags & 4 != 0,
                immediate: self.flags & 8 != 0,
                payload: if self.bytes.is_empty() { b"x" } else { self.bytes },
            }),
            SACK => Chunk::Sack(Sack {
                cumulative_tsn_ack: self.tsn,
                a_rwnd: self.number,
                flags: self.flags,
                gap_blocks: self.gaps.as_slice().into(),
                duplicates: self.duplicates.as_slice().into(),
            }),
            NR_SACK => Chunk::NrSack(NrSack {
                cumulative_tsn_ack: self.tsn,
                a_rwnd: self.number,
                flags: self.flags,
                renegable: self.stream % (self.gaps.len() as u16 + 1),
                gap_blocks: self.gaps.as_slice().into(),
                duplicates: self.duplicates.as_slice().into(),
            }),
            INIT => Chunk::Init(self.init()),
            INIT_ACK => Chunk::InitAck(self.init()),
            HEARTBEAT => Chunk::Heartbeat(Heartbeat::new(self.bytes.to_vec())),
            HEARTBEAT_ACK => Chunk::HeartbeatAck(HeartbeatAck::new(self.bytes.to_vec())),
            ABORT => Chunk::Abort(Abort { tag_reflected: self.flags & 1 != 0, causes: self.causes.clone() }),
            ERROR => Chunk::Error(ErrorChunk { causes: self.causes.clone() }),
            SHUTDOWN => Chunk::Shutdown(Shutdown { cumulative_tsn_ack: self.tsn }),
            SHUTDOWN_ACK => Chunk::ShutdownAck,
            SHUTDOWN_COMPLETE => {
                Chunk::ShutdownComplete(ShutdownComplete { tag_reflected: self.flags & 1 != 0 })
            }
            COOKIE_ECHO => Chunk::CookieEcho(CookieEcho { cookie: self.bytes }),
            COOKIE_ACK => Chunk::CookieAck,
            ECNE => Chunk::EcnEcho(match self.flags % 3 {
                0 => EcnEcho::Bare,
                1 => EcnEcho::Lowest(self.tsn),
                _ => EcnEcho::Counted { lowest: self.tsn, packets: self.number },
            }),
            AUTH => Chunk::Auth(Auth { key: self.stream % 2, algorithm: self.ssn % 4, code: self.bytes }),
            ASCONF => Chunk::Asconf(Asconf {
                serial: self.tsn,
                parameters: std::iter::once(Parameter::Ipv4Address(Ipv4Addr::from_bits(self.number)))
                    .chain(self.parameters.iter().cloned())
                    .collect(),
            }),
            ASCONF_ACK => {
                Chunk::AsconfAck(AsconfAck { serial: self.tsn, responses: self.parameters.clone() })
            }
            CWR => Chunk::CongestionWindowReduced(CongestionWindowReduced {
                lowest_tsn: self.tsn,
                overrides: self.flags & 1 != 0,
            }),
            PAD => Chunk::Pad(Pad { len: usize::from(self.flags) }),
            I_DATA => Chunk::IData(IData {
                tsn: self.tsn,
                stream: StreamId::new(self.stream % 5),
                mid: Mid::new(u32::from(self.ssn)),
                place: match self.flags & 2 {
                    0 => Place::Later(Fsn::new(self.number % 8)),
                    _ => Place::First(Ppid::new(self.number)),
                },
                unordered: self.flags & 1 != 0,
                ending: self.flags & 4 != 0,
                immediate: self.flags & 8 != 0,
                payload: if self.bytes.is_empty() { b"x" } else { self.bytes },
            }),
            I_FORWARD_TSN => {
                let entry = |skipped: &SkippedStream| SkippedMessage {
                    stream: skipped.stream,
                    unordered: self.flags & 1 != 0,
                    mid: Mid::new(u32::from(skipped.ssn.get())),
                };
                let skipped = self.skipped.iter().map(entry).collect();
                Chunk::IForwardTsn(IForwardTsn { new_cumulative_tsn: self.tsn, skipped })
            }
            FORWARD_TSN => Chunk::ForwardTsn(ForwardTsn {
                new_cumulative_tsn: self.tsn,
                skipped: self.skipped.as_slice().into(),
            }),
            RE_CONFIG => Chunk::ReConfig(self.re_config()),
            _ if self.ssn as u8 == Test::KIND => Chunk::Test(Test { body: self.bytes }),
            // The types between the known ones and those above 192 say all four things to do (§3.2).
            _ => Chunk::Unknown(UnknownChunk {
                kind: match self.ssn as u8 {
                    0..=15
                    | NR_SACK
                    | I_DATA
                    | ASCONF_ACK
                    | RE_CONFIG
                    | PAD
                    | FORWARD_TSN
                    | ASCONF
                    | I_FORWARD_TSN => 63,
                    kind => kind,
                },
                flags: self.flags,
                value: self.bytes,
            }),
        }
    }

    fn re_config(&self) -> ReConfig<'_> {
        let (request, response, streams) = (self.tsn, Tsn::new(self.number), self.streams.as_slice().into());
        let (next, last_tsn) = (request.next(), Tsn::new(self.number));
        let reset = ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams };
        let incoming = ReConfigParameter::ResetIncoming { request: next, streams };
        let (add, count) = (ReConfigParameter::AddOutgoing { request, count: self.ssn }, self.stream);
        let more = ReConfigParameter::AddIncoming { request: next, count };
        let next_tsns = (self.flags & 64 != 0).then_some((Tsn::new(self.number), response));
        let result = u32::from(self.flags >> 3 & 7);
        let answer = ReConfigParameter::Response { request, result, next_tsns };
        match self.flags & 7 {
            0 => ReConfig { first: reset, second: Some(incoming) },
            1 => ReConfig { first: add, second: Some(more) },
            2 => ReConfig { first: answer, second: Some(reset) },
            3 => ReConfig::of(ReConfigParameter::ResetAssociation { request }),
            4 => ReConfig::of(ReConfigParameter::ResetIncoming { request, streams }),
            5 => ReConfig::of(answer),
            _ => ReConfig::of(reset),
        }
    }

    fn init<const KIND: u8>(&self) -> InitLayout<KIND> {
        let mut parameters = self.parameters.clone();
        parameters.push(Parameter::StateCookie(self.bytes.to_vec()));
        InitLayout {
            initiate_tag: VerificationTag::new(self.number.rotate_left(8)),
            a_rwnd: self.number,
            outbound_streams: self.stream,
            inbound_streams: self.ssn,
            initial_tsn: self.tsn,
            parameters,
        }
    }
}

fn parameter(input: &mut Input<'_>) -> Parameter {
    let (kind, number) = (input.byte(), input.u32());
    let bytes = input.slice(40).to_vec();
    let address = match bytes.len() % 2 {
        0 => IpAddr::V4(Ipv4Addr::from_bits(number)),
        _ => IpAddr::V6(Ipv6Addr::from_bits(u128::from(number) << 96)),
    };
    // Half of the addresses are near those in use.
    let near =
        if number & 1 == 0 { IpAddr::from([10, 0, kind % 4, 1 + bytes.len() as u8 % 3]) } else { address };
    match kind % 20 {
        0 => Parameter::HeartbeatInfo(bytes),
        1 => Parameter::Ipv4Address(Ipv4Addr::from_bits(number)),
        2 => Parameter::Ipv6Address(Ipv6Addr::from_bits(u128::from(number) << 64 | u128::from(kind))),
        3 => Parameter::StateCookie(bytes),
        4 => Parameter::UnrecognizedParameter(bytes),
        5 => Parameter::CookiePreservative(Duration::from_millis(number.into())),
        6 => Parameter::HostNameAddress(bytes),
        7 => Parameter::SupportedAddressTypes(bytes.iter().map(|&byte| byte.into()).collect()),
        8 => Parameter::EcnCapable,
        9 => Parameter::ForwardTsnSupported,
        10 => Parameter::Random(bytes),
        11 => Parameter::ChunkList(bytes),
        12 => Parameter::HmacAlgorithms(bytes.iter().map(|&byte| u16::from(byte % 5)).collect()),
        13 => Parameter::SupportedExtensions(bytes),
        14 => Parameter::AddAddress { id: number, address: near },
        15 => Parameter::DeleteAddress { id: number, address: near },
        16 => Parameter::SetPrimaryAddress { id: number, address: near },
        17 => Parameter::ErrorCauseIndication {
            id: number % 4,
            causes: vec![Cause::UnrecognizedParameters(bytes)],
        },
        18 => Parameter::SuccessIndication(number % 4),
        // One of each of the four things to do with an unknown parameter (RFC 9260 §3.2.1).
        _ => Parameter::Unknown { kind: u16::from(kind) << 8 | 0xff, value: bytes },
    }
}

fn cause(input: &mut Input<'_>) -> Cause {
    let (code, number) = (input.byte(), input.u32());
    let bytes = input.slice(40).to_vec();
    match code % 20 {
        0 => Cause::InvalidStreamIdentifier(StreamId::new(number as u16)),
        1 => Cause::MissingMandatoryParameter(bytes.iter().map(|&byte| byte.into()).collect()),
        2 => Cause::StaleCookie(Duration::from_micros(number.into())),
        3 => Cause::OutOfResource,
        4 => Cause::UnresolvableAddress(bytes),
        5 => Cause::UnrecognizedChunkType(bytes),
        6 => Cause::InvalidMandatoryParameter,
        7 => Cause::UnrecognizedParameters(bytes),
        8 => Cause::NoUserData(Tsn::new(number)),
        9 => Cause::CookieReceivedWhileShuttingDown,
        10 => Cause::RestartWithNewAddresses(bytes),
        11 => Cause::UserInitiatedAbort(bytes),
        12 => Cause::ProtocolViolation(bytes),
        13 => Cause::DeleteLastAddress(bytes),
        14 => Cause::ResourceShortage(bytes),
        15 => Cause::DeleteSourceAddress(bytes),
        16 => Cause::IllegalAsconfAck,
        17 => Cause::NoAuthorization(bytes),
        18 => Cause::UnsupportedHmac(number as u16),
        _ => Cause::Unknown { code: 0x106 + u16::from(code), value: bytes },
    }
}

pub(crate) const DATA: u8 = 0;
pub(crate) const INIT: u8 = 1;
pub(crate) const INIT_ACK: u8 = 2;
pub(crate) const SACK: u8 = 3;
const HEARTBEAT: u8 = 4;
const HEARTBEAT_ACK: u8 = 5;
const ABORT: u8 = 6;
pub(crate) const SHUTDOWN: u8 = 7;
const SHUTDOWN_ACK: u8 = 8;
const ERROR: u8 = 9;
const COOKIE_ECHO: u8 = 10;
const COOKIE_ACK: u8 = 11;
const ECNE: u8 = 12;
const CWR: u8 = 13;
const SHUTDOWN_COMPLETE: u8 = 14;
pub(crate) const NR_SACK: u8 = 16;
pub(crate) const PAD: u8 = 132;
pub(crate) const FORWARD_TSN: u8 = 192;
const AUTH: u8 = 15;
pub(crate) const RE_CONFIG: u8 = 130;
const ASCONF_ACK: u8 = 128;
pub(crate) const ASCONF: u8 = 193;
pub(crate) const I_DATA: u8 = 64;
const I_FORWARD_TSN: u8 = 194;
const UNKNOWN: u8 = 255;

/// The types as the fuzzer chooses among them.
pub(crate) const KINDS: [u8; 25] = [
    I_DATA,
    I_FORWARD_TSN,
    DATA,
    INIT,
    INIT_ACK,
    SACK,
    HEARTBEAT,
    HEARTBEAT_ACK,
    SHUTDOWN,
    SHUTDOWN_ACK,
    ERROR,
    COOKIE_ECHO,
    COOKIE_ACK,
    ECNE,
    CWR,
    SHUTDOWN_COMPLETE,
    FORWARD_TSN,
    UNKNOWN,
    ABORT,
    PAD,
    AUTH,
    ASCONF,
    ASCONF_ACK,
    NR_SACK,
    RE_CONFIG,
];
