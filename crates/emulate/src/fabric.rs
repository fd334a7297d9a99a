//! Links in a row, path by path, and what happens to them: which packet leaves which path when. It knows no socket
//! and no clock.

use std::collections::VecDeque;
use std::net::SocketAddr;

use anabranch_base::{ByteCount, Machine, Seed, Time};
use anabranch_link::{Change, Fate, Link, LinkSeed, Marking, Packet};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Event};
use quinn_udp::EcnCodepoint;

use crate::ip;
use crate::report::SideReport;

/// What a path carries in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// What its bytes are.
    pub content: Content,
    /// Its ECN bits.
    pub ecn: Option<EcnCodepoint>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What the bytes of a datagram are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The payload of a UDP datagram.
    Payload {
        /// The client that sent it, or that it is for.
        client: SocketAddr,
    },
    /// A whole IP packet.
    Packet,
}

impl Datagram {
    /// The payload of a UDP datagram that a client sent, or that is for it.
    pub fn of_client(client: SocketAddr, ecn: Option<EcnCodepoint>, bytes: Vec<u8>) -> Datagram {
        Datagram { content: Content::Payload { client }, ecn, bytes }
    }

    /// A whole IP packet, with the ECN bits of its header.
    pub fn of_packet(bytes: Vec<u8>) -> Datagram {
        Datagram { content: Content::Packet, ecn: ip::ecn(&bytes), bytes }
    }

    /// What it is on a link, with all headers: the same for an IPv4 packet and for the payload in it.
    fn weight(&self) -> ByteCount {
        let length = ByteCount::of_len(self.bytes.len());
        match self.content {
            Content::Payload { .. } => length + HEADERS,
            Content::Packet => length,
        }
    }

    /// Of a payload alone nobody knows.
    fn may_fragment(&self) -> bool {
        match self.content {
            Content::Payload { .. } => false,
            Content::Packet => ip::may_fragment(&self.bytes),
        }
    }

    /// Tells of congestion (RFC 3168).
    fn mark(&mut self) {
        self.ecn = Some(EcnCodepoint::Ce);
        if self.content == Content::Packet {
            ip::mark(&mut self.bytes);
        }
    }
}

/// Which way along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the clients to the target.
    Forward,
    /// Back.
    Reverse,
}

/// A datagram at one end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index into the scenario's paths.
    pub path: usize,
    /// From which end.
    pub way: Way,
    /// What comes.
    pub datagram: Datagram,
}

/// A datagram that leaves a path at its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When it is to leave: exactly, however late that is noticed.
    pub at: Time,
    /// Index into the scenario's paths.
    pub path: usize,
    /// Towards which end.
    pub way: Way,
    /// What leaves.
    pub datagram: Datagram,
}

/// The scenario's links and paths.
///
/// Inputs come in order of time; one that is earlier than what was looked at before counts as coming then. Each packet
/// goes from link to link at the moment that the link computes, so that a driver that looks late moves no packet that
/// is not yet due.
#[derive(Debug)]
pub struct Fabric {
    links: Vec<[Link<Traveller>; 2]>,
    paths: Vec<Vec<usize>>,
    events: VecDeque<Event>,
    now: Time,
    departures: VecDeque<Departure>,
}

/// A datagram on one link of its path.
#[derive(Clone, Debug)]
struct Traveller {
    path: usize,
    way: Way,
    /// How many links of the path it has behind it.
    passed: usize,
    datagram: Datagram,
}

enum Due {
    Event,
    Link(usize, Way),
}

impl Fabric {
    /// The links of `scenario`, all up and empty. The same seed loses the same packets.
    ///
    /// # Panics
    /// If a path or an event names a link that there is not.
    pub fn new(scenario: &Scenario, seed: &Seed) -> Fabric {
        let count = scenario.links.len();
        let named = scenario.paths.iter().flat_map(|path| &path.links);
        let named = named.copied().chain(scenario.events.iter().map(|event| event.link));
        for index in named {
            assert!(index < count, "link {index} of {count}");
        }
        let links = scenario.links.iter().map(|link| {
            let (forward, reverse) = LinkSeed::of(seed, &link.name);
            [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
        });
        Fabric {
            links: links.collect(),
            paths: scenario.paths.iter().map(|path| path.links.clone()).collect(),
            events: scenario.events.iter().cloned().collect(),
            now: Time::ZERO,
            departures: VecDeque::new(),
        }
    }

    /// What each direction of each link did until it was last looked at: forward, reverse.
    pub fn sides(&mut self) -> Vec<[SideReport; 2]> {
        let now = self.now;
        let side = |link: &mut Link<Traveller>| SideReport {
            utilisation: link.utilisation(now),
            counters: link.counters(),
            in_flight: link.holds(),
        };
        self.links.iter_mut().map(|sides| sides.each_mut().map(side)).collect()
    }

    /// Lets everything happen that is due, each thing at its own time.
    fn advance(&mut self, now: Time) {
        while let Some((at, due)) = self.next().filter(|(at, _)| *at <= now) {
            self.now = self.now.max(at);
            match due {
                Due::Event => self.on_event(),
                Due::Link(index, way) => {
                    let at = self.now;
                    self.side(index, way).handle_timeout(at);
                    self.drain(index, way);
                }
            }
        }
        self.now = self.now.max(now);
    }

    /// What is due first: of events and packets at the same moment, the event.
    fn next(&self) -> Option<(Time, Due)> {
        let sides = self.links.iter().enumerate().flat_map(|(index, [forward, reverse])| {
            [(forward, Due::Link(index, Way::Forward)), (reverse, Due::Link(index, Way::Reverse))]
        });
        let links = sides.filter_map(|(link, due)| Some((link.poll_timeout()?, due)));
        let event = self.events.front().map(|event| (event.at, Due::Event));
        event.into_iter().chain(links).min_by_key(|(at, _)| *at)
    }

    fn on_event(&mut self) {
        let Some(Event { link, direction, change, .. }) = self.events.pop_front() else { return };
        match direction {
            Direction::Forward => self.change(link, Way::Forward, change),
            Direction::Reverse => self.change(link, Way::Reverse, change),
            Direction::Both => {
                self.change(link, Way::Forward, change.clone());
                self.change(link, Way::Reverse, change);
            }
        }
    }

    fn change(&mut self, index: usize, way: Way, change: Change) {
        let now = self.now;
        self.side(index, way).change(now, change);
        self.drain(index, way);
    }

    /// Takes what arrived at the end of a link, and forgets what was lost.
    fn drain(&mut self, index: usize, way: Way) {
        let now = self.now;
        while let Some(fate) = self.side(index, way).poll(now) {
            let Fate::Arrived { mut packet, damage, .. } = fate else { continue };
            if let Some(damage) = damage {
                damage.apply(&mut packet.load.datagram.bytes);
            }
            packet.load.passed += 1;
            self.pass_on(packet);
        }
    }

    /// Puts a packet onto the next link of its path, or lets it leave.
    fn pass_on(&mut self, packet: Packet<Traveller>) {
        let Traveller { path, way, passed, .. } = packet.load;
        let row = &self.paths[path];
        let next = match way {
            Way::Forward => row.get(passed),
            Way::Reverse => row.iter().rev().nth(passed),
        };
        match next.copied() {
            Some(index) => {
                let now = self.now;
                self.side(index, way).handle(now, packet);
                self.drain(index, way);
            }
            None => self.departures.push_back(leaving(self.now, packet)),
        }
    }

    fn side(&mut self, index: usize, way: Way) -> &mut Link<Traveller> {
        let [forward, reverse] = &mut self.links[index];
        match way {
            Way::Forward => forward,
            Way::Reverse => reverse,
        }
    }
}

impl Machine for Fabric {
    type Input = Entry;
    type Output = Departure;

    fn handle(&mut self, now: Time, entry: Entry) {
        self.advance(now);
        let Entry { path, way, datagram } = entry;
        let (size, may_fragment) = (datagram.weight(), datagram.may_fragment());
        let marking = match datagram.ecn {
            None => Marking::NotCapable,
            Some(EcnCodepoint::Ect0 | EcnCodepoint::Ect1) => Marking::Capable,
            Some(EcnCodepoint::Ce) => Marking::Marked,
        };
        let load = Traveller { path, way, passed: 0, datagram };
        self.pass_on(Packet { marking, may_fragment, ..Packet::new(size, load) });
    }

    fn handle_timeout(&mut self, now: Time) {
        self.advance(now);
    }

    fn poll(&mut self, _: Time) -> Option<Departure> {
        self.departures.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.departures.front().map(|first| first.at).or_else(|| self.next().map(|(at, _)| at))
    }
}

fn leaving(at: Time, packet: Packet<Traveller>) -> Departure {
    let Traveller { path, way, mut datagram, .. } = packet.load;
    if packet.marking == Marking::Marked {
        datagram.mark();
    }
    Departure { at, path, way, datagram }
}

/// IPv4 and UDP: what a payload is on a link beyond itself.
const HEADERS: ByteCount = ByteCount::new(28);
