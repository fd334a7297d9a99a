//! Messages on their way: fragments, streams, bundles, acknowledgements, and the receive window
//! (RFC 9260 §6).

use crate::pair::{End, Faults, PORT, Pair, chunks, data, packet, packet_with};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Message, Outgoing, Reliability, SendError};
use anabranch_sctp::config::{BurstRule, Charge, Config, InitialWindow, MaxBurst, MessageLimit};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Cause, Chunk, CommonHeader, CookieAck, CookieEcho, Data, EncodeChunk, ErrorChunk, GapBlock, Heartbeat,
    HeartbeatAck, Init, Parameter, Ppid, Sack, StreamId, UnknownChunk, VerificationTag,
};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// An open association in which each end has already sent and received: the first DATA of all is acknowledged
/// at once, which is not what most of these tests are about.
fn warm(config: Config) -> Pair {
    let mut pair = Pair::open(config, 1);
    for end in [End::A, End::Z] {
        pair.send(end, 10);
        pair.run_for(ms(300));
        assert_eq!(pair.receive(end.other()).len(), 1);
    }
    pair.log.clear();
    pair.a.events.clear();
    pair.z.events.clear();
    pair
}

/// Returns the content of the last SACK among these packets: cumulative TSN, window, blocks, duplicates.
fn last_sack(packets: &[Bytes]) -> (Tsn, u32, Vec<GapBlock>, Vec<Tsn>) {
    let sacks = packets.iter().flat_map(|bytes| {
        chunks(bytes).into_iter().filter_map(|chunk| match chunk {
            Chunk::Sack(sack) => {
                let (gaps, duplicates) = (sack.gap_blocks.iter().collect(), sack.duplicates.iter().collect());
                Some((sack.cumulative_tsn_ack, sack.a_rwnd, gaps, duplicates))
            }
            _ => None,
        })
    });
    sacks.last().expect("there is a SACK")
}

/// The bytes of all DATA chunks in these packets: TSN, SSN, B, E, length.
fn data_of(packets: &[Bytes]) -> Vec<(Tsn, Ssn, bool, bool, usize)> {
    let of_packet = |bytes: &Bytes| -> Vec<_> {
        let data = chunks(bytes).into_iter().filter_map(|chunk| match chunk {
            Chunk::Data(data) => Some((data.tsn, data.ssn, data.beginning, data.ending, data.payload.len())),
            _ => None,
        });
        data.collect()
    };
    packets.iter().flat_map(of_packet).collect()
}

/// Opens an association with Z by hand, as a peer whose first TSN is `initial`; Z's tag.
fn peer_by_hand(pair: &mut Pair, initial: Tsn) -> VerificationTag {
    pair.keep_packets();
    // The end A of the pair has no association, and would abort this one.
    pair.pipes[0].drop_next[End::Z as usize] = u32::MAX;
    let init = Init {
        initiate_tag: VerificationTag::new(77),
        a_rwnd: 100_000,
        outbound_streams: 4,
        inbound_streams: 4,
        initial_tsn: initial,
        parameters: Vec::new(),
    };
    pair.inject(End::Z, 0, packet(VerificationTag::ZERO, &[&init]));
    pair.run_for(Duration::ZERO);
    let answers = pair.take_packets(End::Z);
    let [Chunk::InitAck(ack)] = &chunks(&answers[0])[..] else { panic!("no INIT-ACK") };
    let Some(Parameter::StateCookie(cookie)) = ack.parameters.first() else { panic!("no cookie") };
    pair.inject(End::Z, 0, packet(ack.initiate_tag, &[&CookieEcho { cookie }]));
    pair.run_for(Duration::ZERO);
    assert_eq!(pair.take_log(), ["Z -> COOKIE-ACK -> lost"]);
    ack.initiate_tag
}

// Fragments, streams and order (RFC 9260 §6.5, §6.6, §6.9).

#[test]
fn a_large_message_travels_in_chunks_of_consecutive_tsns_and_one_ssn() {
    let mut pair = warm(Config::rfc9260());
    pair.keep_packets();
    pair.send(End::A, 5000);
    pair.run_for(ms(100));
    let sent = data_of(&pair.take_packets(End::A));
    let shape: Vec<_> = sent.iter().map(|&(_, _, begins, ends, length)| (begins, ends, length)).collect();
    let expected = [(true, false, 1444), (false, false, 1444), (false, false, 1444), (false, true, 668)];
    assert_eq!(shape, expected, "1,500 bytes less IP, UDP, the common header and the chunk's own");
    assert!(sent.windows(2).all(|two| two[0].0.next() == two[1].0 && two[0].1 == two[1].1));
    let messages = pair.receive(End::Z);
    assert_eq!(messages.iter().map(Message::len).collect::<Vec<_>>(), [5000]);
}

#[test]
fn a_fragment_that_is_lost_holds_up_the_whole_message() {
    let mut pair = warm(Config::rfc9260());
    pair.lose_nth(End::A, "DATA", 2);
    let payload = Bytes::from_iter((0..5000u32).map(|at| at as u8));
    pair.try_send(End::A, 3, false, payload.clone()).expect("there is room");
    pair.run_for(ms(100));
    assert!(pair.receive(End::Z).is_empty());
    pair.run_for(secs(3));
    let messages = pair.receive(End::Z);
    assert_eq!(messages[0].stream, StreamId::new(3));
    assert_eq!(messages[0].clone().into_bytes(), payload);
}

#[test]
fn a_loss_on_one_stream_does_not_hold_up_another() {
    let mut pair = warm(Config::rfc9260());
    pair.lose(End::A, "DATA");
    for (stream, text) in [(0, "lost"), (0, "waits"), (1, "goes on")] {
        pair.try_send(End::A, stream, false, Bytes::from(text)).expect("there is room");
    }
    pair.run_for(ms(100));
    let texts = |pair: &mut Pair| -> Vec<Bytes> {
        pair.receive(End::Z).into_iter().map(Message::into_bytes).collect()
    };
    assert_eq!(texts(&mut pair), ["goes on"]);
    pair.run_for(secs(3));
    assert_eq!(texts(&mut pair), ["lost", "waits"]);
}

#[test]
fn an_unordered_message_does_not_wait_and_takes_no_place() {
    let mut pair = warm(Config::rfc9260());
    pair.lose(End::A, "DATA");
    for (unordered, text) in [(false, "first"), (true, "urgent"), (false, "second")] {
        pair.try_send(End::A, 0, unordered, Bytes::from(text)).expect("there is room");
    }
    pair.run_for(ms(100));
    let messages = pair.receive(End::Z);
    assert_eq!(messages.len(), 1);
    assert!(messages[0].unordered && messages[0].clone().into_bytes() == "urgent");
    pair.run_for(secs(3));
    let ssns: Vec<Ssn> = pair.receive(End::Z).iter().map(|message| message.ssn).collect();
    assert_eq!(ssns, [Ssn::new(1), Ssn::new(2)], "SSN 0 went before; the unordered one had none");
}

#[test]
fn the_payload_protocol_identifier_is_only_carried() {
    let mut pair = warm(Config::rfc9260());
    let now = pair.now;
    let ppid = Ppid::new(0xfeed_beef);
    let payload = Bytes::from(vec![1; 4000]);
    let message = Outgoing {
        stream: StreamId::new(0),
        ppid,
        unordered: false,
        immediate: false,
        reliability: Reliability::Full,
        payload,
    };
    pair.at(End::A).send(now, message).expect("there is room");
    pair.settle(End::A);
    pair.run_for(ms(100));
    assert_eq!(pair.receive(End::Z)[0].ppid, ppid);
}

/// RFC 9260 §6.5: "acknowledge the reception of the DATA chunk following the normal procedure, immediately send
/// an ERROR chunk with cause set to "Invalid Stream Identifier" [...], and discard the DATA chunk".
#[test]
fn data_on_a_stream_that_does_not_exist_is_acknowledged_and_reported() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1000));
    let stray = Data { stream: StreamId::new(4), ..data(Tsn::new(1000), b"stray") };
    pair.inject(End::Z, 0, packet(tag, &[&stray]));
    pair.run_for(Duration::ZERO);
    let packets = pair.take_packets(End::Z);
    let causes = vec![Cause::InvalidStreamIdentifier(StreamId::new(4))];
    assert_eq!(chunks(&packets[0])[0], Chunk::Error(ErrorChunk { causes }));
    assert_eq!(last_sack(&packets).0, Tsn::new(1000));
    assert!(pair.receive(End::Z).is_empty());
    assert!(pair.at(End::Z).is_open());
}

/// RFC 9260 §6.2: "it SHOULD send an ABORT chunk with a "No User Data" error cause".
#[test]
fn data_without_user_data_ends_the_association() {
    let mut pair = warm(Config::rfc9260());
    pair.keep_packets();
    pair.forge(End::Z, &[&data(Tsn::new(5), b"")]);
    let packets = pair.take_packets(End::Z);
    let [Chunk::Abort(abort)] = &chunks(&packets[0])[..] else { panic!("no ABORT") };
    assert_eq!(abort.causes, [Cause::NoUserData(Tsn::new(5))]);
    assert!(matches!(pair.closed(End::Z), Some(CloseReason::ProtocolViolation { .. })));
}

#[test]
fn fragments_that_make_no_sense_end_the_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    let first = Data { ending: false, ..data(Tsn::new(1), b"begins") };
    let second = data(Tsn::new(2), b"begins again");
    pair.inject(End::Z, 0, packet(tag, &[&first, &second]));
    pair.run_for(Duration::ZERO);
    assert_eq!(pair.take_log(), ["Z -> ABORT -> lost"]);
    assert!(matches!(pair.closed(End::Z), Some(CloseReason::ProtocolViolation { .. })));
}

#[test]
fn an_acknowledgement_of_what_was_never_sent_ends_the_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    pair.send(End::Z, 100);
    let sent = data_of(&pair.take_packets(End::Z))[0].0;
    pair.inject(End::Z, 0, packet(tag, &[&sack(sent.next(), 1000, &[])]));
    pair.run_for(Duration::ZERO);
    assert_eq!(pair.take_log(), ["Z -> ABORT -> lost"]);
}

fn sack<'a>(cumulative_tsn_ack: Tsn, a_rwnd: u32, gaps: &'a [GapBlock]) -> Sack<'a> {
    Sack { cumulative_tsn_ack, a_rwnd, flags: 0, gap_blocks: gaps.into(), duplicates: [].as_slice().into() }
}

// TSNs and SSNs that wrap.

#[test]
fn a_receiver_counts_tsns_over_the_wrap() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let initial = Tsn::new(u32::MAX - 1);
    let tag = peer_by_hand(&mut pair, initial);
    // The third of five is missing at first: TSN 0.
    for index in [0, 1, 3, 4, 2u16] {
        let chunk = Data { ssn: Ssn::new(index), ..data(initial.plus(u32::from(index)), b"over the wrap") };
        pair.inject(End::Z, 0, packet(tag, &[&chunk]));
        pair.run_for(Duration::ZERO);
        if index == 4 {
            let (cumulative, _, gaps, _) = last_sack(&pair.take_packets(End::Z));
            assert_eq!((cumulative, gaps), (Tsn::new(u32::MAX), vec![GapBlock { start: 2, end: 3 }]));
        }
    }
    let (cumulative, _, gaps, _) = last_sack(&pair.take_packets(End::Z));
    assert_eq!((cumulative, gaps.len()), (Tsn::new(2), 0));
    assert_eq!(pair.receive(End::Z).len(), 5);
}

#[test]
fn a_sender_counts_tsns_over_the_wrap() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    // Of many seeds one whose first TSN is close to the wrap.
    pair.reseed(End::A, 171_850);
    pair.keep_packets();
    pair.establish();
    pair.z.reads_at_once = true;
    pair.faults = Faults { loss: 20, ..Faults::default() };
    pair.send_at_once(End::A, 4300, 100);
    let first = data_of(&pair.take_packets(End::A))[0].0;
    assert!((1..4000).contains(&(u32::MAX - first.get())), "{first:?}");
    pair.run_for(secs(120));
    assert_eq!(pair.z.read.len(), 4300);
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
}

#[test]
fn a_stream_counts_its_messages_over_the_wrap() {
    let mut pair = warm(Config::rfc9260());
    pair.z.reads_at_once = true;
    pair.lose_nth(End::A, "DATA", 900);
    let total = 66_000;
    let mut left = total;
    while left > 0 {
        let now = left.min(2000);
        pair.send_at_once(End::A, now, 1);
        left -= now;
        pair.run_for(secs(2));
        pair.log.clear();
    }
    pair.run_for(secs(5));
    let ssns: Vec<u16> = pair.z.read.iter().map(|message| message.ssn.get()).collect();
    assert_eq!(ssns.len(), total);
    assert!(ssns.iter().zip(1..=u16::MAX).all(|(ssn, expected)| *ssn == expected));
    assert_eq!(ssns[65_534..65_538], [65_535, 0, 1, 2]);
}

/// RFC 9260 §6.1: "For each stream, the data sender MUST NOT have more than 2^16 - 1 ordered user messages in the
/// current send window." Half as many: a receiver that compares SSNs by serial number arithmetic mistakes one 32,768
/// ahead for one that has passed.
#[test]
fn less_than_half_of_the_messages_that_a_stream_can_number_are_outstanding() {
    let config = Config {
        initial_window: InitialWindow::Bytes(ByteCount::from_mib(8)),
        receive_buffer: ByteCount::from_mib(8),
        send_buffer: ByteCount::from_mib(16),
        max_burst: MaxBurst { packets: u32::MAX, rule: BurstRule::Event },
        ..Config::rfc9260()
    };
    let mut pair = Pair::open(config, 1);
    pair.keep_packets();
    pair.send_at_once(End::A, 70_000, 1);
    assert_eq!(data_of(&pair.take_packets(End::A)).len(), 32_767);
    pair.z.reads_at_once = true;
    pair.run_for(secs(5));
    assert_eq!(pair.z.read.len(), 70_000);
}

// Bundles (RFC 9260 §6.10).

#[test]
fn small_messages_that_wait_together_travel_together() {
    let mut pair = warm(Config::rfc9260());
    pair.send_at_once(End::A, 20, 100);
    pair.run_for(ms(300));
    let twelve = ["DATA"; 12].join(" + ");
    let eight = ["DATA"; 8].join(" + ");
    let dialogue = [format!("A -> {twelve} -> Z"), format!("A -> {eight} -> Z"), "Z -> SACK -> A".into()];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!(pair.receive(End::Z).len(), 20);
}

/// A driver hands these packets to the system in one call, which cuts them at every `segment_size`: a shorter packet
/// can only be the last.
#[test]
fn packets_for_one_path_leave_together_up_to_the_first_that_is_shorter() {
    let mut pair = warm(Config {
        initial_window: InitialWindow::Bytes(ByteCount::new(50_000)),
        max_burst: MaxBurst { packets: u32::MAX, rule: BurstRule::Event },
        ..Config::rfc9260()
    });
    let now = pair.now;
    for length in [1_000, 1_000, 1_000, 400, 1_000] {
        let (stream, payload) = (StreamId::new(0), Bytes::from(vec![7; length]));
        let message = Outgoing {
            stream,
            ppid: Ppid::new(0),
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload,
        };
        pair.at(End::A).send(now, message).expect("there is room");
    }
    let mut bytes = Vec::new();
    let batches = std::iter::from_fn(|| pair.a.endpoint.poll_transmit(now, &mut bytes, 8));
    let lengths: Vec<(usize, usize)> =
        batches.map(|departure| (departure.transmit.segment_size, departure.transmit.len)).collect();
    assert_eq!(lengths, [(1_028, 3 * 1_028 + 428), (1_028, 1_028)]);
}

/// "The total size of the resultant SCTP packet MUST be less than or equal to the current PMTU", "the transmitter
/// MUST transmit DATA chunks within an SCTP packet in increasing order of TSN".
#[test]
fn packets_keep_to_the_mtu_and_tsns_to_their_order() {
    let mut pair = warm(Config { mtu: ByteCount::new(600), ..Config::rfc9260() });
    pair.keep_packets();
    for length in [10, 300, 2000, 90, 500, 7] {
        pair.send(End::A, length);
    }
    pair.run_for(secs(1));
    let packets = pair.take_packets(End::A);
    assert!(packets.iter().all(|bytes| bytes.len() <= 600 - 28), "IP and UDP take 28 bytes");
    let tsns: Vec<Tsn> = data_of(&packets).iter().map(|chunk| chunk.0).collect();
    assert!(tsns.windows(2).all(|two| two[0].is_before(two[1])));
    assert_eq!(pair.receive(End::Z).len(), 6);
}

/// RFC 9260 §6.1: "if any received DATA chunks have not been acknowledged (e.g., due to delayed ack), the sender
/// SHOULD create a SACK chunk and bundle it with the outbound DATA chunk".
#[test]
fn an_acknowledgement_rides_in_front_of_data() {
    let mut pair = warm(Config::rfc9260());
    pair.send(End::A, 100);
    pair.run_for(ms(20));
    pair.send(End::Z, 100);
    pair.run_for(ms(20));
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "Z -> SACK + DATA -> A"]);
}

// When a SACK is sent (RFC 9260 §5.1, §6.2, §6.7).

#[test]
fn the_first_data_of_all_is_acknowledged_at_once() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.send(End::A, 100);
    pair.run_for(ms(20));
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "Z -> SACK -> A"]);
    pair.send(End::A, 100);
    pair.run_for(ms(20));
    assert_eq!(pair.take_log(), ["A -> DATA -> Z"], "the second waits for company");
}

#[test]
fn every_second_packet_is_acknowledged_and_the_last_one_after_200_ms() {
    let mut pair = warm(Config::rfc9260());
    let start = pair.now;
    (0..3).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(500));
    let dialogue = [
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "10 Z -> SACK -> A",
        "210 Z -> SACK -> A",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
}

/// "The data receiver continues sending a SACK chunk after receipt of each SCTP packet that does not fill the
/// gap."
#[test]
fn while_a_tsn_is_missing_every_packet_is_acknowledged_at_once() {
    let mut pair = warm(Config { missing_reports: 255, ..Config::rfc9260() });
    pair.keep_packets();
    let start = pair.now;
    pair.lose(End::A, "DATA");
    (0..4).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(50));
    let packets: Vec<Bytes> =
        pair.log.iter().filter(|line| line.from == End::Z).map(|line| line.bytes.clone()).collect();
    assert_eq!(packets.len(), 3);
    assert_eq!(last_sack(&packets).2, [GapBlock { start: 2, end: 4 }]);
    let dialogue = [
        "0 A -> DATA -> lost",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "10 Z -> SACK -> A",
        "10 Z -> SACK -> A",
        "10 Z -> SACK -> A",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
    pair.run_for(secs(2));
    let end = ["1000 A -> DATA -> Z", "1010 Z -> SACK -> A"];
    assert_eq!(pair.take_timed_log(start), end, "the packet that closes the gap is acknowledged at once");
}

#[test]
fn a_duplicate_is_acknowledged_at_once_and_named() {
    let mut pair = warm(Config::rfc9260());
    pair.keep_packets();
    pair.send(End::A, 1000);
    let sent = pair.take_packets(End::A);
    let tsn = data_of(&sent)[0].0;
    pair.run_for(ms(300));
    pair.take_log();
    pair.inject(End::Z, 0, sent[0].to_vec());
    pair.run_for(ms(1));
    let (cumulative, _, _, duplicates) = last_sack(&pair.take_packets(End::Z));
    assert_eq!((cumulative, duplicates), (tsn, vec![tsn]));
    assert_eq!(pair.receive(End::Z).len(), 1, "it is delivered once");
}

#[test]
fn data_with_the_i_bit_is_acknowledged_at_once() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    pair.inject(End::Z, 0, packet(tag, &[&data(Tsn::new(1), b"the first of all")]));
    pair.run_for(ms(300));
    pair.take_log();
    let second = Data { ssn: Ssn::new(1), ..data(Tsn::new(2), b"delayed") };
    pair.inject(End::Z, 0, packet(tag, &[&second]));
    pair.run_for(ms(100));
    assert!(pair.take_log().is_empty());
    pair.run_for(ms(300));
    pair.take_log();
    let third = Data { ssn: Ssn::new(2), immediate: true, ..data(Tsn::new(3), b"at once") };
    pair.inject(End::Z, 0, packet(tag, &[&third]));
    pair.run_for(ms(1));
    assert_eq!(pair.take_log(), ["Z -> SACK -> lost"]);
}

#[test]
fn with_delayed_acknowledgements_off_every_packet_is_acknowledged() {
    let mut config = Config::rfc9260();
    config.sack.every = 1;
    let mut pair = warm(config);
    (0..3).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(100));
    assert_eq!(pair.take_log().iter().filter(|line| *line == "Z -> SACK -> A").count(), 3);
}

// Chunks and their types (RFC 9260 §3.2).

#[test]
fn unknown_chunks_are_reported_and_read_past_as_their_high_bits_say() {
    for (kind, is_reported, is_read_past) in
        [(0x3e, false, false), (0x7e, true, false), (0xbe, false, true), (0xfe, true, true)]
    {
        let mut pair = Pair::new(Config::rfc9260(), 1);
        let tag = peer_by_hand(&mut pair, Tsn::new(1));
        let unknown = UnknownChunk { kind, flags: 0, value: &[1, 2, 3, 4] };
        pair.inject(End::Z, 0, packet(tag, &[&unknown, &data(Tsn::new(1), b"behind it")]));
        pair.run_for(Duration::ZERO);
        let packets = pair.take_packets(End::Z);
        let reports: Vec<_> =
            packets.iter().flat_map(chunks).filter(|c| matches!(c, Chunk::Error(_))).collect();
        let causes = vec![Cause::UnrecognizedChunkType(unknown.to_bytes())];
        let expected = if is_reported { vec![Chunk::Error(ErrorChunk { causes })] } else { Vec::new() };
        assert_eq!(reports, expected, "{kind:#x}");
        assert_eq!(!pair.receive(End::Z).is_empty(), is_read_past, "{kind:#x}");
    }
}

#[test]
fn a_chunk_that_runs_past_the_packet_is_dropped_and_what_came_before_it_counts() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    let mut bytes = packet(tag, &[&data(Tsn::new(1), b"whole message"), &data(Tsn::new(2), b"cut short")]);
    bytes.truncate(bytes.len() - 8);
    let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
    pair.inject(End::Z, 0, reseal(header, &bytes[12..]));
    pair.run_for(Duration::ZERO);
    assert_eq!(pair.receive(End::Z).len(), 1);
    assert!(pair.at(End::Z).is_open());
}

/// A packet of these raw chunks with a right checksum.
fn reseal(header: CommonHeader, raw: &[u8]) -> Vec<u8> {
    struct Raw<'a>(&'a [u8]);
    impl EncodeChunk for Raw<'_> {
        fn kind(&self) -> u8 {
            self.0[0]
        }

        fn value_len(&self) -> usize {
            self.0.len() - 4
        }
        fn encode(&self, out: &mut Vec<u8>) {
            out.extend_from_slice(self.0);
        }
    }
    packet_with(header, &[&Raw(raw)])
}

#[test]
fn a_heartbeat_is_answered_at_once_with_the_same_information() {
    let mut pair = warm(Config::rfc9260());
    pair.keep_packets();
    let info = vec![9; 33];
    pair.forge(End::Z, &[&Heartbeat::new(info.clone())]);
    let packets = pair.take_packets(End::Z);
    assert_eq!(chunks(&packets[0]), [Chunk::HeartbeatAck(HeartbeatAck::new(info))]);
}

#[test]
fn a_packet_with_a_wrong_checksum_is_dropped() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    let mut bytes = packet(tag, &[&data(Tsn::new(1), b"spoilt")]);
    *bytes.last_mut().expect("bytes") ^= 1;
    pair.inject(End::Z, 0, bytes);
    pair.run_for(ms(500));
    assert!(pair.take_log().is_empty());
    pair.inject(End::Z, 0, packet(tag, &[&CookieAck, &data(Tsn::new(1), b"sound")]));
    pair.run_for(ms(1));
    assert_eq!(pair.receive(End::Z).len(), 1);
}

// The receive window (RFC 9260 §6.1 A, §6.2, §6.2.1).

/// A receiver of six messages of 1,000 bytes, read only when the test reads.
fn small_buffer() -> Config {
    Config { receive_buffer: ByteCount::new(6000), ..Config::rfc9260() }
}

#[test]
fn sending_stops_when_the_peer_has_no_room() {
    let mut pair = warm(small_buffer());
    pair.keep_packets();
    (0..20).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(500));
    let a_rwnd = last_sack(&pair.take_packets(End::Z)).1;
    assert_eq!(a_rwnd, 0);
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::new(6000));
    assert_eq!(pair.receive(End::Z).len(), 6);
    pair.run_for(secs(2));
    assert_eq!(pair.receive(End::Z).len(), 6);
}

/// "The sender SHOULD send the first zero window probe after 1 RTO when it detects that the receiver has closed
/// its window and SHOULD increase the probe interval exponentially afterwards."
#[test]
fn a_closed_window_is_probed_after_one_rto_and_then_ever_more_rarely() {
    let mut pair = warm(small_buffer());
    (0..8).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(300));
    let start = pair.now;
    pair.log.clear();
    pair.run_for(secs(40));
    let probes: Vec<u64> = pair
        .log
        .iter()
        .filter(|line| line.text == "A -> DATA -> Z")
        .map(|line| line.at.since(start).as_millis() / 1000)
        .collect();
    let waits: Vec<u64> = probes.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(waits.windows(2).all(|two| two[1] >= two[0]) && waits.len() >= 4, "{waits:?}");
    assert_eq!(waits[..4], [1, 2, 4, 8]);
    assert_eq!(probes[0], 0, "one RTO after the window closed");
}

#[test]
fn a_reader_that_reads_again_tells_the_peer_at_once() {
    let mut pair = warm(small_buffer());
    (0..12).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(500));
    pair.log.clear();
    let start = pair.now;
    assert_eq!(pair.receive(End::Z).len(), 6);
    pair.run_for(ms(15));
    let dialogue = [
        "0 Z -> SACK -> A",
        "10 A -> DATA -> Z",
        "10 A -> DATA -> Z",
        "10 A -> DATA -> Z",
        "10 A -> DATA -> Z",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
    pair.run_for(secs(1));
    assert_eq!(pair.receive(End::Z).len(), 6);
}

/// "The receiver MUST also have an algorithm for advertising its receive window to avoid receiver silly window
/// syndrome".
#[test]
fn a_reader_that_reads_in_small_bits_opens_the_window_in_large_ones() {
    let mut pair = warm(small_buffer());
    (0..30).for_each(|_| pair.send(End::A, 300));
    pair.run_for(ms(800));
    pair.log.clear();
    let mut read = 0;
    while pair.log.is_empty() {
        assert!(pair.at(End::Z).receive().is_some(), "all was read and no SACK sent");
        read += 1;
        pair.settle(End::Z);
    }
    assert_eq!(pair.take_log(), ["Z -> SACK -> A"]);
    assert_eq!(read, 5, "1,500 bytes are worth a SACK, one full packet");
}

#[test]
fn a_window_update_that_is_lost_is_made_up_for_by_a_probe() {
    let mut pair = warm(small_buffer());
    (0..8).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(300));
    pair.lose(End::Z, "SACK");
    assert_eq!(pair.receive(End::Z).len(), 6);
    pair.run_for(ms(500));
    assert!(pair.receive(End::Z).is_empty(), "no SACK reached A");
    pair.run_for(secs(2));
    assert_eq!(pair.receive(End::Z).len(), 2);
}

#[test]
fn probes_that_are_answered_raise_no_error_count_and_cost_no_window() {
    let mut pair = warm(small_buffer());
    let before = pair.path(End::A, 0).cwnd;
    (0..8).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(secs(600));
    assert_eq!(pair.closed(End::A), None);
    assert_eq!(pair.a.events, []);
    assert!(pair.path(End::A, 0).cwnd >= before);
    assert_eq!(pair.receive(End::Z).len(), 6);
    pair.run_for(secs(61));
    assert_eq!(pair.receive(End::Z).len(), 2);
}

/// RFC 9260 §6.2: "When the receiver's advertised window is 0, the receiver MUST drop any new incoming DATA chunk
/// [...]. In either case, if such a DATA chunk is dropped, the receiver MUST immediately send back a SACK chunk".
#[test]
fn data_that_finds_no_room_is_dropped_and_not_acknowledged() {
    let mut pair = Pair::new(Config { receive_buffer: ByteCount::new(2000), ..Config::rfc9260() }, 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    for index in 0..3u16 {
        let chunk = Data { ssn: Ssn::new(index), ..data(Tsn::new(1 + u32::from(index)), &[1; 1000]) };
        pair.inject(End::Z, 0, packet(tag, &[&chunk]));
        pair.run_for(Duration::ZERO);
    }
    let (cumulative, a_rwnd, gaps, _) = last_sack(&pair.take_packets(End::Z));
    assert_eq!((cumulative, a_rwnd, gaps.len()), (Tsn::new(2), 0, 0));
    assert_eq!(pair.receive(End::Z).len(), 2);
}

#[test]
fn a_chunk_that_everything_waits_for_is_taken_beyond_the_buffer() {
    let mut pair = Pair::new(Config { receive_buffer: ByteCount::new(2000), ..Config::rfc9260() }, 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    for tsn in [2u16, 3, 1] {
        let chunk = Data { ssn: Ssn::new(tsn - 1), ..data(Tsn::new(u32::from(tsn)), &[1; 1000]) };
        pair.inject(End::Z, 0, packet(tag, &[&chunk]));
        pair.run_for(Duration::ZERO);
    }
    assert_eq!(pair.receive(End::Z).len(), 3);
}

/// RFC 9260 §6.2.1 D: the window is "the newly received a_rwnd minus the number of bytes still outstanding".
#[test]
fn what_is_still_on_its_way_counts_against_the_window() {
    let config = Config { initial_window: InitialWindow::Bytes(ByteCount::new(50_000)), ..Config::rfc9260() };
    let mut pair = Pair::new(config, 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    (0..10).for_each(|_| pair.send(End::Z, 1000));
    let sent = data_of(&pair.take_packets(End::Z));
    let first = sent[0].0;
    assert_eq!(sent.len(), 10);
    // Two of ten arrived, 8,000 bytes are on their way, and there is room for 9,000: one more may leave.
    pair.inject(End::Z, 0, packet(tag, &[&sack(first.next(), 9000, &[])]));
    pair.run_for(Duration::ZERO);
    (0..5).for_each(|_| pair.send(End::Z, 1000));
    assert_eq!(data_of(&pair.take_packets(End::Z)).len(), 1);
}

/// RFC 9260 §6.2.1 D i: "If the Cumulative TSN Ack is less than the Cumulative TSN Ack Point, then drop the SACK": it was
/// overtaken, and its window is older than what is known.
#[test]
fn the_window_of_a_sack_that_was_overtaken_means_nothing() {
    for (present, overtaken, leave) in [(1_500, 100_000, 0), (100_000, 0, 5)] {
        let window = InitialWindow::Bytes(ByteCount::new(50_000));
        let mut pair = Pair::new(Config { initial_window: window, ..Config::rfc9260() }, 1);
        let tag = peer_by_hand(&mut pair, Tsn::new(1));
        (0..3).for_each(|_| pair.send(End::Z, 1000));
        let first = data_of(&pair.take_packets(End::Z))[0].0;
        // Two of three arrived, 1,000 bytes are on their way.
        pair.inject(End::Z, 0, packet(tag, &[&sack(first.next(), present, &[])]));
        pair.inject(End::Z, 0, packet(tag, &[&sack(first, overtaken, &[])]));
        pair.run_for(Duration::ZERO);
        (0..5).for_each(|_| pair.send(End::Z, 1000));
        assert_eq!(data_of(&pair.take_packets(End::Z)).len(), leave, "{present}, then {overtaken}");
    }
}

// What cannot be sent.

#[test]
fn a_message_that_cannot_be_sent_is_refused_with_the_reason() {
    let config = Config { send_buffer: ByteCount::new(5000), ..Config::rfc9260() };
    let mut pair = warm(config);
    let mut try_send = |stream, length| {
        pair.try_send(End::A, stream, false, Bytes::from(vec![0; length])).expect_err("refused")
    };
    assert_eq!(try_send(0, 0), SendError::Empty);
    assert_eq!(try_send(16, 10), SendError::NoSuchStream { stream: 16, streams: 16 });
    let (wanted, buffer) = (ByteCount::new(5001), ByteCount::new(5000));
    assert_eq!(try_send(0, 5001), SendError::TooLarge { wanted, buffer });
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    assert_eq!(pair.try_send(End::A, 0, false, Bytes::from_static(b"early")), Err(SendError::NotOpen));
}

#[test]
fn a_message_that_never_fits_the_peers_buffer_is_refused() {
    let mut pair = Pair::unequal(Config::rfc9260(), small_buffer(), 1);
    pair.establish();
    let (wanted, buffer) = (ByteCount::new(6001), ByteCount::new(6000));
    let refused = pair.try_send(End::A, 0, false, Bytes::from(vec![0; 6001]));
    assert_eq!(refused, Err(SendError::TooLarge { wanted, buffer }));
    pair.send(End::A, 6000);
    pair.run_for(secs(1));
    assert_eq!(pair.receive(End::Z)[0].len(), 6000);
}

/// RFC 9260 §6.9: "If the data receiver runs out of buffer space while still waiting for more fragments to complete the
/// reassembly of the message, it SHOULD dispatch part of its inbound message through a partial delivery API".
#[test]
fn a_message_larger_than_the_peers_buffer_leaves_for_a_peer_that_reads_in_parts() {
    let config = Config { message_limit: MessageLimit::SendBuffer, ..Config::rfc9260() };
    let mut pair = Pair::new(config, 1);
    let tag = peer_by_hand(&mut pair, Tsn::new(1));
    pair.send(End::Z, 300_000);
    let (mut arrived, mut ends) = (0, false);
    while !ends {
        let sent = data_of(&pair.take_packets(End::Z));
        let &(last, _, _, is_last, _) = sent.last().expect("it goes on");
        arrived += sent.iter().map(|chunk| chunk.4).sum::<usize>();
        ends = is_last;
        pair.inject(End::Z, 0, packet(tag, &[&sack(last, 100_000, &[])]));
        pair.run_for(Duration::ZERO);
    }
    assert_eq!(arrived, 300_000);
}

#[test]
fn a_message_that_this_end_could_not_hold_ends_the_association() {
    let a = Config { message_limit: MessageLimit::SendBuffer, ..Config::rfc9260() };
    let mut pair = Pair::unequal(a, small_buffer(), 1);
    pair.establish();
    pair.send(End::A, 60_000);
    pair.run_for(secs(60));
    let Some(CloseReason::ProtocolViolation { what }) = pair.closed(End::Z) else { panic!("it lives on") };
    assert_eq!(what, "a message is larger than the receive buffer of 6000 B");
}

#[test]
fn a_full_send_buffer_says_when_there_is_room_again() {
    let config = Config { send_buffer: ByteCount::new(5000), ..Config::rfc9260() };
    let mut pair = warm(config);
    (0..2).for_each(|_| pair.send(End::A, 2000));
    let refused = pair.try_send(End::A, 0, false, Bytes::from(vec![0; 2000]));
    let (free, wanted) = (ByteCount::new(1000), ByteCount::new(2000));
    assert_eq!(refused, Err(SendError::BufferFull { free, wanted }));
    assert_eq!(pair.a.events, []);
    pair.run_for(secs(1));
    assert_eq!(pair.a.events, [Event::Writable]);
    pair.send(End::A, 2000);
}

#[test]
fn a_writer_is_not_woken_for_less_room_than_its_message_needs() {
    let config = Config { send_buffer: ByteCount::new(20_000), ..Config::rfc9260() };
    let mut pair = warm(config);
    (0..18).for_each(|_| pair.send(End::A, 1000));
    assert!(pair.try_send(End::A, 0, false, Bytes::from(vec![0; 12_000])).is_err());
    let mut room_when_told = None;
    for _ in 0..10_000 {
        pair.run_for(Duration::from_micros(100));
        let room = pair.at(End::A).send_space();
        if room_when_told.is_none() && !pair.a.events.is_empty() {
            room_when_told = Some(room);
        }
    }
    assert_eq!(pair.a.events, [Event::Writable], "once");
    assert!(room_when_told.is_some_and(|room| room >= ByteCount::new(12_000)), "{room_when_told:?}");
}

#[test]
fn a_reader_is_notified_once_that_there_is_something_to_read() {
    let mut pair = warm(Config::rfc9260());
    (0..3).for_each(|_| pair.send(End::A, 100));
    pair.run_for(ms(300));
    assert_eq!(pair.z.events, [Event::Readable]);
    assert_eq!(pair.receive(End::Z).len(), 3);
    pair.send(End::A, 100);
    pair.run_for(ms(300));
    assert_eq!(pair.z.events, [Event::Readable, Event::Readable]);
}

#[test]
fn the_receive_window_may_be_counted_in_chunks_or_packets() {
    for (rwnd_charge, fit) in [(Charge::User, 6), (Charge::Chunk, 5), (Charge::Packet, 5)] {
        let mut pair = warm(Config { rwnd_charge, ..small_buffer() });
        (0..8).for_each(|_| pair.send(End::A, 1000));
        pair.run_for(ms(500));
        assert_eq!(pair.receive(End::Z).len(), fit, "{rwnd_charge:?}");
    }
}
