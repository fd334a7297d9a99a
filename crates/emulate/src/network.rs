//! The scenario's links between the ends of its paths: which datagram leaves which path when, without sockets and
//! without a clock.

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

/// What a path carries in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// What its bytes are.
    pub content: Content,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// What stands where its transport has a checksum.
    pub checksum: TransportChecksum,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What stands where a transport has its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransportChecksum {
    /// What the sender put there.
    #[default]
    Complete,
    /// The sum of the pseudo-header alone: the sender's kernel leaves the rest to hardware, and the receiver's trusts it.
    OfPseudoHeader,
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
    pub fn of_client(client: SocketAddr, ecn: Ecn, bytes: Vec<u8>) -> Datagram {
        Datagram { content: Content::Payload { client }, ecn, checksum: TransportChecksum::Complete, bytes }
    }

    /// A whole IP packet, with the ECN codepoint of its header.
    pub fn of_packet(bytes: Vec<u8>) -> Datagram {
        let ecn = ip::ecn(&bytes);
        Datagram { content: Content::Packet, ecn, checksum: TransportChecksum::Complete, bytes }
    }

    /// The same with this checksum.
    #[must_use]
    pub fn with(self, checksum: TransportChecksum) -> Datagram {
        Datagram { checksum, ..self }
    }

    /// Completes its checksum, where only a part of it is there.
    pub fn complete(&mut self) {
        if self.checksum == TransportChecksum::OfPseudoHeader {
            offload::complete(&mut self.bytes);
            self.checksum = TransportChecksum::Complete;
        }
    }

    /// What it is on a link, with all headers: the same for an IPv4 packet and for the payload in it.
    fn weight(&self) -> ByteCount {
        let length = ByteCount::of_len(self.bytes.len());
        match self.content {
            Content::Payload { .. } => length + HEADERS,
            Content::Packet => length,
        }
    }

    /// A payload alone does not say whether its IP packet may be cut.
    fn may_fragment(&self) -> bool {
        match self.content {
            Content::Payload { .. } => false,
            Content::Packet => ip::may_fragment(&self.bytes),
        }
    }

    /// Takes another codepoint, in the header too where the bytes have one.
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

    /// What is not SCTP, or sealed, hardly ever has a right checksum where SCTP has it.
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
    /// A receiver must be able to see the damage.
    fn suffer(&mut self, damage: Damage) {
        self.complete();
        damage.apply(&mut self.bytes);
    }
}

/// A datagram at one end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathInput {
    /// Index into the scenario's paths.
    pub path: usize,
    /// From which end.
    pub direction: Way,
    /// What comes.
    pub datagram: Datagram,
}

/// A datagram that leaves a path at its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOutput {
    /// When it is to leave: exactly, however late that is noticed.
    pub at: Time,
    /// Index into the scenario's paths.
    pub path: usize,
    /// Towards which end.
    pub direction: Way,
    /// What leaves.
    pub datagram: Datagram,
}

/// The scenario's links, paths and events.
///
/// Inputs come in order of time; one that is earlier than what was looked at before counts as coming then. Each packet
/// goes from link to link at the moment that the link computes, so that a driver that looks late moves no packet that
/// is not yet due.
#[derive(Debug)]
pub struct Network {
    fabric: Fabric<Datagram>,
    agenda: Agenda,
    /// The routes of each path: forward, and back.
    ways: Vec<[RouteId; 2]>,
    events: VecDeque<Event>,
    now: Time,
    departures: VecDeque<PathOutput>,
}

impl Network {
    /// The links of `scenario`, all up and empty. The same seed loses the same packets.
    ///
    /// # Panics
    /// If a path or an event names a link that there is not.
    pub fn new(scenario: &Scenario, seed: &Seed) -> Network {
        let mut fabric = Fabric::new(scenario.links.iter().map(|link| {
            let (forward, reverse) = LinkSeed::of(seed, &link.name);
            [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
        }));
        let ways = scenario.paths.iter().map(|path| fabric.add_path(&path.links)).collect();
        for event in &scenario.events {
            assert!(event.link < fabric.links(), "link {} of {}", event.link, fabric.links());
        }
        Network {
            agenda: Agenda::new(fabric.nodes()),
            fabric,
            ways,
            events: scenario.events.iter().cloned().collect(),
            now: Time::ZERO,
            departures: VecDeque::new(),
        }
    }

    /// What each direction of each link did until it was last looked at: forward, reverse.
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

    /// A direction of a link, to be changed before the first datagram comes.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link_mut(&mut self, link: usize, direction: Way) -> &mut Link<Datagram> {
        self.fabric.link_mut(link, direction)
    }

    /// Lets everything happen that is due, each thing at its own time.
    fn advance(&mut self, now: Time) {
        while let Some(at) = self.next().filter(|at| *at <= now) {
            self.now = self.now.max(at);
            // Of events and packets at the same moment, the event comes first.
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
        let ways: &[Way] = match direction {
            Direction::Forward => &[Way::Forward],
            Direction::Reverse => &[Way::Reverse],
            Direction::Both => &Way::BOTH,
        };
        for direction in ways {
            self.fabric.change(self.now, link, *direction, change.clone());
            self.settle();
        }
    }

    /// Lets packets move on until each is on a link or leaves, and forgets what was lost.
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
        let [forward, reverse] = self.ways[path];
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

/// Each path has two routes, which were added in the order of the paths: forward, and back.
fn leaving(at: Time, packet: Packet<Datagram>) -> PathOutput {
    let Packet { ecn, route, load: mut datagram, .. } = packet;
    if ecn != datagram.ecn {
        datagram.bear(ecn);
    }
    let direction = if route.index().is_multiple_of(2) { Way::Forward } else { Way::Reverse };
    PathOutput { at, path: route.index() / 2, direction, datagram }
}

/// IPv4 and UDP: what a payload is on a link beyond itself.
const HEADERS: ByteCount = ByteCount::new(28);
