//! Opening an association: the four ways, lost packets, crossings and restarts, stale and forged cookies (RFC 9260
//! §5). The attempts of unknown peers are in `uninvited.rs`.

use std::net::SocketAddr;

use crate::pair::{End, Guest, Invitation, PORT, Pair, address, packet, packet_with};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::{AssociationState, Message};
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Abort, Cause, Checksum, Chunk, CommonHeader, CookieEcho, Init, InitAck, Packet, Parameter,
    VerificationTag,
};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

// Lost packets and the T1 timers (RFC 9260 §5.1).

#[test]
fn four_packets_open_an_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.run_for(ms(100));
    let dialogue = ["A -> INIT -> Z", "Z -> INIT-ACK -> A", "A -> COOKIE-ECHO -> Z", "Z -> COOKIE-ACK -> A"];
    assert_eq!(pair.take_log(), dialogue);
    pair.assert_flows();
}

#[test]
fn a_lost_init_is_sent_again_after_one_second() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::A, "INIT");
    pair.connect();
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> INIT -> lost",
        "1000 A -> INIT -> Z",
        "1010 Z -> INIT-ACK -> A",
        "1020 A -> COOKIE-ECHO -> Z",
        "1030 Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    pair.assert_flows();
}

#[test]
fn a_lost_init_ack_is_asked_for_again() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::Z, "INIT-ACK");
    pair.connect();
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> INIT -> Z",
        "10 Z -> INIT-ACK -> lost",
        "1000 A -> INIT -> Z",
        "1010 Z -> INIT-ACK -> A",
        "1020 A -> COOKIE-ECHO -> Z",
        "1030 Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    pair.assert_flows();
}

#[test]
fn a_lost_cookie_echo_is_sent_again_after_one_second() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::A, "COOKIE-ECHO");
    pair.connect();
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> INIT -> Z",
        "10 Z -> INIT-ACK -> A",
        "20 A -> COOKIE-ECHO -> lost",
        "1020 A -> COOKIE-ECHO -> Z",
        "1030 Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    pair.assert_flows();
}

#[test]
fn a_lost_cookie_ack_is_asked_for_again_and_opens_one_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::Z, "COOKIE-ACK");
    pair.connect();
    pair.run_for(secs(2));
    let dialogue = [
        "0 A -> INIT -> Z",
        "10 Z -> INIT-ACK -> A",
        "20 A -> COOKIE-ECHO -> Z",
        "30 Z -> COOKIE-ACK -> lost",
        "1020 A -> COOKIE-ECHO -> Z",
        "1030 Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    assert_eq!(pair.z.endpoint.len(), 1);
    assert_eq!(pair.z.events, [Event::Connected], "a second COOKIE-ECHO does not connect a second time");
    pair.assert_flows();
}

#[test]
fn an_unanswered_init_is_sent_nine_times_at_doubling_intervals() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.pipes[0].is_cut = true;
    pair.connect();
    pair.run_for(secs(400));
    // T1-init doubles like T3-rtx, up to RTO.Max; Max.Init.Retransmits is 8.
    let times = [0, 1, 3, 7, 15, 31, 63, 123, 183];
    let dialogue = times.map(|second| format!("{} A -> INIT -> lost", second * 1000));
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    assert_eq!(pair.closed(End::A), Some(CloseReason::NoAnswer { attempts: 9 }));
    assert_eq!(pair.at(End::A).state(), AssociationState::Closed);
}

#[test]
fn an_unanswered_cookie_is_sent_nine_times_too() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.run_until(secs(1), |pair| pair.at(End::A).state() == AssociationState::CookieEchoed);
    pair.pipes[0].is_cut = true;
    pair.run_for(secs(400));
    let cookies = pair.take_log().iter().filter(|line| line.contains("COOKIE-ECHO")).count();
    assert_eq!(cookies, 9);
    assert_eq!(pair.closed(End::A), Some(CloseReason::NoAnswer { attempts: 9 }));
}

#[test]
fn an_init_is_tried_on_the_next_path_when_the_first_is_cut() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.pipes[0].is_cut = true;
    pair.connect();
    pair.run_until(secs(3), |pair| pair.at(End::A).is_open());
    let dialogue = [
        "0 A -1> INIT -1> lost",
        "1000 A -2> INIT -2> Z",
        "1010 Z -2> INIT-ACK -2> A",
        "1020 A -2> COOKIE-ECHO -2> Z",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO)[..4], dialogue);
    pair.assert_flows();
}

#[test]
fn a_cookie_is_tried_on_the_next_path_when_the_first_is_cut() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.connect();
    pair.run_until(secs(1), |pair| pair.at(End::A).state() == AssociationState::CookieEchoed);
    pair.pipes[0].is_cut = true;
    pair.run_until(secs(3), |pair| pair.at(End::A).is_open());
    let log = pair.take_timed_log(Time::ZERO);
    assert!(log.contains(&"1020 A -2> COOKIE-ECHO -2> Z".to_owned()), "{log:?}");
    pair.assert_flows();
}

/// RFC 9260 §5.4: "An endpoint MUST NOT send any chunks to an UNCONFIRMED address", a COOKIE-ECHO only bundled
/// with a HEARTBEAT.
#[test]
fn a_cookie_is_not_sent_to_an_address_that_only_the_peer_vouches_for() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.may_cross = true;
    pair.restart_with(End::A, vec![address(End::A, 0)]);
    pair.connect_to(End::A, &[address(End::Z, 0)]);
    pair.lose(End::A, "COOKIE-ECHO");
    pair.run_until(secs(5), |pair| pair.at(End::A).is_open());
    let log = pair.take_log();
    let cookies: Vec<&String> = log.iter().filter(|line| line.contains("COOKIE-ECHO")).collect();
    assert_eq!(cookies, ["A -1> COOKIE-ECHO -1> lost", "A -1> COOKIE-ECHO -1> Z"]);
}

// Crossings, duplicates, restarts (RFC 9260 §5.2).

#[test]
fn two_inits_that_cross_open_one_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect_from(End::A);
    pair.connect_from(End::Z);
    pair.run_for(ms(200));
    let dialogue = [
        "A -> INIT -> Z",
        "Z -> INIT -> A",
        "Z -> INIT-ACK -> A",
        "A -> INIT-ACK -> Z",
        "A -> COOKIE-ECHO -> Z",
        "Z -> COOKIE-ECHO -> A",
        "Z -> COOKIE-ACK -> A",
        "A -> COOKIE-ACK -> Z",
    ];
    assert_eq!(pair.take_log(), dialogue);
    assert_eq!((pair.a.endpoint.len(), pair.z.endpoint.len()), (1, 1));
    let (a, z) = (pair.at(End::A).tags(), pair.at(End::Z).tags());
    assert_eq!((Some(a.0), a.1), (z.1, Some(z.0)), "each calls the other by its name");
    assert_eq!((&pair.a.events, &pair.z.events), (&vec![Event::Connected], &vec![Event::Connected]));
    pair.assert_flows();
}

#[test]
fn an_init_that_crosses_a_cookie_opens_one_association_as_well() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect_from(End::A);
    pair.run_until(secs(1), |pair| pair.at(End::A).state() == AssociationState::CookieEchoed);
    pair.connect_from(End::Z);
    pair.run_for(secs(3));
    assert_eq!((pair.a.endpoint.len(), pair.z.endpoint.len()), (1, 1), "{:?}", pair.log);
    pair.assert_flows();
}

#[test]
fn a_cookie_that_comes_twice_is_answered_twice_and_changes_nothing() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(ms(100));
    let cookie = pair.take_packets(End::A).pop().expect("the COOKIE-ECHO came last");
    pair.assert_flows();
    pair.log.clear();
    pair.z.events.clear();
    pair.inject(End::Z, 0, cookie.to_vec());
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["Z -> COOKIE-ACK -> A"]);
    assert_eq!((pair.z.endpoint.len(), pair.z.events.len()), (1, 0));
    pair.assert_flows();
}

/// An attacker that saw the handshake may repeat it while its cookie is good.
#[test]
fn an_association_that_is_gone_is_not_opened_by_its_packets_a_second_time() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(secs(1));
    pair.send(End::A, 500);
    pair.run_for(secs(1));
    let sent = pair.take_packets(End::A);
    assert_eq!(pair.receive(End::Z).len(), 1);
    pair.abort(End::Z, "enough");
    pair.run_for(secs(1));
    for is_removed in [false, true] {
        if is_removed {
            let (now, id) = (pair.now, pair.z.id.expect("it was open"));
            pair.z.endpoint.remove(now, id);
        }
        pair.z.events.clear();
        pair.take_log();
        for packet in &sent {
            pair.inject(End::Z, 0, packet.to_vec());
            pair.run_for(ms(1));
        }
        assert_eq!(pair.z.endpoint.len(), usize::from(!is_removed), "{:?}", pair.log);
        assert!(pair.z.events.is_empty(), "{:?}", pair.z.events);
        let mut log = pair.take_log();
        log.retain(|line| !line.contains("INIT-ACK"));
        assert!(log.iter().all(|line| line.starts_with("Z -> ABORT")), "{log:?}");
    }
}

/// Each end makes a cookie for the other, and only one of them need be used.
#[test]
fn cookies_of_inits_that_crossed_open_nothing_when_the_association_is_gone() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.connect_from(End::A);
    pair.connect_from(End::Z);
    pair.lose(End::Z, "COOKIE-ECHO");
    pair.run_for(secs(1));
    assert_eq!((pair.a.endpoint.len(), pair.z.endpoint.len()), (1, 1));
    let sent = [End::A, End::Z].map(|end| pair.take_packets(end));
    pair.abort(End::A, "enough");
    pair.run_for(secs(1));
    for end in [End::A, End::Z] {
        let (now, side) = (pair.now, pair.side(end));
        side.endpoint.remove(now, side.id.expect("it was open"));
    }
    for (from, packets) in [End::A, End::Z].into_iter().zip(sent) {
        packets.iter().for_each(|packet| pair.inject(from.other(), 0, packet.to_vec()));
    }
    pair.run_for(secs(1));
    assert_eq!((pair.a.endpoint.len(), pair.z.endpoint.len()), (0, 0), "{:?}", pair.log);
}

/// RFC 9260 §5.2.4 action A, §5.2.4.1.
#[test]
fn a_peer_that_restarted_is_announced_and_data_flows_again() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.assert_flows();
    pair.restart(End::A);
    pair.log.clear();
    pair.z.events.clear();
    pair.connect();
    pair.run_for(ms(100));
    let handshake =
        ["A -1> INIT -1> Z", "Z -1> INIT-ACK -1> A", "A -1> COOKIE-ECHO -1> Z", "Z -1> COOKIE-ACK -1> A"];
    let log = pair.take_log();
    assert!(handshake.iter().all(|line| log.contains(&(*line).to_owned())), "{log:?}");
    assert_eq!(pair.z.events.first(), Some(&Event::Restarted));
    assert_eq!(pair.z.endpoint.len(), 1, "the association is the old one");
    pair.assert_flows();
}

#[test]
fn after_a_restart_data_goes_where_the_cookie_came_from() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..Config::rfc9260() }, 2);
    pair.restart(End::A);
    pair.connect();
    pair.run_for(secs(10));
    pair.log.clear();
    pair.send(End::Z, 100);
    assert_eq!(pair.take_log(), ["Z -1> DATA -1> A"]);
}

#[test]
fn a_restart_gives_back_what_was_read_before_and_starts_the_streams_anew() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    (0..3).for_each(|_| pair.send(End::A, 100));
    pair.run_for(secs(1));
    pair.restart(End::A);
    pair.connect();
    pair.run_for(secs(1));
    pair.send(End::A, 200);
    pair.run_for(secs(1));
    let lengths: Vec<usize> = pair.receive(End::Z).iter().map(Message::len).collect();
    assert_eq!(lengths, [100, 100, 100, 200]);
}

#[test]
fn a_peer_that_restarts_again_and_again_fills_one_buffer_and_no_more() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    for restarts in 0..3 {
        (0..5).for_each(|_| pair.send(End::A, 100));
        pair.run_for(secs(1));
        if restarts < 2 {
            pair.restart(End::A);
            pair.connect();
            pair.run_for(secs(1));
        }
        assert_eq!(pair.is_open(End::A), restarts != 1, "the second restart waits");
        if restarts == 1 {
            assert_eq!(pair.receive(End::Z).len(), 10);
            pair.run_for(secs(10));
            assert!(pair.is_open(End::A), "as soon as all was read");
        }
    }
    assert_eq!(pair.receive(End::Z).len(), 5);
}

/// RFC 9260 §5.2.2: "If new addresses are added to the association, the endpoint MUST respond with an ABORT
/// chunk".
#[test]
fn a_restart_with_new_addresses_is_refused_and_changes_nothing() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.pipes.push(pair.pipes[0]);
    pair.restart_with(End::A, vec![address(End::A, 0), address(End::A, 1)]);
    pair.connect_to(End::A, &[address(End::Z, 0), address(End::Z, 1)]);
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["A -1> INIT -1> Z", "Z -1> ABORT -1> A"]);
    let Some(CloseReason::AbortedByPeer { causes }) = pair.closed(End::A) else { panic!("no ABORT came") };
    let new = Parameter::Ipv4Address([10, 0, 1, 1].into());
    assert_eq!(causes, [Cause::RestartWithNewAddresses(new.to_bytes())]);
    assert!(pair.at(End::Z).is_open(), "the old association stays");
}

// Stale and forged cookies (RFC 9260 §5.1.5, §5.2.6).

#[test]
fn a_stale_cookie_is_refused_and_the_next_one_lives_longer() {
    let hasty = Config { cookie_lifetime: ms(500), ..Config::rfc9260() };
    let mut pair = Pair::unequal(Config::rfc9260(), hasty, 1);
    pair.pipes[0].delay = ms(300);
    pair.connect();
    pair.run_for(secs(5));
    let dialogue = [
        "0 A -> INIT -> Z",
        "300 Z -> INIT-ACK -> A",
        "600 A -> COOKIE-ECHO -> Z",
        "900 Z -> ERROR -> A",
        "1200 A -> INIT -> Z",
        "1500 Z -> INIT-ACK -> A",
        "1800 A -> COOKIE-ECHO -> Z",
        "2100 Z -> COOKIE-ACK -> A",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), dialogue);
    pair.assert_flows();
}

#[test]
fn cookies_that_are_always_stale_end_the_attempt() {
    let hasty = Config { cookie_lifetime: ms(100), ..Config::rfc9260() };
    let mut pair = Pair::unequal(Config::rfc9260(), hasty, 1);
    pair.pipes[0].delay = ms(400);
    pair.connect();
    pair.run_for(secs(100));
    assert!(matches!(pair.closed(End::A), Some(CloseReason::NoAnswer { .. })), "{:?}", pair.log);
    assert_eq!(pair.take_log().iter().filter(|line| line.contains("ERROR")).count(), 9);
    assert!(pair.z.endpoint.is_empty());
}

#[test]
fn a_cookie_that_was_changed_is_dropped_without_a_word() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.lose(End::A, "COOKIE-ECHO");
    pair.connect();
    pair.run_for(ms(100));
    let honest = pair.take_packets(End::A).pop().expect("the COOKIE-ECHO came last");
    let (tag, cookie) = cookie_of(&honest);
    for at in 0..cookie.len() {
        let mut forged = cookie.clone();
        forged[at] ^= 1;
        pair.inject(End::Z, 0, packet(tag, &[&CookieEcho { cookie: &forged }]));
    }
    // The right cookie with another tag or another port is refused too.
    let other = VerificationTag::new(tag.get() ^ 1);
    pair.inject(End::Z, 0, packet(other, &[&CookieEcho { cookie: &cookie }]));
    let header = CommonHeader { source_port: 1, destination_port: PORT, verification_tag: tag };
    pair.inject(End::Z, 0, packet_with(header, &[&CookieEcho { cookie: &cookie }]));
    pair.run_for(ms(100));
    assert!(pair.take_log().is_empty());
    assert!(pair.z.endpoint.is_empty());
    pair.inject(End::Z, 0, honest.to_vec());
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["Z -> COOKIE-ACK -> A"]);
}

/// RFC 9260 §5.1.3: "the secret key SHOULD be changed reasonably frequently": each hour, and the one before is still
/// good. A cookie that is two keys old is not even reported as stale.
#[test]
fn the_key_of_the_cookies_is_replaced_and_the_one_before_still_good() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    let guest = |host| Guest { remote: SocketAddr::from(([198, 51, 100, host], PORT)), port: PORT };
    let answer_to = |pair: &mut Pair, host, invitation: &Invitation| -> Vec<String> {
        pair.take_log();
        pair.accept(guest(host), invitation);
        pair.take_log()
    };
    pair.run_for(secs(3_590));
    let (first, second) = (pair.invite(guest(1)), pair.invite(guest(2)));
    pair.run_for(secs(20));
    pair.invite(guest(3));
    let said = answer_to(&mut pair, 1, &first);
    assert!(said[0].starts_with("Z -> COOKIE-ACK"), "by the key before: {said:?}");
    pair.run_for(secs(3_590));
    let said = answer_to(&mut pair, 2, &second);
    assert!(said[0].starts_with("Z -> ERROR"), "stale, by the key before: {said:?}");
    pair.run_for(secs(20));
    pair.invite(guest(4));
    assert_eq!(answer_to(&mut pair, 2, &second), [""; 0], "by neither key");
}

fn cookie_of(bytes: &Bytes) -> (VerificationTag, Vec<u8>) {
    let packet = Packet::decode(bytes, Checksum::Crc32c).expect("sound");
    match packet.chunks().next() {
        Some(Ok(Chunk::CookieEcho(echo))) => (packet.header().verification_tag, echo.cookie.to_vec()),
        other => panic!("not a COOKIE-ECHO: {other:?}"),
    }
}

#[test]
fn each_end_may_have_fewer_streams_than_it_wished() {
    let few = Config { inbound_streams: 3, ..Config::rfc9260() };
    let mut pair = Pair::unequal(Config::rfc9260(), few, 1);
    pair.establish();
    assert!(pair.try_send(End::A, 2, false, Bytes::from_static(b"fits")).is_ok());
    assert!(pair.try_send(End::A, 3, false, Bytes::from_static(b"does not")).is_err());
    assert!(pair.try_send(End::Z, 15, false, Bytes::from_static(b"fits")).is_ok());
}

#[test]
fn an_end_that_gives_up_tells_a_peer_that_may_have_opened() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::Z, "COOKIE-ACK");
    pair.connect();
    pair.run_for(ms(100));
    assert_eq!(pair.at(End::A).state(), AssociationState::CookieEchoed);
    pair.take_log();
    pair.abort(End::A, "changed its mind");
    pair.run_for(ms(100));
    assert_eq!(pair.take_log(), ["A -> ABORT -> Z"]);
    assert!(matches!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { .. })));
}

#[test]
fn the_window_of_an_init_is_the_receive_buffer() {
    let config = Config { receive_buffer: ByteCount::new(54_321), ..Config::rfc9260() };
    let mut pair = Pair::new(config, 1);
    pair.keep_packets();
    pair.connect();
    pair.run_for(ms(100));
    let packets = pair.take_packets(End::A);
    let first = Packet::decode(&packets[0], Checksum::Crc32c).expect("sound");
    let Some(Ok(Chunk::Init(init))) = first.chunks().next() else { panic!("no INIT") };
    assert_eq!(init.a_rwnd, 54_321);
}

/// RFC 9260 §5.2.1: "If the INIT chunk indicates that a new address has been added to the association, then the
/// entire INIT chunk MUST be discarded".
#[test]
fn an_init_with_a_new_address_that_crosses_a_cookie_is_refused() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.lose(End::A, "COOKIE-ECHO");
    pair.connect();
    pair.run_for(ms(100));
    pair.take_log();
    let added = Parameter::Ipv4Address([203, 0, 113, 5].into());
    let init = Init {
        initiate_tag: VerificationTag::new(0x0102_0304),
        a_rwnd: 100_000,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn::new(1),
        parameters: vec![added.clone()],
    };
    pair.keep_packets();
    pair.forge_with_tag(End::A, VerificationTag::ZERO, &[&init]);
    let answers = pair.take_packets(End::A);
    let packet = Packet::decode(&answers[0], Checksum::Crc32c).expect("sound");
    let causes = vec![Cause::RestartWithNewAddresses(added.to_bytes())];
    let abort = Abort { tag_reflected: false, causes };
    assert_eq!(packet.chunks().collect::<Vec<_>>(), [Ok(Chunk::Abort(abort))]);
    assert_eq!(packet.header().verification_tag, init.initiate_tag);
    pair.run_for(secs(5));
    pair.assert_flows();
}

#[test]
fn a_peer_with_addresses_of_a_version_that_this_end_lacks_may_restart() {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V4, IpVersion::V6]);
    let a = vec![pair.address(End::A, 0), pair.address(End::A, 1)];
    let z = pair.address(End::Z, 0);
    pair.restart_with(End::Z, vec![z]);
    pair.connect_to(End::A, &[z]);
    pair.run_for(secs(5));
    pair.restart_with(End::A, a);
    pair.connect_to(End::A, &[z]);
    pair.run_for(secs(5));
    assert!(pair.z.events.contains(&Event::Restarted), "{:?}", pair.log);
    pair.assert_flows();
}

/// RFC 9260 §5.4 and §8.3.
#[test]
fn the_acceptor_verifies_its_other_paths_while_the_cookie_is_acknowledged() {
    let mut pair = Pair::new(Config::rfc9260(), 3);
    pair.connect();
    pair.run_for(ms(2500));
    let verification = [
        "0 A -1> INIT -1> Z",
        "10 Z -1> INIT-ACK -1> A",
        "20 A -1> COOKIE-ECHO -1> Z",
        "30 Z -2> HEARTBEAT -2> A",
        "30 Z -1> COOKIE-ACK -1> A",
        "40 A -2> HEARTBEAT-ACK -2> Z",
        "1030 Z -3> HEARTBEAT -3> A",
        "1040 A -3> HEARTBEAT-ACK -3> Z",
    ];
    assert_eq!(pair.take_timed_log(Time::ZERO), verification);
}

/// RFC 9260 §5.1: an INIT is one packet, to peers about which nothing is known.
#[test]
fn a_host_with_a_hundred_addresses_names_as_many_as_fit_the_least_packet_and_opens() {
    for (version, mtu) in [(IpVersion::V4, 576), (IpVersion::V6, 1_280)] {
        let config = Config { mtu: ByteCount::new(mtu), dynamic_addresses: true, ..Config::rfc9260() };
        let mut pair = Pair::over(config.clone(), config, &[version; 100]);
        pair.keep_packets();
        pair.connect_to(End::A, &[pair.address(End::Z, 0)]);
        pair.run_for(secs(1));
        assert!(pair.is_open(End::A) && pair.is_open(End::Z));
        let named = |bytes: &Bytes| match crate::pair::chunks(bytes).swap_remove(0) {
            Chunk::Init(Init { parameters, .. }) | Chunk::InitAck(InitAck { parameters, .. }) => {
                let is_address =
                    |one: &&Parameter| matches!(one, Parameter::Ipv4Address(_) | Parameter::Ipv6Address(_));
                parameters.iter().filter(is_address).count()
            }
            _ => 0,
        };
        assert_eq!(named(&pair.log[0].bytes), 16, "of the INIT");
    }
}

#[test]
fn of_a_hundred_addresses_of_a_peer_sixteen_become_paths() {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V6; 100]);
    pair.connect();
    pair.run_for(secs(1));
    assert!(pair.is_open(End::A) && pair.is_open(End::Z));
    assert_eq!(pair.at(End::A).paths().len(), 16);
}

/// RFC 4007 §6: a link-local address means nothing without the interface.
#[test]
fn an_association_over_link_local_addresses_knows_by_which_interface() {
    let [here, there]: [SocketAddr; 2] =
        ["[fe80::1%3]:9899", "[fe80::2%3]:777"].map(|text| text.parse().expect("an address"));
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V6]);
    pair.keep_packets();
    pair.restart_with(End::Z, vec![here]);
    let init = Init {
        initiate_tag: VerificationTag::new(7),
        a_rwnd: 100_000,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn::new(1),
        parameters: vec![Parameter::Ipv6Address([0xfe80, 0, 0, 0, 0, 0, 0, 9].into())],
    };
    pair.inject_between(End::Z, here, there, packet(VerificationTag::ZERO, &[&init]));
    let answer = pair.take_packets(End::Z).remove(0);
    let Some(Chunk::InitAck(ack)) = crate::pair::chunks(&answer).pop() else { panic!("no INIT-ACK") };
    let Some(Parameter::StateCookie(cookie)) = ack.parameters.first() else { panic!("no cookie") };
    pair.inject_between(End::Z, here, there, packet(ack.initiate_tag, &[&CookieEcho { cookie }]));
    let association = pair.at(End::Z);
    let paths: Vec<String> = association
        .paths()
        .iter()
        .map(|path| format!("{} {:?}", association.path_addresses(path.id).remote, path.state))
        .collect();
    assert_eq!(paths, ["[fe80::2%3]:777 Active", "[fe80::9%3]:777 Unconfirmed"]);
}
