//! Any chunk survives a packet, and no bytes harm the decoder. Only the codec's public interface is used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anabranch_base::Duration;
use anabranch_sctp::seq::{Fsn, Mid, Ssn, Tsn};
use anabranch_sctp::wire::{
    Abort, Asconf, AsconfAck, Auth, Cause, Checksum, Chunk, CommonHeader, CongestionWindowReduced,
    CookieEcho, Data, EcnEcho, EncodeChunk, ErrorChunk, ForwardTsn, GapBlock, Heartbeat, HeartbeatAck, IData,
    IForwardTsn, Init, InitAck, NrSack, Packet, PacketBuilder, Pad, Parameter, Place, Ppid, ReConfig,
    ReConfigParameter, Sack, Shutdown, ShutdownComplete, SkippedMessage, SkippedStream, StreamId, Test,
    UnknownChunk, VerificationTag,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A chunk that owns its bytes; [`Chunk`] borrows them.
#[derive(Clone, Debug)]
enum Sample {
    Whole(Chunk<'static>),
    Data { tsn: u32, stream: u16, ssn: u16, ppid: u32, flags: [bool; 4], payload: Vec<u8> },
    Sack { tsn: u32, a_rwnd: u32, flags: u8, gaps: Vec<GapBlock>, duplicates: Vec<Tsn> },
    CookieEcho(Vec<u8>),
    Pad(usize),
    Test(Vec<u8>),
    Auth { key: u16, algorithm: u16, code: Vec<u8> },
    IData { tsn: u32, stream: u16, mid: u32, number: u32, flags: [bool; 4], payload: Vec<u8> },
    NrSack { tsn: u32, a_rwnd: u32, flags: u8, renegable: u16, gaps: Vec<GapBlock>, duplicates: Vec<Tsn> },
    ForwardTsn { tsn: u32, skipped: Vec<SkippedStream> },
    ReConfig { which: u8, numbers: [u32; 6], count: u16, streams: Vec<StreamId> },
    Unknown { kind: u8, flags: u8, value: Vec<u8> },
}

impl Sample {
    fn chunk(&self) -> Chunk<'_> {
        match self {
            Sample::Whole(chunk) => chunk.clone(),
            Sample::Data { tsn, stream, ssn, ppid, flags, payload } => Chunk::Data(Data {
                tsn: Tsn::new(*tsn),
                stream: StreamId::new(*stream),
                ssn: Ssn::new(*ssn),
                ppid: Ppid::new(*ppid),
                unordered: flags[0],
                beginning: flags[1],
                ending: flags[2],
                immediate: flags[3],
                payload,
            }),
            Sample::IData { tsn, stream, mid, number, flags, payload } => Chunk::IData(IData {
                tsn: Tsn::new(*tsn),
                stream: StreamId::new(*stream),
                mid: Mid::new(*mid),
                place: if flags[1] {
                    Place::First(Ppid::new(*number))
                } else {
                    Place::Later(Fsn::new(*number))
                },
                unordered: flags[0],
                ending: flags[2],
                immediate: flags[3],
                payload,
            }),
            Sample::Sack { tsn, a_rwnd, flags, gaps, duplicates } => Chunk::Sack(Sack {
                cumulative_tsn_ack: Tsn::new(*tsn),
                a_rwnd: *a_rwnd,
                flags: *flags,
                gap_blocks: gaps[..].into(),
                duplicates: duplicates[..].into(),
            }),
            Sample::NrSack { tsn, a_rwnd, flags, renegable, gaps, duplicates } => Chunk::NrSack(NrSack {
                cumulative_tsn_ack: Tsn::new(*tsn),
                a_rwnd: *a_rwnd,
                flags: *flags,
                renegable: *renegable,
                gap_blocks: gaps[..].into(),
                duplicates: duplicates[..].into(),
            }),
            Sample::Auth { key, algorithm, code } => {
                Chunk::Auth(Auth { key: *key, algorithm: *algorithm, code })
            }
            Sample::CookieEcho(cookie) => Chunk::CookieEcho(CookieEcho { cookie }),
            Sample::Pad(len) => Chunk::Pad(Pad { len: *len }),
            Sample::Test(body) => Chunk::Test(Test { body }),
            Sample::ForwardTsn { tsn, skipped } => Chunk::ForwardTsn(ForwardTsn {
                new_cumulative_tsn: Tsn::new(*tsn),
                skipped: skipped[..].into(),
            }),
            Sample::ReConfig { which, numbers, count, streams } => {
                Chunk::ReConfig(re_config(*which, numbers.map(Tsn::new), *count, streams))
            }
            Sample::Unknown { kind, flags, value } => {
                Chunk::Unknown(UnknownChunk { kind: *kind, flags: *flags, value })
            }
        }
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..60)
}

fn parameter() -> impl Strategy<Value = Parameter> {
    prop_oneof![
        bytes().prop_map(Parameter::HeartbeatInfo),
        any::<u32>().prop_map(|bits| Parameter::Ipv4Address(Ipv4Addr::from_bits(bits))),
        any::<u128>().prop_map(|bits| Parameter::Ipv6Address(Ipv6Addr::from_bits(bits))),
        bytes().prop_map(Parameter::StateCookie),
        bytes().prop_map(Parameter::UnrecognizedParameter),
        any::<u32>().prop_map(|ms| Parameter::CookiePreservative(Duration::from_millis(ms.into()))),
        bytes().prop_map(Parameter::HostNameAddress),
        vec(any::<u16>(), 0..5).prop_map(Parameter::SupportedAddressTypes),
        Just(Parameter::EcnCapable),
        Just(Parameter::ForwardTsnSupported),
        bytes().prop_map(Parameter::Random),
        bytes().prop_map(Parameter::ChunkList),
        vec(any::<u16>(), 0..5).prop_map(Parameter::HmacAlgorithms),
        bytes().prop_map(Parameter::SupportedExtensions),
        request(),
        (any::<u32>(), vec(cause(), 0..3))
            .prop_map(|(id, causes)| Parameter::ErrorCauseIndication { id, causes }),
        any::<u32>().prop_map(Parameter::SuccessIndication),
        (0x8009..0xc000_u16, bytes()).prop_map(|(kind, value)| Parameter::Unknown { kind, value }),
    ]
}

fn address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
        any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
    ]
}

fn request() -> impl Strategy<Value = Parameter> {
    (any::<u32>(), address(), 0..3).prop_map(|(id, address, which)| match which {
        0 => Parameter::AddAddress { id, address },
        1 => Parameter::DeleteAddress { id, address },
        _ => Parameter::SetPrimaryAddress { id, address },
    })
}

fn asconf() -> impl Strategy<Value = Asconf> {
    (any::<u32>(), any::<u32>(), vec(parameter(), 0..4)).prop_map(|(serial, lookup, requests)| {
        let lookup = Parameter::Ipv4Address(Ipv4Addr::from_bits(lookup));
        let parameters = std::iter::once(lookup).chain(requests).collect();
        Asconf { serial: Tsn::new(serial), parameters }
    })
}

fn cause() -> impl Strategy<Value = Cause> {
    prop_oneof![
        any::<u16>().prop_map(|stream| Cause::InvalidStreamIdentifier(StreamId::new(stream))),
        vec(any::<u16>(), 0..5).prop_map(Cause::MissingMandatoryParameter),
        any::<u32>().prop_map(|us| Cause::StaleCookie(Duration::from_micros(us.into()))),
        Just(Cause::OutOfResource),
        bytes().prop_map(Cause::UnresolvableAddress),
        bytes().prop_map(Cause::UnrecognizedChunkType),
        Just(Cause::InvalidMandatoryParameter),
        bytes().prop_map(Cause::UnrecognizedParameters),
        any::<u32>().prop_map(|tsn| Cause::NoUserData(Tsn::new(tsn))),
        Just(Cause::CookieReceivedWhileShuttingDown),
        bytes().prop_map(Cause::RestartWithNewAddresses),
        bytes().prop_map(Cause::UserInitiatedAbort),
        bytes().prop_map(Cause::ProtocolViolation),
        bytes().prop_map(Cause::DeleteLastAddress),
        bytes().prop_map(Cause::ResourceShortage),
        bytes().prop_map(Cause::DeleteSourceAddress),
        Just(Cause::IllegalAsconfAck),
        bytes().prop_map(Cause::NoAuthorization),
        any::<u16>().prop_map(Cause::UnsupportedHmac),
        (0x106..=u16::MAX, bytes()).prop_map(|(code, value)| Cause::Unknown { code, value }),
    ]
}

fn init() -> impl Strategy<Value = Init> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<u16>(), any::<u32>());
    (numbers, vec(parameter(), 0..6)).prop_map(|((tag, a_rwnd, outbound, inbound, tsn), parameters)| Init {
        initiate_tag: VerificationTag::new(tag),
        a_rwnd,
        outbound_streams: outbound,
        inbound_streams: inbound,
        initial_tsn: Tsn::new(tsn),
        parameters,
    })
}

fn init_ack() -> impl Strategy<Value = InitAck> {
    init().prop_map(|init| InitAck {
        initiate_tag: init.initiate_tag,
        a_rwnd: init.a_rwnd,
        outbound_streams: init.outbound_streams,
        inbound_streams: init.inbound_streams,
        initial_tsn: init.initial_tsn,
        parameters: init.parameters,
    })
}

fn ecn_echo() -> impl Strategy<Value = EcnEcho> {
    prop_oneof![
        Just(EcnEcho::Bare),
        any::<u32>().prop_map(|tsn| EcnEcho::Lowest(Tsn::new(tsn))),
        any::<(u32, u32)>().prop_map(|(tsn, packets)| EcnEcho::Counted { lowest: Tsn::new(tsn), packets }),
    ]
}

/// Chunks that own all they have.
fn whole() -> impl Strategy<Value = Chunk<'static>> {
    let tsn = || any::<u32>().prop_map(Tsn::new);
    prop_oneof![
        init().prop_map(Chunk::Init),
        init_ack().prop_map(Chunk::InitAck),
        bytes().prop_map(|info| Chunk::Heartbeat(Heartbeat::new(info))),
        bytes().prop_map(|info| Chunk::HeartbeatAck(HeartbeatAck::new(info))),
        (any::<bool>(), vec(cause(), 0..4))
            .prop_map(|(tag_reflected, causes)| Chunk::Abort(Abort { tag_reflected, causes })),
        tsn().prop_map(|cumulative_tsn_ack| Chunk::Shutdown(Shutdown { cumulative_tsn_ack })),
        Just(Chunk::ShutdownAck),
        vec(cause(), 1..4).prop_map(|causes| Chunk::Error(ErrorChunk { causes })),
        Just(Chunk::CookieAck),
        ecn_echo().prop_map(Chunk::EcnEcho),
        (tsn(), any::<bool>()).prop_map(|(lowest_tsn, overrides)| {
            Chunk::CongestionWindowReduced(CongestionWindowReduced { lowest_tsn, overrides })
        }),
        asconf().prop_map(Chunk::Asconf),
        (any::<u32>(), vec(parameter(), 0..4)).prop_map(|(serial, responses)| {
            Chunk::AsconfAck(AsconfAck { serial: Tsn::new(serial), responses })
        }),
        any::<bool>().prop_map(|tag_reflected| Chunk::ShutdownComplete(ShutdownComplete { tag_reflected })),
    ]
}

fn data() -> impl Strategy<Value = Sample> {
    let numbers = any::<(u32, u16, u16, u32, [bool; 4])>();
    (numbers, vec(any::<u8>(), 1..200)).prop_map(|((tsn, stream, ssn, ppid, flags), payload)| Sample::Data {
        tsn,
        stream,
        ssn,
        ppid,
        flags,
        payload,
    })
}

fn sack() -> impl Strategy<Value = Sample> {
    let gaps = vec(any::<(u16, u16)>().prop_map(|(start, end)| GapBlock { start, end }), 0..8);
    let duplicates = vec(any::<u32>().prop_map(Tsn::new), 0..4);
    (any::<(u32, u32, u8)>(), gaps, duplicates).prop_map(|((tsn, a_rwnd, flags), gaps, duplicates)| {
        Sample::Sack { tsn, a_rwnd, flags, gaps, duplicates }
    })
}

/// A SACK of which some blocks, from none to all, are R blocks.
fn nr_sack() -> impl Strategy<Value = Sample> {
    (sack(), any::<u16>()).prop_map(|(sample, share)| match sample {
        Sample::Sack { tsn, a_rwnd, flags, gaps, duplicates } => {
            let renegable = share % (gaps.len() as u16 + 1);
            Sample::NrSack { tsn, a_rwnd, flags, renegable, gaps, duplicates }
        }
        other => other,
    })
}

fn forward_tsn() -> impl Strategy<Value = Sample> {
    let skipped = any::<(u16, u16)>()
        .prop_map(|(stream, ssn)| SkippedStream { stream: StreamId::new(stream), ssn: Ssn::new(ssn) });
    (any::<u32>(), vec(skipped, 0..5)).prop_map(|(tsn, skipped)| Sample::ForwardTsn { tsn, skipped })
}

fn i_forward_tsn() -> impl Strategy<Value = Sample> {
    let skipped = any::<(u16, bool, u32)>().prop_map(|(stream, unordered, mid)| SkippedMessage {
        stream: StreamId::new(stream),
        unordered,
        mid: Mid::new(mid),
    });
    (any::<u32>(), vec(skipped, 0..5)).prop_map(|(tsn, skipped)| {
        let new_cumulative_tsn = Tsn::new(tsn);
        Sample::Whole(Chunk::IForwardTsn(IForwardTsn { new_cumulative_tsn, skipped }))
    })
}

fn i_data() -> impl Strategy<Value = Sample> {
    let fields = any::<(u32, u16, u32, u32, [bool; 4])>();
    (fields, vec(any::<u8>(), 1..60)).prop_map(|((tsn, stream, mid, number, flags), payload)| Sample::IData {
        tsn,
        stream,
        mid,
        number,
        flags,
        payload,
    })
}

/// One of the ten combinations of parameters.
fn re_config(which: u8, numbers: [Tsn; 6], count: u16, streams: &[StreamId]) -> ReConfig<'_> {
    let [request, response, last_tsn, next, sender, receiver] = numbers;
    let result = response.get() % 9;
    let (first_streams, second_streams) = streams.split_at(streams.len() / 2);
    let reset =
        ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams: first_streams.into() };
    let incoming = ReConfigParameter::ResetIncoming { request: next, streams: second_streams.into() };
    let answer = ReConfigParameter::Response { request, result, next_tsns: Some((sender, receiver)) };
    let bare = ReConfigParameter::Response { request: next, result, next_tsns: None };
    let add = ReConfigParameter::AddOutgoing { request, count };
    let add_incoming = ReConfigParameter::AddIncoming { request: next, count };
    match which {
        0 => ReConfig::of(reset),
        1 => ReConfig::of(incoming),
        2 => ReConfig { first: reset, second: Some(incoming) },
        3 => ReConfig::of(ReConfigParameter::ResetAssociation { request }),
        4 => ReConfig::of(add),
        5 => ReConfig::of(add_incoming),
        6 => ReConfig { first: add, second: Some(add_incoming) },
        7 => ReConfig::of(answer),
        8 => ReConfig { first: bare, second: Some(reset) },
        _ => ReConfig { first: answer, second: Some(bare) },
    }
}

fn any_re_config() -> impl Strategy<Value = Sample> {
    let streams = vec(any::<u16>().prop_map(StreamId::new), 0..9);
    (0..10_u8, any::<[u32; 6]>(), any::<u16>(), streams)
        .prop_map(|(which, numbers, count, streams)| Sample::ReConfig { which, numbers, count, streams })
}

fn sample() -> impl Strategy<Value = Sample> {
    let unknown = (
        prop_oneof![17..64_u8, 65..128_u8, Just(129), Just(131), 133..165_u8, 166..192_u8, 195..=255_u8],
        any::<u8>(),
        bytes(),
    );
    prop_oneof![
        4 => whole().prop_map(Sample::Whole),
        2 => data(),
        2 => sack(),
        1 => nr_sack(),
        1 => bytes().prop_map(Sample::CookieEcho),
        1 => (0..70_usize).prop_map(Sample::Pad),
        1 => bytes().prop_map(Sample::Test),
        1 => (any::<(u16, u16)>(), bytes())
            .prop_map(|((key, algorithm), code)| Sample::Auth { key, algorithm, code }),
        1 => forward_tsn(),
        1 => i_forward_tsn(),
        2 => i_data(),
        1 => any_re_config(),
        1 => unknown.prop_map(|(kind, flags, value)| Sample::Unknown { kind, flags, value }),
    ]
}

fn header() -> impl Strategy<Value = CommonHeader> {
    any::<(u16, u16, u32)>().prop_map(|(source_port, destination_port, tag)| CommonHeader {
        source_port,
        destination_port,
        verification_tag: VerificationTag::new(tag),
    })
}

fn checksum() -> impl Strategy<Value = Checksum> {
    prop_oneof![Just(Checksum::Crc32c), Just(Checksum::Omitted)]
}

/// The packet of these chunks, behind what `buffer` holds already.
fn build(buffer: &mut Vec<u8>, header: CommonHeader, samples: &[Sample], checksum: Checksum) -> usize {
    let mut builder = PacketBuilder::new(buffer, header, usize::MAX);
    for sample in samples {
        builder.push(&sample.chunk()).expect("no limit");
    }
    builder.finish(checksum)
}

/// Reads everything there is to read, and returns the number of chunks and errors.
fn read_all(bytes: &[u8]) -> usize {
    let Ok(packet) = Packet::decode(bytes, Checksum::Omitted) else { return 0 };
    let mut read = 0;
    for chunk in packet.chunks() {
        read += 1;
        match chunk {
            Ok(chunk) => {
                assert!(!chunk.to_string().is_empty());
                assert!(chunk.encoded_len().is_multiple_of(4));
                let mut again = Vec::new();
                chunk.encode(&mut again);
                assert_eq!(again.len(), chunk.encoded_len());
                if let Chunk::Sack(sack) = chunk {
                    sack.is_well_formed();
                }
            }
            Err(error) => assert!(!error.cause().to_string().is_empty()),
        }
    }
    read
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_chunks_survive_a_packet_and_no_byte_is_left_over(
        header in header(),
        samples in vec(sample(), 1..8),
        checksum in checksum(),
        before in bytes(),
    ) {
        let mut buffer = before.clone();
        let length = build(&mut buffer, header, &samples, checksum);
        prop_assert_eq!(&buffer[..before.len()], &before[..]);
        prop_assert_eq!(buffer.len(), before.len() + length);

        let packet = Packet::decode(&buffer[before.len()..], checksum).expect("a packet");
        prop_assert_eq!(packet.header(), header);
        let chunks: Vec<Chunk<'_>> = packet.chunks().map(|chunk| chunk.expect("a chunk")).collect();
        prop_assert_eq!(&chunks, &samples.iter().map(Sample::chunk).collect::<Vec<_>>());
        prop_assert_eq!(length, 12 + chunks.iter().map(EncodeChunk::encoded_len).sum::<usize>());
    }

    #[test]
    fn a_packet_never_exceeds_its_limit_and_holds_what_was_accepted(
        header in header(),
        samples in vec(sample(), 1..8),
        limit in 0..600_usize,
    ) {
        let mut buffer = Vec::new();
        let mut builder = PacketBuilder::new(&mut buffer, header, limit);
        let mut accepted = Vec::new();
        for sample in &samples {
            let (chunk, remaining) = (sample.chunk(), builder.remaining());
            match builder.push(&chunk) {
                Ok(()) => accepted.push(chunk),
                Err(full) => {
                    prop_assert!(full.needed > full.remaining);
                    prop_assert_eq!(builder.remaining(), remaining);
                }
            }
        }
        let length = builder.finish(Checksum::Crc32c);
        prop_assert_eq!(length, buffer.len());
        prop_assert_eq!(length == 0, accepted.is_empty());
        prop_assert!(length == 0 || length <= limit);
        if length > 0 {
            let packet = Packet::decode(&buffer, Checksum::Crc32c).expect("a packet");
            let chunks: Vec<Chunk<'_>> = packet.chunks().map(|chunk| chunk.expect("a chunk")).collect();
            prop_assert_eq!(chunks, accepted);
        }
    }

    #[test]
    fn any_flipped_bit_fails_the_checksum(
        header in header(), samples in vec(sample(), 1..4), at in any::<prop::sample::Index>(), bit in 0..8_u8,
    ) {
        let mut buffer = Vec::new();
        build(&mut buffer, header, &samples, Checksum::Crc32c);
        let at = at.index(buffer.len());
        buffer[at] ^= 1_u8 << bit;
        prop_assert!(Packet::decode(&buffer, Checksum::Crc32c).is_err());
    }

    #[test]
    fn no_bytes_whatever_harm_the_decoder(random in vec(any::<u8>(), 0..400)) {
        prop_assert!(read_all(&random) <= random.len() / 4);
    }

    #[test]
    fn no_chunks_whatever_harm_the_decoder(
        kinds in vec((prop_oneof![0..16_u8, Just(128), Just(130), Just(132), Just(192), Just(193), any::<u8>()], vec(any::<u8>(), 0..40)), 1..6),
    ) {
        let mut packet = vec![0; 12];
        for (kind, value) in &kinds {
            packet.extend([*kind, 0, 0, 4 + value.len() as u8]);
            packet.extend(value);
            packet.resize(packet.len().next_multiple_of(4), 0);
        }
        prop_assert_eq!(read_all(&packet), kinds.len());
    }

    #[test]
    fn no_damage_to_a_packet_harms_the_decoder(
        header in header(),
        samples in vec(sample(), 1..6),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut buffer = Vec::new();
        build(&mut buffer, header, &samples, Checksum::Crc32c);
        buffer.truncate(cut.index(buffer.len() + 1));
        for (at, byte) in &damage {
            if !buffer.is_empty() {
                let at = at.index(buffer.len());
                buffer[at] = *byte;
            }
        }
        prop_assert!(read_all(&buffer) <= buffer.len() / 4);
    }
}
