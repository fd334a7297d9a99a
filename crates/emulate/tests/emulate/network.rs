//! Datagrams through consecutive links under a virtual clock: times are exact.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Ecn, Machine, Seed, Time};
use anabranch_emulate::Network;
use anabranch_emulate::network::{Datagram, PathInput, PathOutput, Way};
use anabranch_link::config::{Jitter, LossKind, QueueConfig, QueueLimit};
use anabranch_link::{Change, ChunkKind};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Event};
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Checksum, CommonHeader, CongestionWindowReduced, CookieAck, PacketBuilder, VerificationTag,
};
use proptest::prelude::*;

use crate::scene::{at, event, link, losing, scenario};

/// A payload of 1,500 bytes with headers: 1 ms at 12 Mbit/s.
const FULL: usize = 1472;

fn network(scenario: &Scenario) -> Network {
    Network::new(scenario, &Seed::from_number(1))
}

fn entry(path: usize, direction: Way, number: u8) -> PathInput {
    let client = SocketAddr::from(([127, 0, 0, 1], 1));
    PathInput { path, direction, datagram: Datagram::of_client(client, Ecn::NotEct, vec![number; FULL]) }
}

/// Runs the network at each of its time-outs, until nothing more happens or `end`.
fn departures(network: &mut Network, end: Time) -> Vec<PathOutput> {
    let mut all = Vec::new();
    loop {
        let now = network.poll_timeout().filter(|due| *due <= end);
        network.handle_timeout(now.unwrap_or(end));
        all.extend(std::iter::from_fn(|| network.poll(end)));
        if now.is_none() {
            return all;
        }
    }
}

/// The time of each departure in microseconds, and the first byte of its datagram.
fn times(departures: &[PathOutput]) -> Vec<(u64, u8)> {
    departures.iter().map(|left| (left.at.as_nanos() / 1_000, left.datagram.bytes[0])).collect()
}

#[test]
fn a_datagram_goes_through_the_links_of_its_path_in_a_row_and_back_in_reverse_order() {
    let links = vec![link("access", 12, 5), link("core", 120, 20)];
    let mut network = network(&scenario(links, &[&[0, 1]]));
    network.handle(at(0), entry(0, Way::Forward, 1));
    network.handle(at(0), entry(0, Way::Forward, 2));
    // The first link takes 1 ms a packet, the second 0.1 ms.
    assert_eq!(times(&departures(&mut network, at(100))), [(26_100, 1), (27_100, 2)]);
    network.handle(at(100), entry(0, Way::Reverse, 3));
    network.handle(at(100), entry(0, Way::Reverse, 4));
    let back = departures(&mut network, at(200));
    assert_eq!(times(&back), [(126_100, 3), (127_100, 4)]);
    assert!(back.iter().all(|left| left.direction == Way::Reverse));
    let [[access, access_back], [_, core_back]] = network.sides()[..] else { panic!("two links") };
    assert_eq!(
        (access.counters.arrived, access_back.counters.arrived, core_back.counters.arrived),
        (2, 2, 2)
    );
}

#[test]
fn a_driver_that_looks_late_finds_each_departure_at_its_own_time() {
    let links = vec![link("access", 12, 5), link("core", 120, 20)];
    let mut network = network(&scenario(links, &[&[0, 1]]));
    network.handle(at(0), entry(0, Way::Forward, 1));
    network.handle_timeout(at(5_000));
    network.handle(at(5_000), entry(0, Way::Forward, 2));
    network.handle_timeout(at(9_000));
    assert_eq!(times(&departures(&mut network, at(9_000))), [(26_100, 1), (5_026_100, 2)]);
}

#[test]
fn what_comes_from_before_the_last_look_counts_as_coming_then() {
    let mut network = network(&scenario(vec![link("only", 12, 0)], &[&[0]]));
    network.handle_timeout(at(10));
    network.handle(at(3), entry(0, Way::Forward, 1));
    assert_eq!(times(&departures(&mut network, at(100))), [(11_000, 1)]);
}

#[test]
fn a_link_of_two_paths_has_one_queue() {
    let mut shared = link("shared", 12, 0);
    shared.forward.queue = QueueConfig::DropTail(QueueLimit::Packets(3));
    let mut network = network(&scenario(vec![shared, link("own", 1_200, 0)], &[&[0], &[0, 1]]));
    for number in 0..3 {
        network.handle(at(0), entry(0, Way::Forward, number));
        network.handle(at(0), entry(1, Way::Forward, 10 + number));
    }
    let left = departures(&mut network, at(100));
    // One is sent immediately, three wait; a millisecond each, whichever path they are of.
    assert_eq!(times(&left), [(1_000, 0), (2_010, 10), (3_000, 1), (4_010, 11)]);
    assert_eq!(left.iter().map(|left| left.path).collect::<Vec<_>>(), [0, 1, 0, 1]);
    assert_eq!(network.sides()[0][0].counters.queue_drops, 2);
}

#[test]
fn the_directions_of_a_link_do_not_hold_each_other_up() {
    let mut network = network(&scenario(vec![link("only", 12, 0)], &[&[0]]));
    network.handle(at(0), entry(0, Way::Forward, 1));
    network.handle(at(0), entry(0, Way::Reverse, 2));
    assert_eq!(times(&departures(&mut network, at(100))), [(1_000, 1), (1_000, 2)]);
}

#[test]
fn events_happen_at_their_time_however_late_they_are_noticed() {
    let mut scenario = scenario(vec![link("only", 12, 0)], &[&[0]]);
    scenario.events = vec![event(10, Change::Down), event(20, Change::Up)];
    let mut network = network(&scenario);
    for (time, number) in [(5, 1), (15, 2), (25, 3)] {
        network.handle(at(time), entry(0, Way::Forward, number));
    }
    assert_eq!(times(&departures(&mut network, at(100))), [(6_000, 1), (26_000, 3)]);
    assert_eq!(network.sides()[0][0].counters.lost, 1);
}

#[test]
fn an_event_at_the_moment_of_a_packet_comes_first_and_may_be_for_one_direction() {
    let mut scenario = scenario(vec![link("only", 12, 0)], &[&[0]]);
    scenario.events = vec![Event { direction: Direction::Reverse, ..event(10, Change::Down) }];
    let mut network = network(&scenario);
    network.handle(at(10), entry(0, Way::Reverse, 1));
    network.handle(at(10), entry(0, Way::Forward, 2));
    assert_eq!(times(&departures(&mut network, at(100))), [(11_000, 2)]);
}

#[test]
fn a_link_that_goes_down_takes_what_waits_and_what_comes_from_the_link_before_it() {
    let mut scenario = scenario(vec![link("second", 6, 0), link("first", 12, 5)], &[&[1, 0]]);
    scenario.events = vec![event(8, Change::Down)];
    let mut network = network(&scenario);
    for number in 1..=3 {
        network.handle(at(0), entry(0, Way::Forward, number));
    }
    // They reach the second link at 6, 7 and 8 ms. There the first one is through at 8 ms, and the second one waits.
    assert_eq!(times(&departures(&mut network, at(100))), [(8_000, 1)]);
    assert_eq!(network.sides()[0][0].counters.lost, 2);
}

#[test]
fn every_fifth_packet_is_lost_and_no_other() {
    let lossy = losing(link("only", 12, 0), LossKind::Every(5));
    let mut network = network(&scenario(vec![lossy], &[&[0]]));
    (1..=12).for_each(|number| network.handle(at(0), entry(0, Way::Forward, number)));
    let numbers: Vec<u8> = times(&departures(&mut network, at(100))).iter().map(|left| left.1).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 6, 7, 8, 9, 11, 12]);
}

/// A datagram with an SCTP packet: a COOKIE-ACK, and a CWR if `has_cwr`.
fn sctp_entry(has_cwr: bool, number: u8) -> PathInput {
    let header = CommonHeader {
        source_port: u16::from(number) << 8,
        destination_port: 5001,
        verification_tag: VerificationTag::new(7),
    };
    let mut bytes = Vec::new();
    let mut packet = PacketBuilder::new(&mut bytes, header, FULL);
    packet.push(&CookieAck).expect("there is room");
    if has_cwr {
        packet
            .push(&CongestionWindowReduced { lowest_tsn: Tsn::new(1), overrides: false })
            .expect("there is room");
    }
    packet.finish(Checksum::Crc32c);
    let client = SocketAddr::from(([127, 0, 0, 1], 1));
    PathInput { path: 0, direction: Way::Forward, datagram: Datagram::of_client(client, Ecn::NotEct, bytes) }
}

#[test]
fn every_second_packet_with_a_cwr_is_lost_and_nothing_else() {
    let half = LossKind::Chunk { kind: ChunkKind::CWR, share: 0.5 };
    let mut network = network(&scenario(vec![losing(link("only", 12, 0), half)], &[&[0]]));
    for number in 1..=8 {
        network.handle(at(0), sctp_entry(number % 2 == 0, number));
    }
    // A changed byte, as in a packet that is not SCTP or is sealed.
    let mut broken = sctp_entry(true, 9);
    broken.datagram.bytes[15] ^= 1;
    network.handle(at(0), broken);
    let numbers: Vec<u8> = times(&departures(&mut network, at(100))).iter().map(|left| left.1).collect();
    assert_eq!(numbers, [1, 2, 3, 5, 6, 7, 9]);
}

#[test]
fn damage_turns_a_bit_and_a_duplicate_comes_twice() {
    let mut bad = link("bad", 12, 0);
    (bad.forward.corrupt, bad.forward.duplicate) = (1.0, 1.0);
    let mut network = network(&scenario(vec![bad], &[&[0]]));
    network.handle(at(0), entry(0, Way::Forward, 0));
    let left = departures(&mut network, at(100));
    let ones: Vec<u32> =
        left.iter().map(|left| left.datagram.bytes.iter().map(|byte| byte.count_ones()).sum()).collect();
    assert_eq!(ones, [1, 0], "one of two copies is damaged, in one bit");
}

#[test]
fn ecn_codepoints_are_carried() {
    let mut network = network(&scenario(vec![link("only", 12, 0)], &[&[0]]));
    let all = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];
    for ecn in all {
        let mut entry = entry(0, Way::Forward, 0);
        entry.datagram.ecn = ecn;
        network.handle(at(0), entry);
    }
    let left = departures(&mut network, at(100));
    assert_eq!(left.iter().map(|left| left.datagram.ecn).collect::<Vec<_>>(), all);
}

#[test]
#[should_panic(expected = "link 7 of 1")]
fn a_path_over_a_link_that_there_is_not_is_refused_at_once() {
    network(&scenario(vec![link("only", 12, 0)], &[&[7]]));
}

/// Three paths over three links, two of them shared, one lossy and jittery; one falls silent for a while.
fn wild() -> Scenario {
    let mut wild = losing(link("wild", 30, 3), LossKind::Bernoulli { probability: 0.1 });
    wild.forward.jitter = Jitter::Uniform(Duration::from_millis(4));
    wild.forward.duplicate = 0.1;
    let mut scenario =
        scenario(vec![wild, link("slow", 5, 10), link("fast", 100, 1)], &[&[0], &[0, 2], &[1, 2]]);
    scenario.events = vec![event(30, Change::Down), event(60, Change::Up)];
    scenario
}

proptest! {
    #[test]
    fn how_often_the_driver_looks_changes_nothing(
        coming in prop::collection::vec((0_u64..2_000, 0_usize..3, any::<bool>()), 1..100),
    ) {
        let (mut punctual, mut lazy) = (network(&wild()), network(&wild()));
        let (mut seen, mut now) = (Vec::new(), Time::ZERO);
        for (number, (after, path, is_forward)) in coming.into_iter().enumerate() {
            now += Duration::from_micros(after);
            let direction = if is_forward { Way::Forward } else { Way::Reverse };
            seen.extend(departures(&mut punctual, now));
            punctual.handle(now, entry(path, direction, number as u8));
            lazy.handle(now, entry(path, direction, number as u8));
        }
        let end = now + Duration::from_secs(10);
        seen.extend(departures(&mut punctual, end));
        lazy.handle_timeout(end);
        let noticed: Vec<PathOutput> = std::iter::from_fn(|| lazy.poll(end)).collect();
        prop_assert_eq!(seen, noticed);
        prop_assert_eq!(punctual.sides(), lazy.sides());
        prop_assert_eq!(punctual.sides().iter().flatten().map(|side| side.in_flight).sum::<u64>(), 0);
    }
}

/// A datagram has 1,500 bytes with its headers.
#[test]
fn a_link_with_a_smaller_mtu_loses_full_datagrams_until_it_carries_more() {
    let mut narrow = link("narrow", 12, 0);
    narrow.forward.mtu = Some(ByteCount::new(1_499));
    let mut scenario = scenario(vec![narrow], &[&[0]]);
    scenario.events = vec![event(10, Change::Mtu(Some(ByteCount::new(1_500))))];
    let mut network = network(&scenario);
    network.handle(at(0), entry(0, Way::Forward, 1));
    assert_eq!(times(&departures(&mut network, at(9))), []);
    network.handle(at(20), entry(0, Way::Forward, 2));
    assert_eq!(times(&departures(&mut network, at(30))), [(21_000, 2)]);
}
