//! RFC 9260, section by section: one short assertion each, under the section's number. The dialogues that tell
//! more are in `handshake`, `data`, `congestion`, `multihoming` and `shutdown`; `docs/rfc9260.md` says where.
//!
//! The golden examples of docs/mechanisms.md stand where they can be seen alone: G1 (plain rule) in
//! `policy/loss_detection/association.rs`, G8 in `path/rtt.rs`, G27 in `send/`; G22, G23, G24 and G28 in `congestion.rs`.

use crate::pair::{End, PORT, Pair, chunks, data, packet, path};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::AssociationState;
use anabranch_sctp::config::{Charge, Config, Encapsulation, InitialWindow, IpVersion, Unit};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Abort, Cause, Checksum, Chunk, CookieAck, CookieEcho, EncodeChunk, Heartbeat, Init, Packet, Parameter,
    ShutdownAck, ShutdownComplete, StreamId, VerificationTag,
};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn open() -> Pair {
    Pair::open(Config::rfc9260(), 1)
}

/// The packets that both ends sent while an association opened: INIT, INIT-ACK, COOKIE-ECHO, COOKIE-ACK.
fn handshake(config: Config, pipes: usize) -> (Pair, Vec<Bytes>) {
    let mut pair = Pair::new(config, pipes);
    pair.keep_packets();
    pair.connect();
    pair.run_for(secs(5));
    let is_handshake =
        |bytes: &&Bytes| !matches!(chunks(bytes)[0], Chunk::Heartbeat(_) | Chunk::HeartbeatAck(_));
    let packets: Vec<Bytes> = pair.log.iter().map(|line| line.bytes.clone()).collect();
    let packets: Vec<Bytes> = packets.iter().filter(is_handshake).cloned().collect();
    assert_eq!(packets.len(), 4);
    pair.log.clear();
    (pair, packets)
}

fn tag_of(bytes: &Bytes) -> VerificationTag {
    Packet::decode(bytes, Checksum::Crc32c).expect("sound").header().verification_tag
}

fn init_of(bytes: &Bytes) -> Init {
    match chunks(bytes).remove(0) {
        Chunk::Init(init) => init,
        other => panic!("not an INIT: {other}"),
    }
}

/// Windows in packets of 1,500 bytes, the first of `packets` packets.
fn window_of(packets: u64) -> Config {
    Config {
        charge: Charge::Packet,
        unit: Unit::Mtu,
        encapsulation: Encapsulation::None,
        initial_window: InitialWindow::Bytes(ByteCount::new(1500 * packets)),
        ..Config::rfc9260()
    }
}

// 3. Packets, chunks, parameters

#[test]
fn s3_1_every_packet_carries_both_ports_and_the_receivers_tag() {
    let (mut pair, packets) = handshake(Config::rfc9260(), 1);
    let header = Packet::decode(&packets[3], Checksum::Crc32c).expect("sound").header();
    assert_eq!((header.source_port, header.destination_port), (PORT, PORT));
    assert_eq!(header.verification_tag, pair.at(End::A).tags().0);
}

#[test]
fn s3_2_chunks_are_padded_to_four_bytes_and_say_their_length_without() {
    let bytes = packet(VerificationTag::new(1), &[&data(Tsn::new(1), b"12345"), &CookieAck]);
    assert_eq!(bytes[12 + 2..12 + 4], 21u16.to_be_bytes(), "16 and 5");
    assert_eq!(bytes.len(), 12 + 24 + 4);
    assert_eq!(bytes[12 + 21..12 + 24], [0; 3]);
}

#[test]
fn s3_2_1_a_parameter_that_is_not_known_never_keeps_an_init_from_its_answer() {
    for kind in [0x00aa, 0x40aa, 0x80aa, 0xc0aa] {
        let mut pair = Pair::new(Config::rfc9260(), 1);
        let init = Init { parameters: vec![Parameter::Unknown { kind, value: vec![1] }], ..init() };
        ask(&mut pair, &init);
        assert_eq!(pair.take_log(), ["Z -> INIT-ACK -> A"], "{kind:#x}");
    }
}

/// An INIT arrives at Z from A's address.
fn ask(pair: &mut Pair, init: &Init) {
    pair.inject(End::Z, 0, packet(VerificationTag::ZERO, &[init]));
    pair.run_for(Duration::ZERO);
}

fn init() -> Init {
    Init {
        initiate_tag: VerificationTag::new(77),
        a_rwnd: 50_000,
        outbound_streams: 4,
        inbound_streams: 4,
        initial_tsn: Tsn::new(1),
        parameters: Vec::new(),
    }
}

#[test]
fn s3_2_2_what_is_reported_stands_in_the_init_ack() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    let unknown = Parameter::Unknown { kind: 0xc0aa, value: vec![1, 2, 3, 4] };
    ask(&mut pair, &Init { parameters: vec![unknown.clone()], ..init() });
    let packets = pair.take_packets(End::Z);
    let [Chunk::InitAck(ack)] = &chunks(&packets[0])[..] else { panic!("no INIT-ACK") };
    assert!(ack.parameters.contains(&Parameter::UnrecognizedParameter(unknown.to_bytes())));
}

#[test]
fn s3_3_1_the_bits_of_data_say_where_in_its_message_a_chunk_stands() {
    let mut pair = open();
    pair.keep_packets();
    pair.send(End::A, 4000);
    let packets = pair.take_packets(End::A);
    let bits: Vec<(bool, bool)> = packets
        .iter()
        .flat_map(chunks)
        .filter_map(|chunk| match chunk {
            Chunk::Data(data) => Some((data.beginning, data.ending)),
            _ => None,
        })
        .collect();
    assert_eq!(bits, [(true, false), (false, false), (false, true)]);
}

#[test]
fn s3_3_2_an_init_says_tag_window_streams_and_first_tsn() {
    let (mut pair, packets) = handshake(Config::rfc9260(), 1);
    let init = init_of(&packets[0]);
    assert_eq!(tag_of(&packets[0]), VerificationTag::ZERO);
    assert_eq!(init.initiate_tag, pair.at(End::A).tags().0);
    assert_eq!((init.a_rwnd, init.outbound_streams, init.inbound_streams), (1 << 20, 16, 2048));
    let types = Parameter::SupportedAddressTypes(vec![Parameter::IPV4_ADDRESS]);
    assert_eq!(init.parameters, [types], "one address needs no parameter");
}

#[test]
fn s3_3_3_an_init_ack_says_the_same_and_gives_a_cookie() {
    let (_, packets) = handshake(Config::rfc9260(), 2);
    let [Chunk::InitAck(ack)] = &chunks(&packets[1])[..] else { panic!("no INIT-ACK") };
    assert_eq!(tag_of(&packets[1]), init_of(&packets[0]).initiate_tag);
    assert!(matches!(&ack.parameters[0], Parameter::StateCookie(cookie) if cookie.len() > 32));
    let addresses = ack.parameters.iter().filter(|parameter| matches!(parameter, Parameter::Ipv4Address(_)));
    assert_eq!(addresses.count(), 2);
}

#[test]
fn s3_3_4_a_sack_says_what_came_and_what_there_is_room_for() {
    let mut pair = open();
    pair.keep_packets();
    pair.send(End::A, 1000);
    pair.run_for(ms(50));
    let packets = pair.take_packets(End::Z);
    let [Chunk::Sack(sack)] = &chunks(&packets[0])[..] else { panic!("no SACK") };
    assert_eq!(sack.a_rwnd, (1 << 20) - 1000);
    assert_eq!((sack.gap_blocks.iter().count(), sack.duplicates.iter().count()), (0, 0));
}

#[test]
fn s3_3_5_and_6_a_heartbeat_comes_back_unchanged() {
    let mut pair = open();
    pair.keep_packets();
    pair.forge(End::Z, &[&Heartbeat::new(b"unchanged".to_vec())]);
    let packets = pair.take_packets(End::Z);
    assert!(matches!(&chunks(&packets[0])[..], [Chunk::HeartbeatAck(ack)] if ack.info == b"unchanged"));
}

/// §8.3: "This information field MUST be returned unchanged", also where no path is known yet to carry it back.
#[test]
fn s8_3_a_heartbeat_that_arrived_is_answered_however_small_the_paths_packets_are_as_yet() {
    for (length, is_answered) in [(1_100, true), (1_200, true), (1_452, true), (1_453, false)] {
        let mut pair = Pair::new(Config::tuned_1(), 1);
        pair.pipes[0].mtu = 1_200;
        pair.establish();
        pair.keep_packets();
        assert!(pair.path(End::Z, 0).packet_limit.get() < 1_200);
        pair.forge(End::Z, &[&Heartbeat::new(vec![7; length])]);
        let answers = pair.take_packets(End::Z);
        let is_it = |chunk: &Chunk<'_>| matches!(chunk, Chunk::HeartbeatAck(ack) if ack.info == [7; 1].repeat(length));
        let answered = answers.iter().flat_map(chunks).filter(is_it).count();
        assert_eq!(answered, usize::from(is_answered), "{length} bytes");
    }
}

#[test]
fn s3_3_7_an_abort_ends_the_association_whatever_else_is_in_the_packet() {
    let mut pair = open();
    let abort = Abort { tag_reflected: false, causes: Vec::new() };
    pair.forge(End::Z, &[&abort, &Heartbeat::new(vec![1])]);
    assert!(pair.take_log().is_empty());
    assert_eq!(pair.at(End::Z).state(), AssociationState::Closed);
}

/// "the receiver of the SHUTDOWN chunk MUST NOT interpret the lack of a Gap Ack Block as a renege".
#[test]
fn s3_3_8_a_shutdown_takes_no_gap_ack_back() {
    let mut pair = open();
    pair.lose(End::Z, "DATA");
    (0..3).for_each(|_| pair.send(End::Z, 1000));
    pair.close(End::A);
    pair.run_for(secs(5));
    assert_eq!(pair.at(End::Z).path_counters(path(0)).fast_retransmits, 0, "two reports are too few");
    assert_eq!(pair.receive(End::A).len(), 3);
}

#[test]
fn s3_3_9_a_shutdown_ack_out_of_season_is_dropped() {
    let mut pair = open();
    pair.forge(End::A, &[&ShutdownAck]);
    assert!(pair.at(End::A).is_open() && pair.take_log().is_empty());
}

#[test]
fn s3_3_10_an_error_ends_nothing() {
    let mut pair = open();
    let causes = vec![Cause::InvalidStreamIdentifier(StreamId::new(9)), Cause::StaleCookie(ms(5))];
    pair.forge(End::A, &[&anabranch_sctp::wire::ErrorChunk { causes }]);
    assert!(pair.at(End::A).is_open() && pair.take_log().is_empty());
}

#[test]
fn s3_3_11_a_cookie_echo_is_the_first_chunk_and_gives_the_cookie_back() {
    let (_, packets) = handshake(Config::rfc9260(), 1);
    let [Chunk::InitAck(ack)] = &chunks(&packets[1])[..] else { panic!("no INIT-ACK") };
    let [Chunk::CookieEcho(echo)] = &chunks(&packets[2])[..] else { panic!("no COOKIE-ECHO") };
    assert_eq!(ack.parameters[0], Parameter::StateCookie(echo.cookie.to_vec()));
    assert_eq!(tag_of(&packets[2]), ack.initiate_tag);
}

#[test]
fn s3_3_12_a_cookie_ack_opens_the_association_of_the_one_that_asked() {
    let (_, packets) = handshake(Config::rfc9260(), 1);
    assert_eq!(chunks(&packets[3]), [Chunk::CookieAck]);
}

#[test]
fn s3_3_13_a_shutdown_complete_travels_alone() {
    let mut pair = open();
    pair.close(End::A);
    pair.run_for(ms(100));
    assert_eq!(pair.take_log().last().expect("a last word"), "A -> SHUTDOWN-COMPLETE -> Z");
}

// 4. States

#[test]
fn s4_an_association_goes_through_the_states_of_the_diagram() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    let mut seen = Vec::new();
    let mut probe = |pair: &mut Pair| {
        let states = [End::A, End::Z].map(|end| pair.side(end).id.map(|_| pair.at(end).state()));
        if seen.last() != Some(&states) {
            seen.push(states);
        }
        false
    };
    pair.run_until(ms(100), &mut probe);
    pair.lose(End::A, "DATA");
    pair.send(End::A, 10);
    pair.close(End::A);
    pair.run_until(secs(5), &mut probe);
    use AssociationState::{
        Closed, CookieEchoed, CookieWait, Established, ShutdownAckSent, ShutdownPending, ShutdownSent,
    };
    let expected = [
        [Some(CookieWait), None],
        [Some(CookieEchoed), None],
        [Some(CookieEchoed), Some(Established)],
        [Some(Established), Some(Established)],
        [Some(ShutdownPending), Some(Established)],
        [Some(ShutdownSent), Some(Established)],
        [Some(ShutdownSent), Some(ShutdownAckSent)],
        [Some(Closed), Some(ShutdownAckSent)],
        [Some(Closed), Some(Closed)],
    ];
    assert_eq!(seen, expected);
}

// 5. Opening

#[test]
fn s5_1_the_first_data_is_acknowledged_at_once() {
    let mut pair = open();
    pair.send(End::A, 10);
    pair.run_for(ms(20));
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "Z -> SACK -> A"]);
}

#[test]
fn s5_1_1_each_direction_has_the_smaller_number_of_streams() {
    let mut pair = Pair::unequal(Config::rfc9260(), Config { inbound_streams: 2, ..Config::rfc9260() }, 1);
    pair.establish();
    assert!(pair.try_send(End::A, 1, false, Bytes::from_static(b"x")).is_ok());
    assert!(pair.try_send(End::A, 2, false, Bytes::from_static(b"x")).is_err());
}

#[test]
fn s5_1_2_all_addresses_of_an_init_and_its_source_become_paths() {
    let (mut pair, packets) = handshake(Config::rfc9260(), 3);
    let addresses = init_of(&packets[0]).parameters;
    assert_eq!(addresses.iter().filter(|p| matches!(p, Parameter::Ipv4Address(_))).count(), 3);
    assert_eq!(pair.at(End::Z).paths().len(), 3);
}

#[test]
fn s5_1_3_no_two_cookies_are_alike() {
    let (_, first) = handshake(Config::rfc9260(), 1);
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.reseed(End::Z, 99);
    pair.keep_packets();
    pair.connect();
    pair.run_for(ms(100));
    let packets = pair.take_packets(End::A);
    let ([Chunk::CookieEcho(one)], [Chunk::CookieEcho(other)]) =
        (&chunks(&first[2])[..], &chunks(&packets[1])[..])
    else {
        panic!("no COOKIE-ECHO")
    };
    assert_ne!(one.cookie[..32], other.cookie[..32], "the signatures");
}

#[test]
fn s5_1_4_the_cookie_goes_back_at_once() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.run_for(ms(25));
    assert_eq!(pair.take_timed_log(Time::ZERO)[2], "20 A -> COOKIE-ECHO -> Z");
}

#[test]
fn s5_1_5_an_unsigned_cookie_is_dropped_silently() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.inject(End::Z, 0, packet(VerificationTag::new(5), &[&CookieEcho { cookie: &[0; 150] }]));
    pair.run_for(ms(1));
    assert!(pair.take_log().is_empty() && pair.z.endpoint.is_empty());
}

#[test]
fn s5_1_6_the_same_init_goes_again_with_the_same_tag() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.lose(End::A, "INIT");
    pair.connect();
    pair.run_for(ms(1005));
    let packets = pair.take_packets(End::A);
    assert_eq!(init_of(&packets[0]), init_of(&packets[1]));
}

#[test]
fn s5_2_1_an_init_in_cookie_wait_is_answered_with_ones_own_tag() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.pipes[0].is_cut = true;
    pair.connect();
    pair.pipes[0].is_cut = false;
    let own = init_of(&pair.take_packets(End::A)[0]).initiate_tag;
    pair.inject(End::A, 0, packet(VerificationTag::ZERO, &[&init()]));
    pair.run_for(Duration::ZERO);
    let packets = pair.take_packets(End::A);
    assert!(matches!(&chunks(&packets[0])[..], [Chunk::InitAck(ack)] if ack.initiate_tag == own));
    assert_eq!(pair.at(End::A).state(), AssociationState::CookieWait);
}

#[test]
fn s5_2_2_an_unexpected_init_gets_a_new_tag_and_changes_nothing() {
    let mut pair = open();
    pair.keep_packets();
    let own = pair.at(End::Z).tags();
    ask(&mut pair, &init());
    let packets = pair.take_packets(End::Z);
    assert!(matches!(&chunks(&packets[0])[..], [Chunk::InitAck(ack)] if ack.initiate_tag != own.0));
    assert!(pair.at(End::Z).is_open() && pair.at(End::Z).tags() == own);
}

#[test]
fn s5_2_3_an_unexpected_init_ack_is_dropped() {
    let (mut pair, packets) = handshake(Config::rfc9260(), 1);
    pair.inject(End::A, 0, packets[1].to_vec());
    pair.run_for(ms(1));
    assert!(pair.take_log().is_empty() && pair.at(End::A).is_open());
}

#[test]
fn s5_2_4_a_cookie_for_the_present_association_is_acknowledged_again() {
    let (mut pair, packets) = handshake(Config::rfc9260(), 1);
    pair.run_for(secs(100));
    pair.log.clear();
    pair.inject(End::Z, 0, packets[2].to_vec());
    pair.run_for(ms(1));
    assert_eq!(pair.take_log(), ["Z -> COOKIE-ACK -> A"], "\"even if the lifespan is exceeded\"");
}

#[test]
fn s5_2_5_a_duplicate_cookie_ack_is_dropped() {
    let mut pair = open();
    pair.forge(End::A, &[&CookieAck]);
    assert!(pair.take_log().is_empty() && pair.a.events.is_empty());
}

#[test]
fn s5_2_6_a_stale_cookie_is_answered_by_an_error_and_a_new_init_with_a_preservative() {
    let mut pair =
        Pair::unequal(Config::rfc9260(), Config { cookie_lifetime: ms(10), ..Config::rfc9260() }, 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(ms(45));
    let packets = pair.take_packets(End::A);
    let preservative = Parameter::CookiePreservative(ms(20));
    assert!(init_of(&packets[2]).parameters.contains(&preservative), "twice the 10 ms it came too late");
}

#[test]
fn s5_3_1_tags_are_random_and_never_zero() {
    let tags: Vec<u32> = (1..200)
        .map(|seed| {
            let mut pair = Pair::new(Config::rfc9260(), 1);
            pair.reseed(End::A, seed);
            pair.connect();
            pair.at(End::A).tags().0.get()
        })
        .collect();
    let mut distinct = tags.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((distinct.len(), tags.contains(&0)), (199, false));
}

#[test]
fn s5_4_only_a_path_that_was_verified_carries_data() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.pipes[1].is_cut = true;
    pair.connect();
    pair.run_for(secs(1));
    assert_eq!(pair.path(End::Z, 1).state, PathState::Unconfirmed);
    (0..4).for_each(|_| pair.send(End::Z, 1000));
    assert!(pair.take_log().iter().all(|line| !line.starts_with("Z -2> DATA")));
}

// 6. Data

#[test]
fn s6_data_is_not_taken_before_the_association_is_open() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.forge(End::A, &[&data(Tsn::new(1), b"early")]);
    pair.run_for(ms(100));
    assert!(pair.receive(End::A).is_empty());
}

#[test]
fn s6_1_a_the_window_of_the_peer_is_never_passed() {
    let config = Config { receive_buffer: ByteCount::new(3000), ..Config::rfc9260() };
    let mut pair = Pair::open(config, 1);
    (0..6).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(900));
    assert_eq!(pair.receive(End::Z).len(), 3);
}

#[test]
fn s6_1_b_the_congestion_window_is_passed_by_one_packet_at_most() {
    let mut pair = Pair::open(Config { charge: Charge::Chunk, ..window_of(2) }, 1);
    (0..9).for_each(|_| pair.send(End::A, 1452));
    assert_eq!(pair.log.len(), 3, "two chunks of 1,468 bytes leave room in 3,000");
}

#[test]
fn s6_1_c_what_was_lost_goes_before_what_is_new() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.pipes[0].drop_next[End::A as usize] = 99;
    (0..9).for_each(|_| pair.send(End::A, 1400));
    let first = pair.take_packets(End::A).remove(0);
    pair.run_for(ms(1001));
    assert_eq!(chunks(&pair.take_packets(End::A)[0]), chunks(&first));
}

#[test]
fn s6_1_d_an_event_lets_out_four_packets() {
    let mut pair = Pair::open(window_of(12), 1);
    pair.send(End::A, 12 * 1452);
    assert_eq!(pair.log.len(), 4);
}

#[test]
fn s6_2_every_second_packet_is_acknowledged() {
    let mut pair = open();
    pair.send(End::A, 10);
    pair.run_for(secs(1));
    pair.log.clear();
    (0..2).for_each(|_| pair.send(End::A, 1400));
    pair.run_for(ms(20));
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "A -> DATA -> Z", "Z -> SACK -> A"]);
}

#[test]
fn s6_2_1_an_older_sack_is_dropped() {
    let mut pair = open();
    pair.keep_packets();
    pair.send(End::A, 1000);
    pair.run_for(ms(50));
    let old = pair.take_packets(End::Z).remove(0);
    (0..2).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(50));
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 1000);
    pair.pipes[0].is_cut = false;
    let (window, unacknowledged) = (pair.path(End::A, 0).cwnd, pair.at(End::A).unacknowledged());
    pair.inject(End::A, 0, old.to_vec());
    pair.run_for(ms(1));
    assert_eq!((pair.path(End::A, 0).cwnd, pair.at(End::A).unacknowledged()), (window, unacknowledged));
}

#[test]
fn s6_3_1_the_time_out_is_initial_until_measured_and_one_second_at_least() {
    let mut pair = Pair::new(Config::rfc4960(), 1);
    pair.establish();
    assert_eq!(pair.path(End::A, 0).rto, secs(3));
    pair.send(End::A, 10);
    pair.run_for(ms(500));
    assert_eq!((pair.path(End::A, 0).srtt, pair.path(End::A, 0).rto), (Some(ms(20)), secs(1)));
}

#[test]
fn s6_3_2_the_timer_stops_when_all_is_acknowledged() {
    let mut pair = open();
    pair.send(End::A, 10);
    pair.run_for(secs(20));
    assert_eq!(pair.at(End::A).path_counters(path(0)).timeouts, 0);
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "Z -> SACK -> A"]);
}

#[test]
fn s6_3_3_a_time_out_doubles_the_timer_and_sends_again() {
    let mut pair = open();
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    pair.send(End::A, 10);
    pair.run_for(ms(3500));
    let sent = ["0 A -> DATA -> lost", "1000 A -> DATA -> lost", "3000 A -> DATA -> lost"];
    assert_eq!(pair.take_timed_log(start), sent);
}

#[test]
fn s6_4_a_chunk_that_timed_out_takes_another_path() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..Config::rfc9260() }, 2);
    pair.lose(End::A, "DATA");
    pair.send(End::A, 10);
    pair.run_for(ms(1005));
    assert_eq!(pair.take_log(), ["A -1> DATA -1> lost", "A -2> DATA -2> Z"]);
}

#[test]
fn s6_4_1_new_data_leaves_an_inactive_primary_path() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..Config::rfc9260() }, 2);
    pair.pipes[0].is_cut = true;
    pair.run_until(secs(500), |pair| pair.path(End::A, 0).state == PathState::Inactive);
    pair.log.clear();
    pair.send(End::A, 10);
    assert_eq!(pair.take_log(), ["A -2> DATA -2> Z"]);
}

#[test]
fn s6_5_stream_sequence_numbers_begin_at_zero_on_each_stream() {
    let mut pair = open();
    for stream in [0, 3, 3] {
        pair.try_send(End::A, stream, false, Bytes::from_static(b"x")).expect("there is room");
    }
    pair.run_for(secs(1));
    let got: Vec<(u16, u16)> =
        pair.receive(End::Z).iter().map(|message| (message.stream.get(), message.ssn.get())).collect();
    assert_eq!(got, [(0, 0), (3, 0), (3, 1)]);
}

#[test]
fn s6_6_order_holds_within_a_stream_and_not_for_unordered_messages() {
    let mut pair = open();
    pair.lose(End::A, "DATA");
    for unordered in [false, true] {
        pair.try_send(End::A, 0, unordered, Bytes::from_static(b"x")).expect("there is room");
    }
    pair.run_for(ms(50));
    assert!(pair.receive(End::Z).iter().all(|message| message.unordered));
    pair.run_for(secs(2));
    assert_eq!(pair.receive(End::Z).len(), 1);
}

#[test]
fn s6_7_a_gap_is_reported_at_once() {
    let mut pair = open();
    pair.keep_packets();
    pair.lose(End::A, "DATA");
    (0..2).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(10));
    let packets = pair.take_packets(End::Z);
    let [Chunk::Sack(sack)] = &chunks(&packets[0])[..] else { panic!("no SACK") };
    assert_eq!(sack.gap_blocks.iter().map(|block| (block.start, block.end)).collect::<Vec<_>>(), [(2, 2)]);
}

#[test]
fn s6_8_a_packet_whose_checksum_is_wrong_is_dropped() {
    let mut pair = open();
    let tag = pair.at(End::Z).tags().0;
    let mut bytes = packet(tag, &[&Heartbeat::new(vec![1; 8])]);
    bytes[20] ^= 4;
    pair.inject(End::Z, 0, bytes);
    pair.run_for(ms(1));
    assert!(pair.take_log().is_empty());
}

#[test]
fn s6_9_a_message_larger_than_a_packet_arrives_whole() {
    let mut pair = open();
    pair.send(End::A, 100_000);
    pair.run_for(secs(5));
    assert_eq!(pair.receive(End::Z)[0].len(), 100_000);
}

#[test]
fn s6_10_control_chunks_stand_before_data() {
    let mut pair = open();
    pair.send(End::A, 1000);
    pair.run_for(ms(500));
    pair.log.clear();
    pair.send(End::A, 1000);
    pair.run_for(ms(15));
    pair.send(End::Z, 1000);
    assert_eq!(pair.take_log(), ["A -> DATA -> Z", "Z -> SACK + DATA -> A"]);
}

// 7. Congestion

#[test]
fn s7_2_windows_count_chunks_with_header_and_padding() {
    let mut pair = open();
    pair.send(End::A, 1001);
    assert_eq!(pair.path(End::A, 0).flight, ByteCount::new(16 + 1004));
}

#[test]
fn s7_2_1_slow_start_begins_at_the_initial_window_and_grows_by_what_is_acknowledged() {
    assert_eq!(Config::rfc9260().first_window(IpVersion::V4).get(), 4404);
    let mut pair = Pair::open(window_of(2), 1);
    (0..4).for_each(|_| pair.send(End::A, 1452));
    pair.run_for(ms(25));
    assert_eq!(pair.path(End::A, 0).cwnd, ByteCount::new(4500));
}

#[test]
fn s7_2_2_congestion_avoidance_grows_by_one_unit_for_a_window_that_was_acknowledged() {
    let config = Config { initial_ssthresh: Some(ByteCount::new(1500)), ..window_of(4) };
    let mut pair = Pair::open(config, 1);
    (0..8).for_each(|_| pair.send(End::A, 1452));
    pair.run_for(ms(25));
    assert_eq!(pair.path(End::A, 0).cwnd, ByteCount::new(6000), "the first three of four");
    pair.run_for(ms(20));
    assert_eq!(pair.path(End::A, 0).cwnd, ByteCount::new(7500));
}

#[test]
fn s7_2_3_timeout_sets_cwnd_to_one_mtu() {
    let mut pair = Pair::open(window_of(20), 1);
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 1452);
    pair.run_for(ms(1001));
    let path = pair.path(End::A, 0);
    assert_eq!((path.cwnd.get(), path.ssthresh.get()), (1500, 15_000));
}

#[test]
fn s7_2_4_the_third_missing_report_resends_and_halves() {
    let mut pair = Pair::open(window_of(20), 1);
    pair.lose(End::A, "DATA");
    (0..4).for_each(|_| pair.send(End::A, 1452));
    pair.run_for(ms(25));
    assert_eq!(pair.path(End::A, 0).cwnd, ByteCount::new(15_000));
    assert_eq!(pair.at(End::A).path_counters(path(0)).fast_retransmits, 1);
}

#[test]
fn s7_3_chunks_are_as_large_as_the_narrowest_path_carries() {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V4, IpVersion::V6]);
    pair.establish();
    pair.keep_packets();
    pair.send(End::A, 3000);
    let longest = pair.take_packets(End::A).iter().map(Bytes::len).max();
    assert_eq!(longest, Some(1500 - 48), "IPv6 and UDP");
}

// 8. Faults

#[test]
fn s8_1_an_association_ends_after_association_max_retrans_errors() {
    let mut config = Config::rfc9260();
    config.failover.association_max = 2;
    let mut pair = Pair::open(config, 1);
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 10);
    pair.run_for(ms(6900));
    assert!(pair.at(End::A).is_open());
    pair.run_for(ms(200));
    assert_eq!(pair.closed(End::A), Some(CloseReason::PeerGone { errors: 3 }));
}

#[test]
fn s8_2_a_path_is_inactive_after_path_max_retrans_errors() {
    let mut config = Config { scheduler: "primary".into(), ..Config::rfc9260() };
    config.failover.path_max = 0;
    let mut pair = Pair::open(config, 2);
    pair.pipes[0].is_cut = true;
    pair.send(End::A, 10);
    pair.run_for(ms(1001));
    assert_eq!(pair.a.events, [Event::PathDown(path(0))]);
}

#[test]
fn s8_3_an_idle_path_is_probed_after_the_heartbeat_interval() {
    let mut pair = open();
    pair.run_for(secs(24));
    assert!(pair.take_log().is_empty());
    pair.run_for(secs(8));
    assert!(pair.take_log().contains(&"A -> HEARTBEAT -> Z".to_owned()));
}

#[test]
fn s8_4_data_out_of_the_blue_is_answered_by_an_abort_with_its_own_tag() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.inject(End::Z, 0, packet(VerificationTag::new(9), &[&data(Tsn::new(1), b"who?")]));
    pair.run_for(Duration::ZERO);
    let packets = pair.take_packets(End::Z);
    assert_eq!(tag_of(&packets[0]), VerificationTag::new(9));
    assert!(matches!(chunks(&packets[0])[0], Chunk::Abort(Abort { tag_reflected: true, .. })));
}

#[test]
fn s8_5_a_packet_with_a_wrong_tag_changes_nothing() {
    let mut pair = open();
    let wrong = VerificationTag::new(pair.at(End::Z).tags().0.get().wrapping_add(1));
    pair.forge_with_tag(End::Z, wrong, &[&Abort { tag_reflected: false, causes: Vec::new() }]);
    assert!(pair.at(End::Z).is_open());
}

#[test]
fn s8_5_1_abort_and_shutdown_complete_may_carry_the_peers_tag_with_the_t_bit() {
    for (chunk, is_taken) in [
        (&Abort { tag_reflected: true, causes: Vec::new() } as &dyn EncodeChunk, true),
        (&ShutdownComplete { tag_reflected: true }, false),
    ] {
        let mut pair = open();
        let peer = pair.at(End::Z).tags().1.expect("open");
        pair.forge_with_tag(End::Z, peer, &[chunk]);
        assert_eq!(pair.at(End::Z).state() == AssociationState::Closed, is_taken);
    }
}

// 9. Ending

#[test]
fn s9_1_an_abort_tells_why() {
    let mut pair = open();
    pair.abort(End::A, "because");
    pair.run_for(ms(20));
    let causes = vec![Cause::UserInitiatedAbort(b"because".to_vec())];
    assert_eq!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { causes }));
}

#[test]
fn s9_2_a_shutdown_delivers_what_was_sent() {
    let mut pair = open();
    (0..30).for_each(|_| pair.send(End::A, 1000));
    pair.close(End::A);
    pair.run_for(secs(5));
    assert_eq!(pair.receive(End::Z).len(), 30);
    assert_eq!(pair.closed(End::A), Some(CloseReason::Graceful));
    assert_eq!(pair.closed(End::Z), Some(CloseReason::Graceful));
}
