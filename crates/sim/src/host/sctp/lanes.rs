//! Only for tests: a link with two queues, as a router has that spreads the packets of one flow over two line cards. Packets
//! overtake one another by the difference of the queues.

use std::collections::VecDeque;
use std::fmt::Debug;

use anabranch_base::{ByteCount, Seed, Time};
use anabranch_link::queue::{LineView, Queue, Taken};
use anabranch_link::{Backlog, Packet};
use anabranch_scenario::model::Protocol;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};

use super::{FlowSettings, SctpEnd, build};
use crate::host::{Draft, Transport};
use crate::load::Routes;
use crate::network::{Network, Opening, direction};
use crate::observe::{Host, Seen, Watch};
use crate::pairs::meters_of;
use crate::run::fabric_of;

/// Two queues that the line serves in turn. Packets join them in runs of up to `longest`, drawn at random.
#[derive(Debug)]
struct Lanes<L> {
    lanes: [VecDeque<Packet<L>>; 2],
    turn: usize,
    joining: usize,
    left: u64,
    longest: u64,
    state: u64,
}

/// The most packets in a lane.
const ROOM: usize = 100;

impl<L> Lanes<L> {
    fn new(longest: u64) -> Lanes<L> {
        Lanes { lanes: Default::default(), turn: 0, joining: 0, left: 0, longest, state: 7 }
    }

    fn draw(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state >> 33
    }
}

impl<L: Debug + Send> Queue<L> for Lanes<L> {
    fn offer(&mut self, _: LineView, packet: Packet<L>) -> Result<(), Packet<L>> {
        if self.left == 0 {
            self.joining = (self.draw() % 2) as usize;
            self.left = 1 + self.draw() % self.longest;
        }
        self.left -= 1;
        let lane = &mut self.lanes[self.joining];
        if lane.len() >= ROOM {
            return Err(packet);
        }
        lane.push_back(packet);
        Ok(())
    }

    fn take(&mut self, _: LineView) -> Option<Taken<L>> {
        self.discard().map(Taken::Next)
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        self.turn = 1 - self.turn;
        let [one, other] = [self.turn, 1 - self.turn];
        self.lanes[one].pop_front().or_else(|| self.lanes[other].pop_front())
    }

    fn backlog(&self) -> Backlog {
        let waiting = || self.lanes.iter().flatten();
        Backlog { packets: waiting().count() as u64, bytes: waiting().map(|packet| packet.size).sum() }
    }
}

/// The user data that arrives in order in eight seconds over 20 Mbit/s and 20 ms, with runs of up to `longest` packets in
/// each of two queues, or with one queue.
fn delivered(longest: Option<u64>, order: &str) -> ByteCount {
    let text = format!(
        "run = {{ time = \"8 s\" }}\n[[link]]\nname = \"l\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"200 packets\"\n\
         [[flow]]\n[flow.sctp]\nprofile = \"tuned-2\"\ncmt.order = \"{order}\"\n"
    );
    let scenario =
        Scenario::parse(&Source::new("test.toml", text), &NoFiles, &[], &registry()).expect("a sound file");
    let (mut fabric, ways) = fabric_of(&scenario, &Seed::from_number(1)).expect("links");
    if let Some(longest) = longest {
        fabric.link_mut(0, direction(Host::First)).set_queue(Box::new(Lanes::new(longest)));
    }
    let watch = Watch { deliveries: true, ..Watch::default() };
    let mut network =
        Network::new(fabric, ends(&scenario), meters_of(&scenario), Routes::of(&scenario, ways), watch);
    network.start(Time::ZERO, 0, Opening::Handshake);
    let end = Time::ZERO + scenario.run.time.expect("a limit");
    let mut sum = ByteCount::ZERO;
    while network.step_until(end).is_some() {
        for seen in network.take_observations() {
            if let Seen::Delivery(delivery) = seen.what {
                sum += delivery.bytes;
            }
        }
    }
    sum
}

fn ends(scenario: &Scenario) -> Vec<Box<dyn Transport>> {
    let flow = &scenario.flows[0];
    let Protocol::Sctp(sctp) = &flow.protocol else { panic!("an SCTP flow") };
    let seed = Seed::from_number(1).child("flow");
    let draft = Draft { scenario, flow, port: 49_152, paths: vec![0], seed };
    let end = |host| -> Box<dyn Transport> {
        let settings: FlowSettings = build::settings(&draft, host, sctp).expect("sound settings");
        let sender = draft.sender(host, settings.config.full_payload(anabranch_sctp::config::IpVersion::V4));
        Box::new(SctpEnd::new(host, settings, sender, draft.seed_at(host)).expect("sound settings"))
    };
    Host::BOTH.map(end).into()
}

#[test]
fn two_queues_in_one_link_cost_nothing_where_losses_are_found_by_time() {
    let plain = delivered(None, "time").get();
    for longest in [1, 4, 16] {
        let carried = delivered(Some(longest), "time").get();
        assert!(carried * 100 >= plain * 98, "runs of {longest}: {carried} of {plain}");
    }
    let counted = delivered(Some(16), "departure").get();
    assert!(counted * 100 < plain * 95, "by departures: {counted} of {plain}");
}
