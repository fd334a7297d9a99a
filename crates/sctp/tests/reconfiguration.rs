//! Changes of addresses, reported to the peer and accepted by it (RFC 5061), authenticated (RFC 4895): dialogues, a
//! line a
//! packet.

use std::net::{IpAddr, SocketAddr};

use crate::pair::{End, Guest, PORT, Pair, address, chunks, packet, path};
use anabranch_base::{Duration, Time};
use anabranch_sctp::association::AssociationState;
use anabranch_sctp::config::{Config, Encapsulation, IpVersion};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Asconf, AsconfAck, Auth, Cause, Chunk, Heartbeat, Parameter};
use bytes::Bytes;

fn dynamic() -> Config {
    Config { dynamic_addresses: true, ..Config::rfc9260() }
}

/// Every packet is authenticated below SCTP, so that a test may forge what it likes.
fn sealed() -> Config {
    Config { encapsulation: Encapsulation::Sealed, ..dynamic() }
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// An association over the first of some pipes; the ends may gain addresses on the others.
fn over_one_of(config: &Config, pipes: usize) -> Pair {
    let mut pair = Pair::over(config.clone(), config.clone(), &vec![IpVersion::V4; pipes]);
    begin(&mut pair);
    pair
}

fn begin(pair: &mut Pair) {
    pair.may_cross = true;
    pair.keep_locals(1);
    pair.connect_to(End::A, &[address(End::Z, 0)]);
    pair.run_for(secs(3));
    assert!(pair.is_open(End::A) && pair.is_open(End::Z), "{:?}", pair.log);
    pair.a.events.clear();
    pair.z.events.clear();
    pair.log.clear();
}

fn states(pair: &mut Pair, end: End) -> Vec<PathState> {
    pair.at(end).paths().iter().map(|sample| sample.state).collect()
}

fn remotes(pair: &mut Pair, end: End) -> Vec<SocketAddr> {
    let association = pair.at(end);
    let living = association.paths().iter().filter(|sample| sample.state != PathState::Removed);
    living.map(|sample| association.path_addresses(sample.id).remote).collect()
}

fn is_delivered(pair: &mut Pair, count: u32) -> bool {
    for number in 0..count {
        let payload = Bytes::from(number.to_be_bytes().repeat(300));
        pair.try_send(End::A, 0, false, payload).expect("there is room");
    }
    pair.run_for(secs(10));
    let numbers = pair.receive(End::Z).into_iter().map(|message| message.into_bytes()[..4].to_vec());
    numbers.eq((0..count).map(|number| number.to_be_bytes().to_vec()))
}

/// The peer's next ASCONF as `asconf` would have it, and what comes back.
fn ask(pair: &mut Pair, to: End, serial: Tsn, requests: &[Parameter]) -> Vec<AsconfAck> {
    let lookup = Parameter::Ipv4Address([10, 0, 0, 1].into());
    let parameters = [&[lookup], requests].concat();
    pair.log.clear();
    pair.forge(to, &[&Asconf { serial, parameters }]);
    let packets: Vec<Bytes> =
        pair.log.iter().filter(|line| line.from == to).map(|line| line.bytes.clone()).collect();
    let answers = packets.iter().flat_map(chunks).filter_map(|chunk| match chunk {
        Chunk::AsconfAck(ack) => Some(ack),
        _ => None,
    });
    answers.collect()
}

/// The number of the first ASCONF that `to` takes: its peer's first TSN, of which nothing has arrived.
fn first_serial(pair: &mut Pair, to: End) -> Tsn {
    pair.at(to).ack_points().expect("an open association").0.next()
}

fn refusals(acks: &[AsconfAck]) -> Vec<(u32, Cause)> {
    let [ack] = acks else { panic!("one answer, not {acks:?}") };
    let refusal = |response: &Parameter| match response {
        Parameter::ErrorCauseIndication { id, causes } => (*id, causes[0].clone()),
        other => panic!("{other}"),
    };
    ack.responses.iter().map(refusal).collect()
}

fn add(id: u32, ip: [u8; 4]) -> Parameter {
    Parameter::AddAddress { id, address: IpAddr::from(ip) }
}

fn delete(id: u32, ip: [u8; 4]) -> Parameter {
    Parameter::DeleteAddress { id, address: IpAddr::from(ip) }
}

#[test]
fn an_address_that_is_gained_is_told_of_authenticated_and_then_verified_by_both() {
    let mut pair = over_one_of(&dynamic(), 2);
    pair.add_local(End::A, 1);
    pair.run_for(ms(200));
    let said = pair.take_log();
    assert_eq!(said[0], "A -1> AUTH + ASCONF -1> Z", "{said:#?}");
    assert!(said[1].starts_with("Z -1> AUTH + ASCONF-ACK"), "{said:#?}");
    let probe =
        said.iter().position(|line| line.starts_with("A -1> HEARTBEAT ") || line == "A -1> HEARTBEAT -1> Z");
    assert!(probe > Some(1), "nothing leaves from there before the answer: {said:#?}");
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 2]);
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2]);
    assert_eq!(pair.a.events, [Event::PathAdded(path(1)), Event::PathConfirmed(path(1))]);
    assert_eq!(pair.z.events, [Event::PathAdded(path(1)), Event::PathConfirmed(path(1))]);
    assert!(is_delivered(&mut pair, 40));
    assert!(!pair.at(End::A).path_counters(path(1)).sent_bytes.is_zero());
}

#[test]
fn an_address_that_is_lost_is_told_of_and_deleted_at_once() {
    let mut pair = Pair::open(dynamic(), 2);
    pair.send_at_once(End::Z, 6, 1_400);
    pair.remove_local(End::A, 1);
    pair.run_for(ms(300));
    assert!(pair.take_log().contains(&"A -1> AUTH + ASCONF -1> Z".to_owned()) || pair.log.is_empty());
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Removed]);
    assert!(pair.z.events.contains(&Event::PathRemoved(path(1))));
    assert_eq!(pair.receive(End::A).len(), 6, "what was on its way there went elsewhere without a time-out");
}

#[test]
fn a_host_that_moves_from_its_only_address_to_another_is_followed() {
    let mut pair = over_one_of(&dynamic(), 2);
    pair.send_at_once(End::A, 3, 1_400);
    pair.send_at_once(End::Z, 3, 1_400);
    pair.remove_local(End::A, 0);
    pair.add_local(End::A, 1);
    pair.run_for(ms(300));
    assert_eq!(states(&mut pair, End::A), [PathState::Removed, PathState::Active], "{:#?}", pair.log);
    assert_eq!(remotes(&mut pair, End::Z), [address(End::A, 1)]);
    pair.run_for(secs(3));
    assert_eq!((pair.receive(End::Z).len(), pair.receive(End::A).len()), (3, 3));
    assert!(is_delivered(&mut pair, 20));
}

#[test]
fn a_request_and_its_answer_go_again_and_elsewhere_until_they_arrive() {
    let mut pair = Pair::over(dynamic(), dynamic(), &[IpVersion::V4; 3]);
    pair.may_cross = true;
    pair.side(End::A).config.local.truncate(3);
    pair.connect();
    pair.run_for(secs(5));
    pair.remove_local(End::A, 2);
    pair.run_for(secs(2));
    pair.log.clear();
    pair.lose(End::A, "ASCONF");
    pair.lose(End::Z, "ASCONF-ACK");
    let before = pair.now;
    pair.add_local(End::A, 2);
    assert!(pair.run_until(secs(20), |pair| states(pair, End::A)[2] == PathState::Active), "{:#?}", pair.log);
    let asked: Vec<String> =
        pair.take_timed_log(before).into_iter().filter(|line| line.contains("AUTH + ASCONF")).collect();
    let expected =
        ["0 A -1> AUTH + ASCONF -1> lost", "1000 A -2> AUTH + ASCONF -2> Z", "1010 Z -2> AUTH + ASCONF-ACK"];
    assert!(asked.iter().zip(expected).all(|(line, expected)| line.starts_with(expected)), "{asked:#?}");
    assert_eq!(states(&mut pair, End::Z)[2], PathState::Active);
}

#[test]
fn sealed_ends_need_no_authentication_of_their_own() {
    let mut pair = over_one_of(&sealed(), 2);
    pair.add_local(End::A, 1);
    pair.run_for(ms(200));
    assert_eq!(pair.take_log()[0], "A -1> ASCONF -1> Z");
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2]);
}

#[test]
fn a_peer_that_cannot_is_not_told() {
    for (near, far) in [(dynamic(), Config::rfc9260()), (Config::rfc9260(), dynamic())] {
        let mut pair = Pair::over(near, far, &[IpVersion::V4; 2]);
        begin(&mut pair);
        pair.add_local(End::A, 1);
        pair.run_for(ms(200));
        let said = pair.take_log();
        assert!(said.iter().all(|line| !line.contains("ASCONF")), "{said:#?}");
        assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2], "it finds out by itself");
    }
}

#[test]
fn only_what_is_authentic_changes_addresses() {
    let mut pair = over_one_of(&dynamic(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    assert_eq!(ask(&mut pair, End::Z, serial, &[add(1, [10, 0, 7, 1])]), [], "no AUTH chunk before it");
    let asconf = Asconf {
        serial,
        parameters: vec![Parameter::Ipv4Address([10, 0, 0, 1].into()), add(1, [10, 0, 7, 1])],
    };
    let forged = Auth { key: 0, algorithm: 3, code: &[7; 32] };
    pair.forge(End::Z, &[&forged, &asconf, &Heartbeat::new(vec![1; 4])]);
    assert!(pair.take_log().is_empty(), "and nothing behind it is answered");
    assert_eq!(remotes(&mut pair, End::Z).len(), 1);
    let strange = Auth { key: 0, algorithm: 2, code: &[7; 16] };
    pair.forge(End::Z, &[&strange, &asconf]);
    let packets = pair.take_packets(End::Z);
    let [Chunk::Error(error)] = &chunks(&packets[0])[..] else { panic!("no ERROR") };
    assert_eq!(error.causes, [Cause::UnsupportedHmac(2)]);
    pair.forge(End::Z, &[&AsconfAck { serial, responses: Vec::new() }]);
    assert!(pair.is_open(End::Z), "an answer that is not authentic ends nothing");
}

#[test]
fn the_rules_for_deleting() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    let last = delete(7, [10, 0, 0, 1]);
    let acks = ask(&mut pair, End::Z, serial, std::slice::from_ref(&last));
    assert_eq!(refusals(&acks), [(7, Cause::DeleteLastAddress(last.to_bytes()))]);
    // With another there, it is still the address that the request comes from.
    let requests = [add(1, [10, 0, 7, 1]), last.clone(), delete(3, [10, 9, 9, 9])];
    let acks = ask(&mut pair, End::Z, serial.next(), &requests);
    assert_eq!(
        refusals(&acks),
        [(7, Cause::DeleteSourceAddress(last.to_bytes()))],
        "one it never had is gone already"
    );
    assert_eq!(
        remotes(&mut pair, End::Z),
        [address(End::A, 0), "10.0.7.1:9899".parse().expect("an address")]
    );
    let all = Parameter::DeleteAddress { id: 9, address: IpAddr::from([0; 4]) };
    assert_eq!(refusals(&ask(&mut pair, End::Z, serial.plus(2), &[all])), []);
    assert_eq!(remotes(&mut pair, End::Z), [address(End::A, 0)], "all but the source");
}

#[test]
fn the_rules_for_adding() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    let many =
        [add(1, [224, 0, 0, 1]), add(2, [255, 255, 255, 255]), add(3, [127, 0, 0, 1]), add(4, [10, 0, 7, 1])];
    let told = refusals(&ask(&mut pair, End::Z, serial, &many));
    assert_eq!(told.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(told.iter().all(|(_, cause)| matches!(cause, Cause::NoAuthorization(_))));
    let source = Parameter::AddAddress { id: 5, address: IpAddr::from([0; 4]) };
    assert_eq!(refusals(&ask(&mut pair, End::Z, serial.next(), &[source, add(6, [10, 0, 7, 1])])), []);
    assert_eq!(remotes(&mut pair, End::Z).len(), 2, "the source, and one more");
    let flood: Vec<Parameter> = (0..40).map(|host| add(u32::from(host), [10, 8, 0, host])).collect();
    let refused = refusals(&ask(&mut pair, End::Z, serial.plus(2), &flood));
    assert_eq!(remotes(&mut pair, End::Z).len(), 16);
    assert!(refused.iter().all(|(_, cause)| matches!(cause, Cause::ResourceShortage(_))));
    assert_eq!(refused.first().map(|(id, _)| *id), Some(14), "fourteen had room");
}

/// An address leads to one association with the same port of the peer: otherwise its next INIT would be ambiguous.
#[test]
fn an_address_of_another_association_is_not_added() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let (theirs, elsewhere) = ([10, 0, 7, 1], [10, 0, 8, 1]);
    for (ip, port) in [(theirs, PORT), (elsewhere, 777)] {
        let guest = Guest { remote: SocketAddr::from((ip, PORT)), port };
        let invitation = pair.invite(guest);
        pair.accept(guest, &invitation);
    }
    assert_eq!(pair.z.endpoint.len(), 3);
    let serial = first_serial(&mut pair, End::Z);
    let wanted = add(1, theirs);
    let acks = ask(&mut pair, End::Z, serial, &[wanted.clone(), add(2, elsewhere)]);
    assert_eq!(refusals(&acks), [(1, Cause::NoAuthorization(wanted.to_bytes()))]);
    let another_port = SocketAddr::from((elsewhere, PORT));
    assert_eq!(remotes(&mut pair, End::Z), [address(End::A, 0), another_port], "of another port it may be");
}

#[test]
fn addresses_without_end_keep_the_table_bounded() {
    let mut pair = over_one_of(&sealed(), 1);
    let mut serial = first_serial(&mut pair, End::Z);
    for round in 0..1_000_u32 {
        let ip = [10, 20, (round >> 8) as u8, round as u8];
        let parameters = vec![Parameter::Ipv4Address([10, 0, 0, 1].into()), add(1, ip), delete(2, ip)];
        pair.forge(End::Z, &[&Asconf { serial, parameters }]);
        serial = serial.next();
    }
    assert_eq!(pair.at(End::Z).paths().len(), 256);
    assert_eq!(remotes(&mut pair, End::Z).len(), 1);
}

#[test]
fn a_path_that_goes_takes_no_answer_of_another_path_with_it() {
    let mut pair = Pair::open(sealed(), 2);
    let serial = first_serial(&mut pair, End::Z);
    pair.log.clear();
    let parameters = vec![Parameter::Ipv4Address([10, 0, 0, 1].into()), delete(1, [10, 0, 1, 1])];
    pair.forge(End::Z, &[&Heartbeat::new(vec![1; 4]), &Asconf { serial, parameters }]);
    assert_eq!(remotes(&mut pair, End::Z).len(), 1);
    let answers = pair.take_log();
    assert!(answers.iter().any(|line| line.contains("HEARTBEAT-ACK")), "{answers:?}");
}

#[test]
fn a_request_that_comes_again_is_answered_the_same_and_done_once() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    let requests = [add(1, [10, 0, 7, 1]), add(2, [224, 0, 0, 1])];
    let first = ask(&mut pair, End::Z, serial, &requests);
    pair.z.events.clear();
    assert_eq!(ask(&mut pair, End::Z, serial, &requests), first);
    assert_eq!(pair.z.events, []);
    assert_eq!(ask(&mut pair, End::Z, serial.plus(2), &requests), [], "the next but one");
    assert_eq!(ask(&mut pair, End::Z, serial.previous(), &requests), []);
}

#[test]
fn a_request_means_nothing_once_both_ends_are_done() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    pair.close(End::A);
    pair.run_for(ms(15));
    assert_eq!(pair.at(End::Z).state(), AssociationState::ShutdownAckSent);
    assert_eq!(ask(&mut pair, End::Z, serial, &[add(1, [10, 0, 7, 1])]), []);
    assert_eq!(remotes(&mut pair, End::Z), [address(End::A, 0)]);
}

#[test]
fn what_is_not_known_is_reported_or_skipped_or_stops_the_rest() {
    let mut pair = over_one_of(&sealed(), 1);
    pair.keep_packets();
    let serial = first_serial(&mut pair, End::Z);
    let unknown = |kind: u16| Parameter::Unknown { kind, value: vec![0, 0, 0, 9] };
    let requests = [unknown(0xc0ff), unknown(0x80ff), add(1, [224, 0, 0, 1])];
    let told = refusals(&ask(&mut pair, End::Z, serial, &requests));
    assert_eq!(told[0], (9, Cause::UnrecognizedParameters(requests[0].to_bytes())));
    assert_eq!(told.len(), 2, "the second is skipped, the third read");
    let told = refusals(&ask(&mut pair, End::Z, serial.next(), &[unknown(0x40ff), add(1, [224, 0, 0, 1])]));
    assert_eq!(told.len(), 1, "reported, and the rest is not read");
    assert_eq!(
        refusals(&ask(&mut pair, End::Z, serial.plus(2), &[unknown(0x00ff), add(1, [224, 0, 0, 1])])),
        []
    );
}

#[test]
fn the_peer_may_say_where_it_would_be_sent_to() {
    let config = Config { scheduler: "primary".to_owned(), ..sealed() };
    let mut pair = Pair::open(config, 2);
    let serial = first_serial(&mut pair, End::Z);
    let primary = Parameter::SetPrimaryAddress { id: 1, address: address(End::A, 1).ip() };
    let parameters = vec![Parameter::Ipv4Address([10, 0, 0, 1].into()), primary];
    pair.forge(End::Z, &[&Asconf { serial, parameters }]);
    pair.send(End::Z, 1_000);
    let data = pair.log.iter().find(|line| line.text.contains("DATA")).expect("it leaves");
    assert_eq!(data.pipe, 1);
}

#[test]
fn an_answer_to_nothing_ends_the_association() {
    let mut pair = over_one_of(&sealed(), 1);
    let old = pair.at(End::A).ack_points().expect("an open association").1;
    pair.forge(End::A, &[&AsconfAck { serial: old, responses: Vec::new() }]);
    assert!(pair.is_open(End::A), "an old one is passed over");
    pair.forge(End::A, &[&AsconfAck { serial: old.next(), responses: Vec::new() }]);
    assert!(matches!(pair.closed(End::A), Some(CloseReason::ProtocolViolation { .. })));
    assert_eq!(pair.at(End::A).state(), AssociationState::Closed);
}

#[test]
fn an_address_that_the_peer_refuses_is_not_used() {
    let mut pair = over_one_of(&sealed(), 3);
    // Z has as many paths as it accepts: to unused addresses.
    let serial = first_serial(&mut pair, End::Z);
    let mut parameters = vec![Parameter::Ipv4Address([10, 0, 0, 1].into())];
    parameters.extend((1..20).map(|host| add(u32::from(host), [10, 8, 0, host])));
    pair.forge(End::Z, &[&Asconf { serial, parameters }]);
    // A's own first ASCONF has the same number: it is answered by what was cached, with a refusal of its request 16 and
    // more. Its second one is read.
    pair.add_local(End::A, 1);
    pair.run_for(ms(100));
    pair.add_local(End::A, 2);
    pair.run_for(ms(100));
    assert_eq!(states(&mut pair, End::A)[2], PathState::Removed, "{:#?}", pair.log);
    assert!(is_delivered(&mut pair, 5));
}

/// RFC 9260 §8.4 rule 8 by a peer without the extension: it finds a HEARTBEAT from an unknown address out of the blue.
#[test]
fn an_abort_from_an_unverified_address_ends_nothing() {
    let mut pair = over_one_of(&Config::rfc9260(), 2);
    pair.pipes[1].is_cut = true;
    pair.add_local(End::A, 1);
    let tag = pair.at(End::A).tags().1.expect("the peer's");
    let abort = anabranch_sctp::wire::Abort { tag_reflected: true, causes: Vec::new() };
    let (local, remote) = (address(End::A, 1), address(End::Z, 0));
    pair.inject_between(End::A, local, remote, packet(tag, &[&abort]));
    assert!(pair.is_open(End::A));
    pair.forge_with_tag(End::A, tag, &[&abort]);
    assert!(!pair.is_open(End::A), "from where the peer is known to be it does");
}

/// RFC 9260 §8.5.1 B: the T bit says that the tag is the peer's own, so the address says whose association it is.
#[test]
fn an_abort_with_the_peers_tag_from_an_address_that_it_gained_is_believed() {
    let mut pair = over_one_of(&dynamic(), 2);
    pair.add_local(End::Z, 1);
    pair.run_for(secs(5));
    assert_eq!(remotes(&mut pair, End::A).len(), 2);
    let tag = pair.at(End::A).tags().1.expect("the peer's");
    let abort = anabranch_sctp::wire::Abort { tag_reflected: true, causes: Vec::new() };
    let (local, remote) = (address(End::A, 0), address(End::Z, 1));
    pair.inject_between(End::A, local, remote, packet(tag, &[&abort]));
    assert!(!pair.is_open(End::A));
}

/// RFC 5061 §5.3 F4: "ABORT Chunks arriving destined to the IP address being deleted MUST be ignored": it may be meant
/// for the address's new owner. With two addresses, and with only one.
#[test]
fn an_abort_to_an_address_that_is_gone_ends_nothing() {
    for pipes in [2, 1] {
        let mut pair = Pair::open(sealed(), pipes);
        let gone = pipes - 1;
        let (local, remote) = (address(End::A, gone), address(End::Z, gone));
        let abort = anabranch_sctp::wire::Abort { tag_reflected: false, causes: Vec::new() };
        let bytes = packet(pair.at(End::A).tags().0, &[&abort]);
        // The host has it no longer, and what came before still waits at its socket.
        let now = pair.now;
        pair.a.endpoint.remove_local(now, local);
        pair.inject_between(End::A, local, remote, bytes.clone());
        assert!(pair.is_open(End::A), "by the last of {pipes}");
        pair.a.endpoint.add_local(now, local);
        pair.inject_between(End::A, address(End::A, 0), address(End::Z, 0), bytes);
        assert!(!pair.is_open(End::A), "to an address that is there it is believed");
    }
}

#[test]
fn an_association_whose_requests_are_never_answered_ends_by_its_errors() {
    let mut pair = over_one_of(&dynamic(), 2);
    pair.pipes[0].is_cut = true;
    pair.pipes[1].is_cut = true;
    pair.add_local(End::A, 1);
    assert!(pair.run_until(secs(2_000), |pair| pair.closed(End::A).is_some()));
    assert!(matches!(pair.closed(End::A), Some(CloseReason::PeerGone { .. })));
    assert!(pair.now > Time::ZERO + secs(10));
}
