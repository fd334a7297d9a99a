//! Packets from strangers, in the wrong state, with a wrong tag or out of the blue, and their answers (RFC 9260 §5.1,
//! §8.4, §8.5). `handshake.rs` has how associations open.

use std::net::SocketAddr;

use crate::pair::{End, Guest, Invitation, Pair, chunks, data, packet, packet_with};
use anabranch_base::Duration;
use anabranch_sctp::association::AssociationState;
use anabranch_sctp::config::Config;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Abort, Cause, Checksum, Chunk, CommonHeader, CookieAck, CookieEcho, EncodeChunk, ErrorChunk, Heartbeat,
    HeartbeatAck, Init, InitAck, Packet, Parameter, Sack, Shutdown, ShutdownAck, ShutdownComplete,
    UnknownChunk, VerificationTag,
};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn init() -> Init {
    Init {
        initiate_tag: VerificationTag::new(0x1234_5678),
        a_rwnd: 100_000,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn::new(1),
        parameters: Vec::new(),
    }
}

fn unknown_peer() -> SocketAddr {
    SocketAddr::from(([198, 51, 100, 7], 777))
}

/// Z alone, and the packet with which it answers a stranger's.
fn answer_to(config: Config, bytes: Vec<u8>) -> Option<Bytes> {
    let mut pair = Pair::new(config, 1);
    pair.keep_packets();
    pair.inject_from(End::Z, unknown_peer(), bytes);
    let mut answers = pair.take_packets(End::Z);
    assert!(answers.len() <= 1, "one packet is answered by one at most");
    assert!(pair.z.endpoint.is_empty());
    answers.pop()
}

fn answer_to_init(init: &Init) -> Option<Bytes> {
    answer_to(Config::rfc9260(), packet(VerificationTag::ZERO, &[init]))
}

/// Returns the tag of a packet, and its only chunk as text.
fn told(bytes: &Bytes) -> (u32, String) {
    let packet = Packet::decode(bytes, Checksum::Crc32c).expect("sound");
    let chunks: Vec<String> = packet.chunks().map(|chunk| chunk.expect("sound").to_string()).collect();
    (packet.header().verification_tag.get(), chunks.join("; "))
}

/// RFC 9260 §5.1: "After sending an INIT ACK chunk with the State Cookie parameter, "Z" MUST NOT allocate any
/// resources or keep any states for the new association".
#[test]
fn ten_thousand_inits_leave_no_trace() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    for number in 1..=10_000u32 {
        let init = Init { initiate_tag: VerificationTag::new(number), ..init() };
        let remote = SocketAddr::from(([198, 18, (number >> 8) as u8, number as u8], 777));
        pair.run_for(ms(1));
        pair.inject_from(End::Z, remote, packet(VerificationTag::ZERO, &[&init]));
        assert_eq!(pair.take_packets(End::Z).len(), 1, "INIT {number} is answered once");
    }
    assert_eq!(pair.z.endpoint.len(), 0);
    assert_eq!(pair.z.endpoint.poll_timeout(), None);
}

#[test]
fn an_init_with_a_tag_of_zero_is_dropped() {
    assert_eq!(answer_to_init(&Init { initiate_tag: VerificationTag::ZERO, ..init() }), None);
}

#[test]
fn an_init_without_streams_or_with_a_tiny_window_is_answered_by_abort_with_its_tag() {
    let unfit = [
        Init { outbound_streams: 0, ..init() },
        Init { inbound_streams: 0, ..init() },
        Init { a_rwnd: 1499, ..init() },
    ];
    for init in unfit {
        let (tag, text) = told(&answer_to_init(&init).expect("an answer"));
        assert_eq!(tag, init.initiate_tag.get());
        assert!(text.starts_with("ABORT") && !text.contains("reflected"), "{text}");
    }
    assert!(
        told(&answer_to_init(&Init { a_rwnd: 1500, ..init() }).expect("an answer")).1.contains("INIT-ACK")
    );
}

#[test]
fn an_init_that_names_a_host_is_answered_by_abort() {
    let host = Parameter::HostNameAddress(b"example.org\0".to_vec());
    let init = Init { parameters: vec![host.clone()], ..init() };
    let bytes = answer_to_init(&init).expect("an answer");
    let packet = Packet::decode(&bytes, Checksum::Crc32c).expect("sound");
    let causes = vec![Cause::UnresolvableAddress(host.to_bytes())];
    let abort = Chunk::Abort(Abort { tag_reflected: false, causes });
    assert_eq!(packet.chunks().collect::<Vec<_>>(), [Ok(abort)]);
}

/// RFC 9260 §3.2.1: what the two high bits of a type that is not known say to do.
#[test]
fn unknown_parameters_are_reported_and_read_past_as_their_high_bits_say() {
    let unknown = |kind| Parameter::Unknown { kind, value: vec![1, 2, 3, 4] };
    let later = unknown(0xc0aa);
    let answered = |kind: u16| {
        let init = Init { parameters: vec![unknown(kind), later.clone()], ..init() };
        let bytes = answer_to_init(&init).expect("\"in all four cases, an INIT ACK [...] chunk is sent\"");
        let packet = Packet::decode(&bytes, Checksum::Crc32c).expect("sound");
        let Some(Ok(Chunk::InitAck(ack))) = packet.chunks().next() else { panic!("no INIT-ACK") };
        let reported = ack.parameters.into_iter().filter_map(|parameter| match parameter {
            Parameter::UnrecognizedParameter(bytes) => Some(bytes),
            _ => None,
        });
        reported.collect::<Vec<_>>()
    };
    let (this, later) = (|kind| unknown(kind).to_bytes(), later.to_bytes());
    assert_eq!(answered(0x00aa), Vec::<Vec<u8>>::new(), "00: stop");
    assert_eq!(answered(0x40aa), [this(0x40aa)], "01: stop and report");
    assert_eq!(answered(0x80aa), std::slice::from_ref(&later), "10: go on");
    assert_eq!(answered(0xc0ab), [this(0xc0ab), later], "11: go on and report");
}

/// RFC 3758 §3.1: an endpoint without FORWARD-TSN treats the parameter as unknown, and its high bits are 11.
#[test]
fn a_peer_that_offers_forward_tsn_learns_that_it_is_not_supported() {
    let init = Init { parameters: vec![Parameter::ForwardTsnSupported], ..init() };
    let bytes = answer_to_init(&init).expect("an answer");
    let packet = Packet::decode(&bytes, Checksum::Crc32c).expect("sound");
    let Some(Ok(Chunk::InitAck(ack))) = packet.chunks().next() else { panic!("no INIT-ACK") };
    let reported = Parameter::UnrecognizedParameter(Parameter::ForwardTsnSupported.to_bytes());
    assert!(ack.parameters.contains(&reported), "{ack}");
}

/// RFC 9260 §3.2.2: unknown parameters of an INIT-ACK are reported by an ERROR beside the COOKIE-ECHO.
#[test]
fn unknown_parameters_of_an_init_ack_are_reported_with_the_cookie() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.lose(End::Z, "INIT-ACK");
    pair.connect();
    pair.run_for(ms(100));
    let bytes = pair.take_packets(End::Z).pop().expect("an INIT-ACK");
    let honest = Packet::decode(&bytes, Checksum::Crc32c).expect("sound");
    let Some(Ok(Chunk::InitAck(mut ack))) = honest.chunks().next() else { panic!("no INIT-ACK") };
    let unknown = Parameter::Unknown { kind: 0xc0aa, value: vec![1, 2, 3, 4] };
    ack.parameters.push(unknown.clone());
    pair.inject(End::A, 0, packet(honest.header().verification_tag, &[&ack]));
    pair.run_for(ms(100));
    let answer = pair.take_packets(End::A).pop().expect("a COOKIE-ECHO");
    let chunks: Vec<_> =
        Packet::decode(&answer, Checksum::Crc32c).expect("sound").chunks().map(Result::unwrap).collect();
    assert!(matches!(chunks[0], Chunk::CookieEcho(_)), "{chunks:?}");
    let causes = vec![Cause::UnrecognizedParameters(unknown.to_bytes())];
    assert_eq!(chunks[1], Chunk::Error(ErrorChunk { causes }));
    pair.assert_flows();
}

#[test]
fn an_init_ack_that_cannot_be_accepted_ends_the_attempt_with_an_abort() {
    let reasons = [
        InitAck { outbound_streams: 0, ..init_ack() },
        InitAck { inbound_streams: 0, ..init_ack() },
        InitAck { a_rwnd: 1499, ..init_ack() },
        InitAck { parameters: Vec::new(), ..init_ack() },
    ];
    for ack in reasons {
        let mut pair = Pair::new(Config::rfc9260(), 1);
        pair.lose(End::A, "INIT");
        pair.connect();
        pair.take_log();
        pair.forge(End::A, &[&ack]);
        assert_eq!(pair.take_log(), ["A -> ABORT -> Z"], "{ack}");
        assert!(matches!(pair.closed(End::A), Some(CloseReason::ProtocolViolation { .. })));
    }
}

fn init_ack() -> InitAck {
    InitAck {
        initiate_tag: VerificationTag::new(77),
        a_rwnd: 1500,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn::new(1),
        parameters: vec![Parameter::StateCookie(vec![1; 20])],
    }
}

/// RFC 9260 §3.3.3: "it MUST destroy the TCB and SHOULD send an ABORT chunk with the T bit set".
#[test]
fn an_init_ack_with_a_tag_of_zero_is_answered_by_an_abort_that_reflects_the_tag() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.lose(End::A, "INIT");
    pair.connect();
    let own = pair.at(End::A).tags().0;
    pair.take_packets(End::A);
    pair.forge(End::A, &[&InitAck { initiate_tag: VerificationTag::ZERO, ..init_ack() }]);
    let packets = pair.take_packets(End::A);
    let packet = Packet::decode(&packets[0], Checksum::Crc32c).expect("sound");
    assert_eq!(packet.header().verification_tag, own);
    assert!(matches!(packet.chunks().next(), Some(Ok(Chunk::Abort(Abort { tag_reflected: true, .. })))));
}

#[test]
fn an_endpoint_that_does_not_accept_answers_by_abort() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect_from(End::Z);
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["Z -> INIT -> A", "A -> ABORT -> Z"]);
    assert_eq!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { causes: Vec::new() }));
}

#[test]
fn an_endpoint_that_is_full_answers_by_abort() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    for guest in 0..9u8 {
        let remote = SocketAddr::from(([198, 51, 100, guest], 777));
        let init = Init { initiate_tag: VerificationTag::new(100 + u32::from(guest)), ..init() };
        pair.inject_from(End::Z, remote, packet(VerificationTag::ZERO, &[&init]));
        let answer = pair.take_packets(End::Z).pop().expect("an answer");
        let (tag, ack) = match Packet::decode(&answer, Checksum::Crc32c).expect("sound").chunks().next() {
            Some(Ok(Chunk::InitAck(ack))) => (ack.initiate_tag, ack),
            Some(Ok(Chunk::Abort(abort))) => {
                assert_eq!((guest, abort.causes), (8, vec![Cause::OutOfResource]));
                return;
            }
            other => panic!("{other:?}"),
        };
        let Some(Parameter::StateCookie(cookie)) = ack.parameters.first() else { panic!("no cookie") };
        pair.inject_from(End::Z, remote, packet(tag, &[&CookieEcho { cookie }]));
        pair.take_packets(End::Z);
    }
    panic!("the ninth was not refused: {}", pair.z.endpoint.len());
}

/// A stranger that asked while there was room has a valid cookie; what counts is the room when it comes back.
#[test]
fn a_cookie_that_comes_back_when_the_endpoint_is_full_is_answered_by_abort() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let guest = |host| Guest { remote: SocketAddr::from(([198, 51, 100, host], 777)), port: 777 };
    let invitations: Vec<Invitation> = (0..9).map(|host| pair.invite(guest(host))).collect();
    for (host, invitation) in (0..).zip(invitations) {
        pair.take_log();
        pair.accept(guest(host), &invitation);
        let answer = pair.take_packets(End::Z).swap_remove(0);
        let expected = match host {
            0..8 => Chunk::CookieAck,
            _ => Chunk::Abort(Abort { tag_reflected: false, causes: vec![Cause::OutOfResource] }),
        };
        assert_eq!(chunks(&answer)[0], expected, "guest {host}");
    }
    assert_eq!(pair.z.endpoint.len(), 8);
}

/// RFC 9260 §6: DATA, and §5.2.3, §5.2.5: late INIT-ACK and COOKIE-ACK, mean nothing in the wrong state.
#[test]
fn chunks_that_come_in_the_wrong_state_are_dropped() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::A, "INIT");
    pair.connect();
    pair.take_log();
    pair.forge(End::A, &[&data(Tsn::new(1), b"data")]);
    pair.forge(End::A, &[&CookieAck]);
    pair.forge(End::A, &[&Shutdown { cumulative_tsn_ack: Tsn::new(1) }]);
    assert_eq!(pair.at(End::A).state(), AssociationState::CookieWait);
    pair.run_for(secs(5));
    pair.assert_flows();
    pair.run_for(secs(1));
    pair.take_log();
    pair.forge(End::A, &[&CookieAck]);
    pair.forge(End::A, &[&init_ack()]);
    assert!(pair.take_log().is_empty());
    pair.assert_flows();
}

/// RFC 9260 §8.5: "the receiver MUST silently discard the packet".
#[test]
fn no_chunk_with_a_wrong_tag_reaches_an_open_association() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let tsn = Tsn::new(1);
    let sack = Sack {
        cumulative_tsn_ack: tsn,
        a_rwnd: 0,
        flags: 0,
        gap_blocks: [].as_slice().into(),
        duplicates: [].as_slice().into(),
    };
    let (own, peer) = pair.at(End::Z).tags();
    let peer = peer.expect("open");
    let chunks: [&dyn EncodeChunk; 11] = [
        &data(tsn, b"data"),
        &sack,
        &Heartbeat::new(vec![1; 20]),
        &HeartbeatAck::new(vec![1; 20]),
        &Abort { tag_reflected: false, causes: Vec::new() },
        &Shutdown { cumulative_tsn_ack: tsn },
        &ShutdownAck,
        &ErrorChunk { causes: vec![Cause::OutOfResource] },
        &CookieAck,
        &ShutdownComplete { tag_reflected: false },
        &UnknownChunk { kind: 0xff, flags: 0, value: &[] },
    ];
    for chunk in chunks {
        for wrong in [VerificationTag::new(own.get() ^ 1), VerificationTag::ZERO, peer] {
            pair.forge_with_tag(End::Z, wrong, &[chunk]);
        }
    }
    // The T bit asks for the peer's tag; our own with it is as wrong.
    pair.forge_with_tag(End::Z, own, &[&Abort { tag_reflected: true, causes: Vec::new() }]);
    pair.forge_with_tag(End::Z, own, &[&ShutdownComplete { tag_reflected: true }]);
    assert!(pair.at(End::Z).is_open());
    assert_eq!(pair.z.events, []);
    pair.forge_with_tag(End::Z, peer, &[&Abort { tag_reflected: true, causes: Vec::new() }]);
    assert_eq!(pair.closed(End::Z), Some(CloseReason::UnknownToPeer));
}

/// RFC 9260 §8.5.1 B, C: only ABORT and SHUTDOWN-COMPLETE may carry the peer's tag, and only with the T bit. A packet is
/// handed to the association by its first chunk; what follows has to carry the right tag as well.
#[test]
fn a_chunk_that_may_reflect_the_tag_lets_no_other_in_behind_it() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    let (own, peer) = pair.at(End::Z).tags();
    let next = pair.at(End::Z).ack_points().expect("open").0.next();
    let complete = ShutdownComplete { tag_reflected: true };
    let behind: [&dyn EncodeChunk; 6] = [
        &Abort { tag_reflected: false, causes: Vec::new() },
        &data(next, b"data"),
        &Heartbeat::new(vec![1; 20]),
        &Shutdown { cumulative_tsn_ack: pair.at(End::Z).ack_points().expect("open").1 },
        &ErrorChunk { causes: vec![Cause::OutOfResource] },
        &UnknownChunk { kind: 0xff, flags: 0, value: &[] },
    ];
    for chunk in behind {
        pair.forge_with_tag(End::Z, peer.expect("open"), &[&complete, chunk]);
    }
    // And the other way round: our tag with the T bit is wrong behind a chunk that is right.
    let ack = HeartbeatAck::new(vec![1; 20]);
    pair.forge_with_tag(End::Z, own, &[&ack, &Abort { tag_reflected: true, causes: Vec::new() }]);
    pair.run_for(ms(500));
    assert_eq!((pair.take_log(), &pair.z.events[..]), (Vec::new(), [].as_slice()));
    assert!(pair.at(End::Z).is_open());
    pair.forge_with_tag(End::Z, own, &[&ack, &Abort { tag_reflected: false, causes: Vec::new() }]);
    assert!(!pair.is_open(End::Z), "with the right tag it is believed behind another chunk too");
}

// RFC 9260 §8.4, row by row.

/// Z's answer to a packet that belongs to none of its associations.
fn out_of_the_blue(chunks: &[&dyn EncodeChunk]) -> Option<(u32, String)> {
    answer_to(Config::rfc9260(), packet(VerificationTag::new(99), chunks)).map(|bytes| told(&bytes))
}

fn reflected_abort() -> Option<(u32, String)> {
    let abort = Abort { tag_reflected: true, causes: Vec::new() };
    Some((99, told(&Bytes::from(packet(VerificationTag::new(99), &[&abort]))).1))
}

#[test]
fn s8_4_1_from_an_address_that_is_not_unicast_nothing_is_answered() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    for ip in [[224, 0, 0, 1], [0, 0, 0, 0], [255, 255, 255, 255]] {
        pair.inject_from(
            End::Z,
            SocketAddr::from((ip, 777)),
            packet(VerificationTag::new(99), &[&ShutdownAck]),
        );
        pair.inject_from(End::Z, SocketAddr::from((ip, 777)), packet(VerificationTag::ZERO, &[&init()]));
    }
    assert!(pair.take_log().is_empty());
}

#[test]
fn s8_4_2_an_abort_anywhere_in_the_packet_is_not_answered() {
    let abort = Abort { tag_reflected: false, causes: Vec::new() };
    assert_eq!(out_of_the_blue(&[&abort]), None);
    assert_eq!(out_of_the_blue(&[&ShutdownAck, &abort]), None);
    assert_eq!(out_of_the_blue(&[&data(Tsn::new(1), b"data"), &abort]), None);
}

#[test]
fn s8_4_3_an_init_is_answered_and_only_alone_and_with_tag_zero() {
    let (tag, text) = told(&answer_to_init(&init()).expect("an answer"));
    assert!(tag == init().initiate_tag.get() && text.contains("INIT-ACK"), "{text}");
    let bundled = packet(VerificationTag::ZERO, &[&init(), &data(Tsn::new(1), b"data")]);
    assert_eq!(answer_to(Config::rfc9260(), bundled), None);
    let to_no_one =
        CommonHeader { source_port: 1, destination_port: 2, verification_tag: VerificationTag::ZERO };
    let answer = answer_to(Config::rfc9260(), packet_with(to_no_one, &[&init()])).expect("an ABORT");
    let (tag, text) = told(&answer);
    assert!(
        tag == init().initiate_tag.get() && text.contains("ABORT") && !text.contains("reflected"),
        "{text}"
    );
}

#[test]
fn s8_4_4_an_invalid_cookie_is_not_answered() {
    assert_eq!(out_of_the_blue(&[&CookieEcho { cookie: &[7; 100] }, &data(Tsn::new(1), b"data")]), None);
}

#[test]
fn s8_4_5_a_shutdown_ack_is_answered_by_shutdown_complete_with_its_own_tag() {
    let complete = ShutdownComplete { tag_reflected: true };
    let told = Some((99, told(&Bytes::from(packet(VerificationTag::new(99), &[&complete]))).1));
    assert_eq!(out_of_the_blue(&[&ShutdownAck]), told);
    let error = ErrorChunk { causes: vec![Cause::CookieReceivedWhileShuttingDown] };
    assert_eq!(out_of_the_blue(&[&ShutdownAck, &error]), told);
}

#[test]
fn s8_4_6_a_shutdown_complete_is_not_answered() {
    assert_eq!(out_of_the_blue(&[&ShutdownComplete { tag_reflected: false }]), None);
}

#[test]
fn s8_4_7_a_stale_cookie_error_and_a_cookie_ack_are_not_answered_but_other_errors_are() {
    assert_eq!(out_of_the_blue(&[&CookieAck]), None);
    assert_eq!(out_of_the_blue(&[&ErrorChunk { causes: vec![Cause::StaleCookie(ms(1))] }]), None);
    assert_eq!(out_of_the_blue(&[&ErrorChunk { causes: vec![Cause::OutOfResource] }]), reflected_abort());
}

#[test]
fn s8_4_8_everything_else_is_answered_by_an_abort_with_its_own_tag() {
    assert_eq!(out_of_the_blue(&[&data(Tsn::new(1), b"data")]), reflected_abort());
    assert_eq!(out_of_the_blue(&[&Heartbeat::new(vec![1; 8])]), reflected_abort());
    assert_eq!(out_of_the_blue(&[&Shutdown { cumulative_tsn_ack: Tsn::new(1) }]), reflected_abort());
    assert_eq!(out_of_the_blue(&[&init_ack()]), reflected_abort());
    assert_eq!(out_of_the_blue(&[&UnknownChunk { kind: 0x3e, flags: 0, value: &[] }]), reflected_abort());
}

/// RFC 9260 §8.5.1 A: "When an endpoint receives an SCTP packet with the Verification Tag set to 0, it SHOULD
/// verify that the packet contains only an INIT chunk. Otherwise, the receiver MUST silently discard".
#[test]
fn a_packet_with_tag_zero_and_no_init_is_dropped() {
    assert_eq!(
        answer_to(Config::rfc9260(), packet(VerificationTag::ZERO, &[&data(Tsn::new(1), b"data")])),
        None
    );
}
