//! Packets through a fabric: links in a row, and a medium that three stations share.

mod air;

use air::SharedAir;
use anabranch_base::{BitRate, ByteCount, Duration, Seed, Time};
use anabranch_link::config::LossKind;
use anabranch_link::fabric::{FabricEvent, Hop, Load, RouteId, Station};
use anabranch_link::{Agenda, Damage, Fabric, Link, LinkConfig, LinkSeed, LossCause, Packet, Payload, Way};

/// With 1,500 bytes a packet: one a millisecond.
const RATE: BitRate = BitRate::from_mbps(12);

#[derive(Clone, Debug, PartialEq)]
struct Numbered(u64);

impl Payload for Numbered {}

impl Load for Numbered {
    fn suffer(&mut self, _: Damage) {}
}

fn millis(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn link(config: &LinkConfig, name: &str) -> [Link<Numbered>; 2] {
    let (forward, reverse) = LinkSeed::of(&Seed::from_number(1), name);
    [Link::new(config, forward), Link::new(config, reverse)]
}

fn packet(route: RouteId, number: u64) -> Packet<Numbered> {
    Packet { route, ..Packet::new(ByteCount::new(1_500), Numbered(number)) }
}

/// A fabric with its agenda, and what came of the packets.
struct World {
    fabric: Fabric<Numbered>,
    agenda: Agenda,
    arrived: Vec<(Time, u64)>,
    lost: Vec<(Time, u64, LossCause)>,
}

impl World {
    fn new(fabric: Fabric<Numbered>) -> World {
        let agenda = Agenda::new(fabric.nodes());
        World { fabric, agenda, arrived: Vec::new(), lost: Vec::new() }
    }

    fn send(&mut self, now: Time, packet: Packet<Numbered>) {
        self.fabric.send(packet);
        self.settle(now);
    }

    /// Lets everything happen that is to come.
    fn run(&mut self) {
        while let Some((now, node)) = self.agenda.take() {
            self.fabric.wake(now, node);
            self.settle(now);
        }
    }

    fn settle(&mut self, now: Time) {
        while let Some(news) = self.fabric.poll(now, &mut self.agenda) {
            match news {
                FabricEvent::Arrived(packet) => self.arrived.push((now, packet.load.0)),
                FabricEvent::Lost { at, packet, cause, .. } => self.lost.push((at, packet.load.0, cause)),
                FabricEvent::Worked { .. } => panic!("it was not asked for"),
            }
        }
    }
}

fn station(number: u16) -> Station {
    Station::new(number)
}

#[test]
fn a_packet_takes_the_links_of_its_path_in_a_row_and_back_in_reverse_order() {
    let near = LinkConfig::new(RATE, Duration::from_millis(5));
    let far = LinkConfig::new(BitRate::from_mbps(120), Duration::from_millis(20));
    let mut fabric = Fabric::new([link(&near, "near"), link(&far, "far")]);
    let [there, back] = fabric.add_path(&[0, 1]);
    let mut world = World::new(fabric);
    world.send(millis(0), packet(there, 1));
    world.send(millis(0), packet(there, 2));
    world.send(millis(0), packet(back, 3));
    world.run();
    // The near link takes 1 ms a packet, the far one 0.1 ms; each direction has a line of its own.
    let micros: Vec<(u64, u64)> =
        world.arrived.iter().map(|(at, number)| (at.as_nanos() / 1_000, *number)).collect();
    assert_eq!(micros, [(26_100, 1), (26_100, 3), (27_100, 2)]);
    assert_eq!(world.fabric.crossings(), 6);
}

/// YE's example of a round trip in an ad hoc network: 2 · 10 · 12 ms, without propagation (YE-X3).
#[test]
fn ten_hops_of_1_mbit_take_240_ms_with_a_full_echo_and_124_ms_with_a_sack() {
    let hop = LinkConfig::new(BitRate::from_mbps(1), Duration::ZERO);
    let round_trip = |answer: u64| {
        let mut fabric = Fabric::new((1..=10).map(|number| link(&hop, &format!("hop {number}"))));
        let [there, back] = fabric.add_path(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let mut world = World::new(fabric);
        world.send(millis(0), packet(there, 1));
        world.run();
        let (arrival, _) = world.arrived[0];
        world.send(arrival, Packet { size: ByteCount::new(answer), ..packet(back, 2) });
        world.run();
        world.arrived[1].0.since(Time::ZERO)
    };
    assert_eq!(round_trip(1_500), Duration::from_millis(240));
    // 10 · 12 ms there, 10 · 0.384 ms back.
    assert_eq!(round_trip(48), Duration::from_micros(123_840));
}

#[test]
fn a_loss_is_told_with_the_node_in_which_it_happened() {
    let mut config = LinkConfig::new(RATE, Duration::ZERO);
    config.loss.kind = LossKind::Every(2);
    let mut fabric =
        Fabric::new([link(&LinkConfig::new(RATE, Duration::ZERO), "whole"), link(&config, "lossy")]);
    let [there, _] = fabric.add_path(&[0, 1]);
    let mut agenda = Agenda::new(fabric.nodes());
    fabric.send(packet(there, 1));
    fabric.send(packet(there, 2));
    let mut lost = Vec::new();
    let mut hear = |fabric: &mut Fabric<Numbered>, agenda: &mut Agenda, now| {
        while let Some(news) = fabric.poll(now, agenda) {
            if let FabricEvent::Lost { at, node, packet, .. } = news {
                lost.push((at, node, packet.load.0));
            }
        }
    };
    hear(&mut fabric, &mut agenda, Time::ZERO);
    while let Some((now, node)) = agenda.take() {
        fabric.wake(now, node);
        hear(&mut fabric, &mut agenda, now);
    }
    // The second link's way forward is the third node.
    assert_eq!(lost, [(millis(2), 2, 2)]);
}

#[test]
fn three_stations_share_a_medium_one_packet_at_a_time_and_take_turns() {
    let mut fabric = Fabric::new([]);
    let air = fabric.add_medium(Box::new(SharedAir::new(RATE)));
    let routes = [(0, 1), (1, 2), (2, 0)]
        .map(|(from, to)| fabric.add_route(vec![Hop::medium(air, station(from), station(to))]));
    let mut world = World::new(fabric);
    for turn in 0..2 {
        for (index, route) in routes.into_iter().enumerate() {
            world.send(Time::ZERO, packet(route, 10 * turn + index as u64));
        }
    }
    world.run();
    // Six packets of a millisecond each, whichever stations they go between.
    let expected = [(1, 0), (2, 1), (3, 2), (4, 10), (5, 11), (6, 12)];
    assert_eq!(world.arrived, expected.map(|(at, number)| (millis(at), number)));
}

#[test]
fn a_route_may_cross_a_medium_twice_between_two_links() {
    let wired = LinkConfig::new(RATE, Duration::from_millis(10));
    let mut fabric = Fabric::new([link(&wired, "in"), link(&wired, "out")]);
    let air = fabric.add_medium(Box::new(SharedAir::new(RATE)));
    let route = fabric.add_route(vec![
        Hop::link(0, Way::Forward),
        Hop::medium(air, station(0), station(1)),
        Hop::medium(air, station(1), station(2)),
        Hop::link(1, Way::Forward),
    ]);
    let mut world = World::new(fabric);
    world.send(Time::ZERO, packet(route, 1));
    world.send(Time::ZERO, packet(route, 2));
    world.run();
    // 11 ms on the first link; then two crossings of 1 ms, between which the second packet has its first one: stations
    // take turns, so that the first is through at 14 ms and the second at 15 ms; 11 ms on the last link.
    assert_eq!(world.arrived, [(millis(25), 1), (millis(26), 2)]);
    assert_eq!(world.fabric.crossings(), 8);
}

#[test]
fn a_medium_may_lose_a_packet() {
    let mut fabric = Fabric::new([]);
    let air = fabric.add_medium(Box::new(SharedAir::new(RATE)));
    let route = fabric.add_route(vec![Hop::medium(air, station(1), station(1))]);
    let mut world = World::new(fabric);
    world.send(millis(3), packet(route, 1));
    assert_eq!(world.lost, [(millis(3), 1, LossCause::Medium)]);
}

#[test]
#[should_panic(expected = "node 2 of 2")]
fn a_route_over_a_node_that_there_is_not_is_refused_at_once() {
    let mut fabric: Fabric<Numbered> = Fabric::new([link(&LinkConfig::new(RATE, Duration::ZERO), "only")]);
    fabric.add_route(vec![Hop::link(1, Way::Forward)]);
}
