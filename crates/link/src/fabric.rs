//! The links and media of a network, and the routes of packets through them. The simulator and the emulator use the
//! same fabric: the simulator between hosts with a virtual clock, the emulator between sockets or interfaces.

mod medium;

use std::any::Any;
use std::collections::VecDeque;

use anabranch_base::{Machine, Time};

use crate::agenda::{Agenda, NodeIndex};
use crate::config::Change;
use crate::link::Link;
use crate::packet::{Damage, Fate, LossCause, Packet, Payload};
use crate::ring::{Fault, Place};

pub use crate::route::RouteId;
pub use medium::{Crossing, Medium, Station};

/// Links, media, and the packets that move between them.
///
/// The driver adds packets with [`send`](Fabric::send), wakes nodes at the times of the agenda, and after each of
/// these calls polls until `None`. The agenda belongs to the driver and may have further nodes; the fabric's nodes
/// come first.
#[derive(Debug)]
pub struct Fabric<L> {
    /// The forward direction of link `l` is at `2 l`, its reverse direction at `2 l + 1`; the media have the next
    /// numbers.
    links: Vec<Link<L>>,
    media: Vec<Box<dyn Medium<L>>>,
    /// The hops of all routes, one route after another.
    hops: Vec<Hop>,
    /// Where the hops of each route begin, and where the last ones end.
    routes: Vec<u32>,
    /// Packets that move between two nodes now.
    moving: VecDeque<Packet<L>>,
    /// The node that handled the last event, and may have more packets to pass on.
    working: Option<NodeIndex>,
    tells_work: bool,
    crossings: u64,
}

/// The payload of the packets of a fabric.
pub trait Load: Payload + Clone + 'static {
    /// Changes one bit, in this copy only.
    fn suffer(&mut self, damage: Damage);

    /// This is the second copy of a duplicated packet.
    fn on_duplicated(&mut self) {}
}

/// The direction along a link or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From its first end to its second.
    Forward,
    /// From its second end to its first.
    Reverse,
}

/// One hop of a route: one direction of a link, or a medium from one station to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    node: NodeIndex,
    /// A medium uses these; a link has one way through it, and ignores them.
    from: Station,
    to: Station,
}

/// An event that a fabric reports to its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum FabricEvent<L> {
    /// A packet has completed its route.
    Arrived(Packet<L>),
    /// A packet was lost.
    Lost {
        /// When it was lost; never later than the event.
        at: Time,
        /// The node in which it was lost.
        node: NodeIndex,
        /// The packet.
        packet: Packet<L>,
        /// The reason.
        cause: LossCause,
    },
    /// A direction of a link has handled a packet or a timer, and its queue may have changed. Reported only after
    /// [`tell_work`](Fabric::tell_work).
    Worked {
        /// The link.
        link: usize,
        /// The direction.
        direction: Way,
    },
}

impl<L: Load> Fabric<L> {
    /// A fabric of `links`, each with its forward and its reverse direction, without routes.
    pub fn new(links: impl IntoIterator<Item = [Link<L>; 2]>) -> Fabric<L> {
        Fabric {
            links: links.into_iter().flatten().collect(),
            media: Vec::new(),
            hops: Vec::new(),
            routes: vec![0],
            moving: VecDeque::new(),
            working: None,
            tells_work: false,
            crossings: 0,
        }
    }

    /// Adds a medium, and returns its number for hops across it.
    pub fn add_medium(&mut self, medium: Box<dyn Medium<L>>) -> NodeIndex {
        self.media.push(medium);
        self.nodes() as NodeIndex - 1
    }

    /// The media, in the order in which they were added.
    pub fn media_mut(&mut self) -> impl Iterator<Item = &mut (dyn Medium<L> + 'static)> {
        self.media.iter_mut().map(|medium| &mut **medium)
    }

    /// The medium at `node`, if it is an `M`; `None` if it is another, or a link.
    pub fn medium_as<M: Medium<L>>(&mut self, node: NodeIndex) -> Option<&mut M> {
        let place = (node as usize).checked_sub(self.links.len())?;
        let medium: &mut dyn Any = &mut **self.media.get_mut(place)?;
        medium.downcast_mut()
    }

    /// Applies `change` to the medium at `node`, if it is an `M`; what comes of it is polled next.
    pub fn change_medium<M: Medium<L>>(&mut self, node: NodeIndex, change: impl FnOnce(&mut M)) {
        if let Some(medium) = self.medium_as(node) {
            change(medium);
            self.working = Some(node);
        }
    }

    /// Adds a route over `hops`.
    ///
    /// # Panics
    /// A hop's node is not in this fabric.
    pub fn add_route(&mut self, hops: Vec<Hop>) -> RouteId {
        let nodes = self.nodes();
        for hop in &hops {
            assert!((hop.node as usize) < nodes, "node {} of {nodes}", hop.node);
        }
        self.hops.extend(hops);
        self.routes.push(self.hops.len() as u32);
        RouteId::at(self.routes.len() - 2)
    }

    /// Adds both routes of a path over the sequence `links`: forward, then reverse.
    ///
    /// # Panics
    /// A link is not in this fabric.
    pub fn add_path(&mut self, links: &[usize]) -> [RouteId; 2] {
        let count = self.links();
        for link in links {
            assert!(*link < count, "link {link} of {count}");
        }
        let forward = links.iter().map(|link| Hop::link(*link, Way::Forward)).collect();
        let reverse = links.iter().rev().map(|link| Hop::link(*link, Way::Reverse)).collect();
        [self.add_route(forward), self.add_route(reverse)]
    }

    /// Turns on [`FabricEvent::Worked`].
    pub fn tell_work(&mut self) {
        self.tells_work = true;
    }

    /// Lets every link record for how long packets wait.
    pub fn record_waits(&mut self) {
        self.links.iter_mut().for_each(Link::record_waits);
    }

    /// Sends a packet to the next hop of its route.
    pub fn send(&mut self, packet: Packet<L>) {
        self.moving.push_back(packet);
    }

    /// Wakes `node`, whose time has come.
    pub fn wake(&mut self, now: Time, node: NodeIndex) {
        match self.links.get_mut(node as usize) {
            Some(link) => link.handle_timeout(now),
            None => self.medium(node).handle_timeout(now),
        }
        self.working = Some(node);
    }

    /// Applies `change` to a direction of a link.
    pub fn change(&mut self, now: Time, link: usize, direction: Way, change: Change) {
        self.link_mut(link, direction).change(now, change);
        self.working = Some(node_of(link, direction));
    }

    /// The next event for the driver; `None` when every packet is on a link or a medium.
    pub fn poll(&mut self, now: Time, agenda: &mut Agenda) -> Option<FabricEvent<L>> {
        loop {
            let mut next = None;
            if let Some(node) = self.working
                && let Some(news) = self.drain(now, node, agenda, &mut next)
            {
                self.moving.extend(next);
                return Some(news);
            }
            let packet = next.or_else(|| self.moving.pop_front())?;
            match self.next_hop(&packet) {
                Some(hop) => self.enter(now, hop, packet),
                None => return Some(FabricEvent::Arrived(packet)),
            }
        }
    }

    /// A direction of a link.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link(&self, link: usize, direction: Way) -> &Link<L> {
        &self.links[node_of(link, direction) as usize]
    }

    /// A direction of a link, mutable, to read values that must be counted first, or to change it before the run.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link_mut(&mut self, link: usize, direction: Way) -> &mut Link<L> {
        &mut self.links[node_of(link, direction) as usize]
    }

    /// The number of links.
    pub fn links(&self) -> usize {
        self.links.len() / 2
    }

    /// The number of nodes: two for each link, and the media.
    pub fn nodes(&self) -> usize {
        self.links.len() + self.media.len()
    }

    /// The number of times packets have crossed a link or a medium so far.
    pub fn crossings(&self) -> u64 {
        self.crossings
    }

    /// The hop that a packet takes next; `None` at the end of its route.
    #[inline]
    fn next_hop(&self, packet: &Packet<L>) -> Option<Hop> {
        let route = packet.route.index();
        let next = self.routes[route] + u32::from(packet.passed);
        (next < self.routes[route + 1]).then(|| self.hops[next as usize])
    }

    fn enter(&mut self, now: Time, hop: Hop, packet: Packet<L>) {
        let Hop { node, from, to } = hop;
        match self.links.get_mut(node as usize) {
            Some(link) => link.handle(now, packet),
            None => self.medium(node).handle(now, Crossing { from, to, packet }),
        }
        self.working = Some(node);
    }

    /// Handles the packets that a node passes on. Afterwards it enters the node's next wake-up into the agenda. A packet that
    /// moves alone becomes `next`.
    #[inline]
    fn drain(
        &mut self,
        now: Time,
        node: NodeIndex,
        agenda: &mut Agenda,
        next: &mut Option<Packet<L>>,
    ) -> Option<FabricEvent<L>> {
        if (node as usize) < self.links.len() {
            if let Some(lost) = self.drain_link(now, node, next) {
                return Some(lost);
            }
        } else if let Some(lost) = self.drain_medium(now, node) {
            return Some(lost);
        }
        self.working = None;
        if let Some(at) = self.due(node) {
            agenda.arm(node, at);
        }
        let is_link = (node as usize) < self.links.len();
        (self.tells_work && is_link)
            .then(|| FabricEvent::Worked { link: node as usize / 2, direction: way_of(node) })
    }

    #[inline]
    fn drain_link(
        &mut self,
        now: Time,
        node: NodeIndex,
        next: &mut Option<Packet<L>>,
    ) -> Option<FabricEvent<L>> {
        let link = &mut self.links[node as usize];
        loop {
            while let Some(Place { mut packet, fault, .. }) = link.take_arrived(now) {
                self.crossings += 1;
                packet.passed += 1;
                if let Some(fault) = fault {
                    mar(&mut packet, *fault);
                }
                if next.is_none() && self.moving.is_empty() {
                    *next = Some(packet);
                    continue;
                }
                self.moving.extend(next.take());
                self.moving.push_back(packet);
            }
            match link.take_lost()? {
                Fate::Lost { at, packet, cause } => {
                    return Some(FabricEvent::Lost { at, node, packet, cause });
                }
                Fate::Arrived { .. } => {}
            }
        }
    }

    #[inline(never)]
    fn drain_medium(&mut self, now: Time, node: NodeIndex) -> Option<FabricEvent<L>> {
        while let Some(fate) = self.medium(node).poll(now) {
            match fate {
                Fate::Arrived { mut packet, is_duplicate, damage } => {
                    self.crossings += 1;
                    packet.passed += 1;
                    let copy = is_duplicate.then_some(Fault::Duplicate);
                    let faults = copy.into_iter().chain(damage.map(Fault::Damaged));
                    faults.for_each(|fault| mar(&mut packet, fault));
                    self.moving.push_back(packet);
                }
                Fate::Lost { at, packet, cause } => {
                    return Some(FabricEvent::Lost { at, node, packet, cause });
                }
            }
        }
        None
    }

    fn due(&self, node: NodeIndex) -> Option<Time> {
        match self.links.get(node as usize) {
            Some(link) => link.poll_timeout(),
            None => self.media[node as usize - self.links.len()].poll_timeout(),
        }
    }

    fn medium(&mut self, node: NodeIndex) -> &mut dyn Medium<L> {
        &mut *self.media[node as usize - self.links.len()]
    }
}

impl Hop {
    /// A hop over a direction of a link.
    pub const fn link(link: usize, direction: Way) -> Hop {
        Hop { node: node_of(link, direction), from: Station::new(0), to: Station::new(0) }
    }

    /// A hop across a medium from one station to another.
    pub const fn medium(medium: NodeIndex, from: Station, to: Station) -> Hop {
        Hop { node: medium, from, to }
    }
}

impl Way {
    /// Both directions.
    pub const BOTH: [Way; 2] = [Way::Forward, Way::Reverse];
}

/// A packet has a fault from now on.
#[cold]
fn mar<L: Load>(packet: &mut Packet<L>, fault: Fault) {
    match fault {
        Fault::Duplicate => packet.load.on_duplicated(),
        Fault::Damaged(damage) => packet.load.suffer(damage),
    }
}

const fn node_of(link: usize, direction: Way) -> NodeIndex {
    let forward = 2 * link as NodeIndex;
    match direction {
        Way::Forward => forward,
        Way::Reverse => forward + 1,
    }
}

fn way_of(node: NodeIndex) -> Way {
    if node.is_multiple_of(2) { Way::Forward } else { Way::Reverse }
}
