//! The scenario's links between the ends of its paths, which determine the departure of each datagram, without
//! sockets and without a clock.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::SocketAddr;

use anabranch_base::{ByteCount, Ecn, Machine, Seed, Time};
use anabranch_link::fabric::{FabricEvent, Load, RouteId};
use anabranch_link::{Agenda, ChunkKind, Damage, Fabric, Link, LinkSeed, Packet, Payload};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Event};
use anabranch_sctp::wire::{self, Checksum};

pub use anabranch_link::Way;

use crate::report::SideReport;
use crate::{ip, offload};

/// A datagram on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The kind of its bytes.
    pub content: Content,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The state of its transport checksum.
    pub checksum: TransportChecksum,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The state of a transport checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransportChecksum {
    /// The checksum is complete, as set by the sender.
    #[default]
    Complete,
    /// The field has only the sum of the pseudo-header: the sender's kernel leaves the rest to hardware, and the
    /// receiver's trusts it.
    OfPseudoHeader,
}

/// The content of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The payload of a UDP datagram.
    Payload {
        /// The client that sent it, or to which it is sent.
        client: SocketAddr,
    },
    /// A whole IP packet.
    Packet,
}

impl Datagram {
    /// The payload of a UDP datagram from or to a client.
    pub fn of_client(client: SocketAddr, ecn: Ecn, bytes: Vec<u8>) -> Datagram {
        Datagram { content: Content::Payload { client }, ecn, checksum: TransportChecksum::Complete, bytes }
    }

    /// A whole IP packet, with the ECN codepoint of its header.
    pub fn of_packet(bytes: Vec<u8>) -> Datagram {
        let ecn = ip::ecn(&bytes);
        Datagram { content: Content::Packet, ecn, checksum: TransportChecksum::Complete, bytes }
    }

    /// Sets the state of the checksum.
    #[must_use]
    pub fn with(self, checksum: TransportChecksum) -> Datagram {
        Datagram { checksum, ..self }
    }

    /// Completes a partial checksum.
    pub fn complete(&mut self) {
        if self.checksum == TransportChecksum::OfPseudoHeader {
            offload::complete(&mut self.bytes);
            self.checksum = TransportChecksum::Complete;
        }
    }

    /// The size on a link, with all headers: the same for an IPv4 packet and for its payload alone.
    fn weight(&self) -> ByteCount {
        let length = ByteCount::of_len(self.bytes.len());
        match self.content {
            Content::Payload { .. } => length + HEADERS,
            Content::Packet => length,
        }
    }

    /// A payload alone does not show if its IP packet may be fragmented.
    fn may_fragment(&self) -> bool {
        match self.content {
            Content::Payload { .. } => false,
            Content::Packet => ip::may_fragment(&self.bytes),
        }
    }

    /// Sets the codepoint, also in the header if the bytes have one.
    fn bear(&mut self, ecn: Ecn) {
        self.ecn = ecn;
        if self.content == Content::Packet {
            ip::set_ecn(&mut self.bytes, ecn);
        }
    }
}

impl Payload for Datagram {
    fn flow(&self) -> u64 {
        match self.content {
            Content::Payload { client } => {
                let mut hasher = DefaultHasher::new();
                client.hash(&mut hasher);
                hasher.finish()
            }
            Content::Packet => ip::flow(&self.bytes),
        }
    }

    /// Anything but plain SCTP almost never has a valid SCTP checksum.
    fn carries_chunk(&self, kind: ChunkKind) -> bool {
        let sctp = match self.content {
            Content::Payload { .. } => Some(&self.bytes[..]),
            Content::Packet => ip::sctp(&self.bytes),
        };
        let packet = sctp.and_then(|bytes| wire::Packet::decode(bytes, Checksum::Crc32c).ok());
        packet.is_some_and(|packet| packet.carries(kind.number()))
    }
}

impl Load for Datagram {
    /// The receiver must be able to detect the damage.
    fn suffer(&mut self, damage: Damage) {
        self.complete();
        damage.apply(&mut self.bytes);
    }
}

/// A datagram at one end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathInput {
    /// The index of the scenario's path.
    pub path: usize,
    /// The direction.
    pub direction: Way,
    /// The datagram.
    pub datagram: Datagram,
}

/// A datagram that leaves a path at its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOutput {
    /// The exact time of departure, however late it is handled.
    pub at: Time,
    /// The index of the scenario's path.
    pub path: usize,
    /// The direction.
    pub direction: Way,
    /// The datagram.
    pub datagram: Datagram,
}

/// The scenario's links, paths and events.
///
/// Inputs must be in the order of time; one that is earlier than the last processed time counts as arriving then.
/// Each packet moves from link to link at the exact computed time, so that a late driver moves no packet that is not
/// yet due.
#[derive(Debug)]
pub struct Network {
    fabric: Fabric<Datagram>,
    agenda: Agenda,
    /// The routes of each path: forward and reverse.
    routes: Vec<[RouteId; 2]>,
    events: VecDeque<Event>,
    now: Time,
    departures: VecDeque<PathOutput>,
}

impl Network {
    /// The links of `scenario`, all up and empty. The same seed loses the same packets.
    ///
    /// # Panics
    /// If a path or an event refers to a missing link.
    pub fn new(scenario: &Scenario, seed: &Seed) -> Network {
        let mut fabric = Fabric::new(scenario.links.iter().map(|link| {
            let (forward, reverse) = LinkSeed::of(seed, &link.name);
            [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
        }));
        let routes = scenario.paths.iter().map(|path| fabric.add_path(&path.links)).collect();
        for event in &scenario.events {
            assert!(event.link < fabric.links(), "link {} of {}", event.link, fabric.links());
        }
        Network {
            agenda: Agenda::new(fabric.nodes()),
            fabric,
            routes,
            events: scenario.events.iter().cloned().collect(),
            now: Time::ZERO,
            departures: VecDeque::new(),
        }
    }

    /// The report of each direction of each link up to the last processed time: forward, reverse.
    pub fn sides(&mut self) -> Vec<[SideReport; 2]> {
        let (now, links) = (self.now, self.fabric.links());
        let mut side = |link, direction| {
            let link = self.fabric.link_mut(link, direction);
            SideReport {
                utilisation: link.utilisation(now),
                counters: link.counters(),
                in_flight: link.holds(),
            }
        };
        (0..links).map(|link| Way::BOTH.map(|direction| side(link, direction))).collect()
    }

    /// A direction of a link, to be changed before the first datagram.
    ///
    /// # Panics
    /// If the link does not exist.
    pub fn link_mut(&mut self, link: usize, direction: Way) -> &mut Link<Datagram> {
        self.fabric.link_mut(link, direction)
    }

    /// Processes everything due up to `now`, each at its exact time.
    fn advance(&mut self, now: Time) {
        while let Some(at) = self.next().filter(|at| *at <= now) {
            self.now = self.now.max(at);
            // If an event and a packet have the same time, the event comes first.
            match self.events.pop_front_if(|event| event.at <= at) {
                Some(event) => self.on_event(event),
                None => self.wake(),
            }
        }
        self.now = self.now.max(now);
    }

    fn next(&self) -> Option<Time> {
        let event = self.events.front().map(|event| event.at);
        event.into_iter().chain(self.agenda.next()).min()
    }

    fn wake(&mut self) {
        let Some((_, node)) = self.agenda.take() else { return };
        self.fabric.wake(self.now, node);
        self.settle();
    }

    fn on_event(&mut self, event: Event) {
        let Event { link, direction, change, .. } = event;
        let directions: &[Way] = match direction {
            Direction::Forward => &[Way::Forward],
            Direction::Reverse => &[Way::Reverse],
            Direction::Both => &Way::BOTH,
        };
        for direction in directions {
            self.fabric.change(self.now, link, *direction, change.clone());
            self.settle();
        }
    }

    /// Moves packets on until each is on a link or leaves, and discards lost ones.
    fn settle(&mut self) {
        while let Some(news) = self.fabric.poll(self.now, &mut self.agenda) {
            if let FabricEvent::Arrived(packet) = news {
                self.departures.push_back(leaving(self.now, packet));
            }
        }
    }
}

impl Machine for Network {
    type Input = PathInput;
    type Output = PathOutput;

    fn handle(&mut self, now: Time, entry: PathInput) {
        self.advance(now);
        let PathInput { path, direction, datagram } = entry;
        let [forward, reverse] = self.routes[path];
        let packet = Packet {
            ecn: datagram.ecn,
            may_fragment: datagram.may_fragment(),
            route: match direction {
                Way::Forward => forward,
                Way::Reverse => reverse,
            },
            ..Packet::new(datagram.weight(), datagram)
        };
        self.fabric.send(packet);
        self.settle();
    }

    fn handle_timeout(&mut self, now: Time) {
        self.advance(now);
    }

    fn poll(&mut self, _: Time) -> Option<PathOutput> {
        self.departures.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.departures.front().map(|first| first.at).or_else(|| self.next())
    }
}

/// Each path has two routes, added in the order of the paths: forward and reverse.
fn leaving(at: Time, packet: Packet<Datagram>) -> PathOutput {
    let Packet { ecn, route, load: mut datagram, .. } = packet;
    if ecn != datagram.ecn {
        datagram.bear(ecn);
    }
    let direction = if route.index().is_multiple_of(2) { Way::Forward } else { Way::Reverse };
    PathOutput { at, path: route.index() / 2, direction, datagram }
}

/// The headers of a payload on a link: IPv4 and UDP.
const HEADERS: ByteCount = ByteCount::new(28);
