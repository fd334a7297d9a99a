//! The packets of a lying peer, or of an attacker that has the tags of others: right in form, false in content.

use std::net::Ipv4Addr;

use anabranch_sctp::seq::{Fsn, Mid, Ssn, Tsn};
use anabranch_sctp::wire::{
    Abort, Asconf, Auth, Cause, Checksum, CommonHeader, CookieAck, CookieEcho, Data, EcnEcho, EncodeChunk,
    ErrorChunk, ForwardTsn, GapBlock, Heartbeat, HeartbeatAck, IData, IForwardTsn, NrSack, PacketBuilder,
    Pad, Parameter, Place, Ppid, ReConfig, ReConfigParameter, Sack, Shutdown, ShutdownAck, ShutdownComplete,
    SkippedMessage, SkippedStream, StreamId, UnknownChunk,
};

use super::blind::any_chunks;
use crate::hostile::{Parts, framed};
use crate::pair::packet_with;
use crate::walk::Dice;

/// The numbers of an association, as its peer has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice {
    /// Ports and tag of a packet to it.
    pub(crate) header: CommonHeader,
    /// The cumulative TSN of what arrived there.
    pub(crate) arrived: Tsn,
    /// The cumulative TSN of what it knows to be acknowledged.
    pub(crate) acked: Tsn,
    /// The highest TSN that it sent.
    pub(crate) highest: Tsn,
    /// True if it sends I-DATA.
    pub(crate) interleaves: bool,
}

/// A request or an answer to change streams, which may be the one that is expected.
fn re_config(voice: &Voice, dice: &mut Dice) -> Vec<u8> {
    let one = |chunk: &dyn EncodeChunk| packet_with(voice.header, &[chunk]);
    let streams: Vec<StreamId> = (0..dice.one_of(&[0, 1, 16, 20_000])).map(StreamId::new).collect();
    let streams = streams.as_slice().into();
    // The numbers of an association begin with its first TSNs, from which little was sent so far.
    let near = |tsn: Tsn, dice: &mut Dice| Tsn::new(tsn.get().wrapping_sub(dice.below(20) as u32)).next();
    let request = near(voice.arrived, dice);
    let response = near(voice.highest, dice);
    let last_tsn = voice.arrived.plus(dice.one_of(&[0, 1, 100, 1 << 30]));
    let tsns = [voice.arrived, voice.highest, Tsn::new(dice.roll() as u32)];
    let first = match dice.below(6) {
        0 | 1 => ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams },
        2 => ReConfigParameter::ResetIncoming { request, streams },
        3 => ReConfigParameter::ResetAssociation { request },
        4 => ReConfigParameter::AddOutgoing { request, count: dice.one_of(&[0, 1, 100, u16::MAX]) },
        _ => {
            let next_tsns = dice.is_one_in(2).then(|| (dice.one_of(&tsns), dice.one_of(&tsns)));
            ReConfigParameter::Response { request: response, result: dice.below(8) as u32, next_tsns }
        }
    };
    let second = ReConfigParameter::AddIncoming { request: request.next(), count: 3 };
    let second = Some(second).filter(|second| ReConfig::may_combine(&first, second));
    one(&ReConfig { first, second })
}

/// One kind of lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    AckAll,
    AckAllWithoutWindow,
    AckNothing,
    AckEveryOther,
    AckBeyond,
    /// SACKs that report all that was sent and nothing of it, in turns.
    Flip,
    /// NR-SACKs that report much for good, and SACKs without it.
    AckForGood,
    /// As many gap blocks and duplicates as fit.
    ManyBlocks,
    TinyData,
    TinyDataWithGaps,
    FirstFragments,
    MiddleFragments,
    FarAhead,
    ManyStreams,
    HugeData,
    OldData,
    SsnAhead,
    NoSuchStream,
    AnyChunks,
    Unknown,
    Heartbeats,
    HeartbeatAcks,
    Errors,
    Shutdown,
    ShutdownAck,
    ShutdownComplete,
    Abort,
    InitWithTag,
    InitAck,
    CookieAcks,
    /// COOKIE-ECHOs without a cookie behind another chunk, as many as fit.
    Cookies,
    Asconf,
    Auth,
    ForwardTsn,
    ReConfig,
    Idata,
    Ecn,
    Pad,
    Garbage,
}

impl Lie {
    /// Every lie.
    pub(crate) const ALL: &[Lie] = &[
        Lie::AckAll,
        Lie::AckAllWithoutWindow,
        Lie::AckNothing,
        Lie::AckEveryOther,
        Lie::AckBeyond,
        Lie::Flip,
        Lie::AckForGood,
        Lie::ManyBlocks,
        Lie::TinyData,
        Lie::TinyDataWithGaps,
        Lie::FirstFragments,
        Lie::MiddleFragments,
        Lie::FarAhead,
        Lie::ManyStreams,
        Lie::HugeData,
        Lie::OldData,
        Lie::SsnAhead,
        Lie::NoSuchStream,
        Lie::AnyChunks,
        Lie::Unknown,
        Lie::Heartbeats,
        Lie::HeartbeatAcks,
        Lie::Errors,
        Lie::Shutdown,
        Lie::ShutdownAck,
        Lie::ShutdownComplete,
        Lie::Abort,
        Lie::InitWithTag,
        Lie::InitAck,
        Lie::CookieAcks,
        Lie::Cookies,
        Lie::Asconf,
        Lie::Auth,
        Lie::ForwardTsn,
        Lie::ReConfig,
        Lie::Idata,
        Lie::Ecn,
        Lie::Pad,
        Lie::Garbage,
    ];

    /// The packet with the lie.
    pub(crate) fn packet(self, voice: &Voice, dice: &mut Dice) -> Vec<u8> {
        match self {
            Lie::AckAll
            | Lie::AckAllWithoutWindow
            | Lie::AckNothing
            | Lie::AckEveryOther
            | Lie::AckBeyond
            | Lie::Flip
            | Lie::AckForGood
            | Lie::ManyBlocks => self.acknowledgement(voice, dice),
            Lie::TinyData
            | Lie::TinyDataWithGaps
            | Lie::FirstFragments
            | Lie::MiddleFragments
            | Lie::FarAhead
            | Lie::ManyStreams
            | Lie::HugeData
            | Lie::OldData
            | Lie::SsnAhead
            | Lie::NoSuchStream => self.data(voice, dice),
            _ => self.control(voice, dice),
        }
    }

    fn acknowledgement(self, voice: &Voice, dice: &mut Dice) -> Vec<u8> {
        let span = voice.highest.distance_from(voice.acked).min(u32::from(u16::MAX)) as u16;
        let sack = |cumulative_tsn_ack, a_rwnd, gaps: &[GapBlock], duplicates: &[Tsn]| {
            let (gap_blocks, duplicates) = (gaps.into(), duplicates.into());
            packet_with(
                voice.header,
                &[&Sack { cumulative_tsn_ack, a_rwnd, flags: 0, gap_blocks, duplicates }],
            )
        };
        match self {
            Lie::AckAll => sack(voice.highest, 1 << 20, &[], &[]),
            Lie::AckAllWithoutWindow => sack(voice.highest, 0, &[], &[]),
            Lie::AckBeyond => sack(voice.highest.plus(1 + dice.below(9) as u32), 1 << 20, &[], &[]),
            Lie::AckNothing => sack(voice.acked, dice.one_of(&[0, 1 << 20]), &[], &[]),
            Lie::AckEveryOther => {
                let gaps: Vec<GapBlock> =
                    (2..=span).step_by(2).take(300).map(|at| GapBlock { start: at, end: at }).collect();
                sack(voice.acked, 1 << 20, &gaps, &[])
            }
            Lie::AckForGood => {
                let block = |_| {
                    let start = 1 + dice.below(u64::from(span.max(2))) as u16;
                    GapBlock { start, end: start.saturating_add(dice.below(4) as u16) }
                };
                let mut blocks: Vec<GapBlock> = (0..300).map(block).collect();
                blocks.sort_unstable_by_key(|block| block.start);
                let nr_sack = NrSack {
                    cumulative_tsn_ack: voice.acked,
                    a_rwnd: 1 << 20,
                    flags: 0,
                    renegable: dice.one_of(&[0, 0, 100]),
                    gap_blocks: blocks[..dice.one_of(&[0, 2, 300])].into(),
                    duplicates: (&[][..]).into(),
                };
                match dice.below(4) {
                    0 => sack(voice.acked, 1 << 20, &[], &[]),
                    _ => packet_with(voice.header, &[&nr_sack]),
                }
            }
            Lie::Flip => {
                let all = [GapBlock { start: 2, end: span.max(2) }];
                let all = if span < 2 { &[] } else { all.as_slice() };
                let one = |gaps: &[GapBlock]| {
                    let duplicates: &[Tsn] = &[];
                    let (gap_blocks, duplicates) = (gaps.into(), duplicates.into());
                    let sack = Sack {
                        cumulative_tsn_ack: voice.acked,
                        a_rwnd: 1 << 20,
                        flags: 0,
                        gap_blocks,
                        duplicates,
                    };
                    let mut bytes = Vec::new();
                    sack.encode(&mut bytes);
                    bytes
                };
                framed(voice.header, &[one(all), one(&[])].concat().repeat(dice.one_of(&[1, 50, 1500])))
            }
            _ => {
                let block = |_| {
                    let start = 2_u16.saturating_add(dice.below(u64::from(span.max(4))) as u16);
                    GapBlock { start, end: start.saturating_add(dice.below(3) as u16) }
                };
                let gaps: Vec<GapBlock> = (0..5_000).map(block).collect();
                sack(voice.acked, 1 << 20, &gaps, &[voice.acked; 5_000])
            }
        }
    }

    fn data(self, voice: &Voice, dice: &mut Dice) -> Vec<u8> {
        let first = voice.arrived.next();
        let usual = Data {
            tsn: first,
            stream: StreamId::new(dice.below(4) as u16),
            ssn: Ssn::new(dice.below(3) as u16),
            ppid: Ppid::new(0),
            unordered: dice.is_one_in(2),
            beginning: true,
            ending: true,
            immediate: false,
            payload: b"x",
        };
        let count = dice.one_of(&[1, 60, 3_000]);
        let many = |one: &dyn Fn(u32) -> Data<'static>| {
            let mut packet = Vec::new();
            let mut builder = PacketBuilder::new(&mut packet, voice.header, LARGEST);
            // Chunks that do not fit are left out.
            let push = |at: &u32| {
                let (data, interleaved) = (one(*at), interleaved(&one(*at), at % 5));
                let chunk: &dyn EncodeChunk = if voice.interleaves { &interleaved } else { &data };
                builder.push(chunk).is_ok()
            };
            (0..count).take_while(push).count();
            builder.finish(Checksum::Crc32c);
            packet
        };
        let gap = dice.below(2) as u32;
        let far = dice.one_of(&[100, 5_000, 70_000, 1 << 30, 1 << 31]);
        match self {
            Lie::TinyData => many(&|at| Data { tsn: first.plus(gap + at), unordered: true, ..usual }),
            Lie::TinyDataWithGaps => many(&|at| Data { tsn: first.plus(1 + 2 * at), ..usual }),
            Lie::FirstFragments => {
                many(&|at| Data { tsn: first.plus(1 + 2 * at), unordered: true, ending: false, ..usual })
            }
            Lie::MiddleFragments => many(&|at| Data {
                tsn: first.plus(1 + at),
                beginning: false,
                ending: false,
                payload: &FILLER[..if at % 2 == 0 { 1 } else { 1_400 }],
                ..usual
            }),
            Lie::FarAhead => {
                many(&|at| Data { tsn: first.plus(at.wrapping_mul(977).wrapping_add(far)), ..usual })
            }
            Lie::ManyStreams => many(&|at| Data {
                tsn: first.plus(gap + at),
                stream: StreamId::new(at as u16),
                ssn: Ssn::new(1),
                unordered: false,
                ..usual
            }),
            Lie::OldData => many(&|at| Data { tsn: Tsn::new(first.get().wrapping_sub(1 + at % 7)), ..usual }),
            Lie::SsnAhead => many(&|at| Data {
                tsn: first.plus(gap + at),
                ssn: Ssn::new((far >> 8) as u16 ^ at as u16),
                unordered: false,
                ..usual
            }),
            Lie::NoSuchStream => {
                many(&|at| Data { tsn: first.plus(at), stream: StreamId::new(u16::MAX), ..usual })
            }
            _ => {
                let payload = vec![7; dice.one_of(&[1_400, 9_000, 60_000])];
                let tsn = first.plus(dice.below(2) as u32);
                let data = Data { tsn, payload: &payload, ..usual };
                let interleaved = interleaved(&data, 0);
                packet_with(voice.header, &[if voice.interleaves { &interleaved } else { &data }])
            }
        }
    }

    fn control(self, voice: &Voice, dice: &mut Dice) -> Vec<u8> {
        let header = voice.header;
        let length = dice.below(200) as usize;
        let bytes = dice.bytes(length);
        let one = |chunk: &dyn EncodeChunk| packet_with(header, &[chunk]);
        let reflected = dice.is_one_in(2);
        match self {
            Lie::Heartbeats => {
                let mut packet = Vec::new();
                let mut builder = PacketBuilder::new(&mut packet, header, LARGEST);
                let probe = Heartbeat::new(vec![7; dice.one_of(&[1, 20, 1_200, 60_000])]);
                (0..dice.one_of(&[1, 20, 4_000])).take_while(|_| builder.push(&probe).is_ok()).count();
                builder.finish(Checksum::Crc32c);
                packet
            }
            Lie::HeartbeatAcks => one(&HeartbeatAck::new(dice.bytes(20))),
            Lie::Errors => {
                let causes = [
                    Cause::OutOfResource,
                    Cause::UnrecognizedChunkType(bytes.clone()),
                    Cause::UnrecognizedParameters(bytes.clone()),
                    Cause::StaleCookie(anabranch_base::Duration::from_secs(1)),
                    Cause::UnsupportedHmac(3),
                ];
                one(&ErrorChunk { causes: vec![dice.one_of(&causes); dice.one_of(&[1, 100])] })
            }
            Lie::Shutdown => {
                one(&Shutdown { cumulative_tsn_ack: dice.one_of(&[voice.acked, voice.highest]) })
            }
            Lie::ShutdownAck => one(&ShutdownAck),
            Lie::ShutdownComplete => one(&ShutdownComplete { tag_reflected: reflected }),
            Lie::Abort => {
                let causes = vec![Cause::UserInitiatedAbort(bytes)];
                one(&Abort { tag_reflected: reflected, causes })
            }
            Lie::InitWithTag => one(&Parts::of_kind(1, &mut crate::hostile::Input::new(&bytes)).chunk()),
            Lie::InitAck => one(&Parts::of_kind(2, &mut crate::hostile::Input::new(&bytes)).chunk()),
            Lie::CookieAcks => packet_with(header, &[&CookieAck, &CookieAck, &CookieAck]),
            Lie::Cookies => {
                let mut packet = Vec::new();
                let mut builder = PacketBuilder::new(&mut packet, header, LARGEST);
                let _ = builder.push(&HeartbeatAck::new(Vec::new()));
                let echo = CookieEcho { cookie: &bytes[..length % 8] };
                (0..dice.one_of(&[1, 100, 10_000])).take_while(|_| builder.push(&echo).is_ok()).count();
                builder.finish(Checksum::Crc32c);
                packet
            }
            Lie::Asconf => {
                let address =
                    std::net::IpAddr::from([10, 77, dice.below(4) as u8, 1 + dice.below(200) as u8]);
                let own = Parameter::Ipv4Address(Ipv4Addr::new(10, 0, 0, 1));
                let request = match dice.below(3) {
                    0 => Parameter::AddAddress { id: 1, address },
                    1 => Parameter::DeleteAddress { id: 1, address },
                    _ => Parameter::SetPrimaryAddress { id: 1, address },
                };
                let parameters = std::iter::once(own).chain(vec![request; dice.one_of(&[1, 30])]).collect();
                one(&Asconf { serial: voice.arrived.next(), parameters })
            }
            Lie::Auth => one(&Auth { key: 0, algorithm: dice.one_of(&[1, 3]), code: &bytes }),
            Lie::ForwardTsn if voice.interleaves => {
                let skipped = (0..dice.one_of(&[0, 5, 4_000]))
                    .map(|at| SkippedMessage {
                        stream: StreamId::new(at / 2),
                        unordered: at % 2 == 0,
                        mid: Mid::new(dice.one_of(&[0, 7, 1 << 30])),
                    })
                    .collect();
                let new_cumulative_tsn = voice.arrived.plus(dice.one_of(&[1, 100, 1 << 20]));
                one(&IForwardTsn { new_cumulative_tsn, skipped })
            }
            Lie::ForwardTsn => {
                let skipped: Vec<SkippedStream> = (0..dice.one_of(&[0, 5, 4_000]))
                    .map(|at| SkippedStream { stream: StreamId::new(at), ssn: Ssn::new(7) })
                    .collect();
                let new_cumulative_tsn = voice.arrived.plus(dice.one_of(&[1, 100, 1 << 20]));
                one(&ForwardTsn { new_cumulative_tsn, skipped: skipped.as_slice().into() })
            }
            Lie::ReConfig => re_config(voice, dice),
            Lie::Idata if dice.is_one_in(2) => one(&UnknownChunk { kind: 64, flags: 3, value: &bytes }),
            Lie::Idata => {
                let fragment = |dice: &mut Dice| {
                    let (number, mid) = (dice.below(4) as u32, dice.below(5) as u32);
                    IData {
                        tsn: voice.arrived.plus(1 + dice.below(200) as u32),
                        stream: StreamId::new(dice.below(3) as u16),
                        mid: Mid::new(mid.wrapping_sub(2)),
                        place: match number {
                            0 => Place::First(Ppid::new(0)),
                            _ => Place::Later(Fsn::new(number - dice.below(2) as u32)),
                        },
                        unordered: dice.is_one_in(2),
                        ending: dice.is_one_in(3),
                        immediate: false,
                        payload: b"i",
                    }
                };
                let fragments: Vec<IData<'_>> =
                    (0..dice.one_of(&[1, 20, 900])).map(|_| fragment(dice)).collect();
                let all: Vec<&dyn EncodeChunk> = fragments.iter().map(|one| one as _).collect();
                packet_with(header, &all)
            }
            Lie::Unknown => {
                let kind = dice.one_of(&[63, 127, 191, 223, 255]);
                one(&UnknownChunk { kind, flags: 0, value: &vec![7; dice.one_of(&[0, 1_000, 60_000])] })
            }
            Lie::Ecn => one(&EcnEcho::Lowest(voice.highest)),
            Lie::Pad => one(&Pad { len: 60_000 }),
            Lie::Garbage => framed(header, &[&bytes, b"\0".as_slice()].concat()),
            _ => any_chunks(header, dice),
        }
    }
}

/// The largest UDP payload, less its headers.
const LARGEST: usize = 65_000;
static FILLER: [u8; 1_400] = [7; 1_400];

/// The same as I-DATA, with its SSN as MID; `number` is its FSN unless it is a first fragment.
fn interleaved<'a>(data: &Data<'a>, number: u32) -> IData<'a> {
    let &Data { tsn, stream, ssn, ppid, unordered, beginning, ending, immediate, payload } = data;
    let place = if beginning { Place::First(ppid) } else { Place::Later(Fsn::new(number)) };
    let mid = Mid::new(u32::from(ssn.get()));
    IData { tsn, stream, mid, place, unordered, ending, immediate, payload }
}
