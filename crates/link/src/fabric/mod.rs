//! The links and media of a network, and the routes of packets through them. The simulator and the emulator drive the
//! same fabric: one between hosts under a virtual clock, the other between sockets or interfaces.

mod medium;

use std::collections::VecDeque;
use std::fmt::Debug;

use anabranch_base::{Machine, Time};

use crate::agenda::{Agenda, NodeIndex};
use crate::config::Change;
use crate::link::Link;
use crate::packet::{Damage, Fate, LossCause, Packet};

pub use crate::route::RouteId;
pub use medium::{Crossing, Medium, Station};

/// Links, media, and the packets that move between them.
///
/// The driver puts packets in with [`send`](Fabric::send), wakes nodes when the agenda says so, and after each of these
/// calls polls until `None`. The agenda is the driver's, as it may have nodes of its own in it; the fabric's nodes come
/// first.
#[derive(Debug)]
pub struct Fabric<L> {
    /// The link `l` forward at `2 l`, back at `2 l + 1`; the media are numbered after all of them.
    links: Vec<Link<L>>,
    media: Vec<Box<dyn Medium<L>>>,
    routes: Vec<Vec<Hop>>,
    /// Packets that are between two nodes now.
    moving: VecDeque<Packet<L>>,
    /// The node that was just at work, and may have more to hand over.
    working: Option<NodeIndex>,
    tells_work: bool,
    crossings: u64,
}

/// What the packets of a fabric carry.
pub trait Load: Clone + Debug + Send + 'static {
    /// A bit of it is turned over, in this copy alone.
    fn suffer(&mut self, damage: Damage);

    /// It is the second of two that were one.
    fn on_duplicated(&mut self) {}
}

/// Which way along a link or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From its first end.
    Forward,
    /// Back.
    Reverse,
}

/// One hop of a route: one direction of a link, or a medium from one station to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    node: NodeIndex,
    /// A link has one way through it, and ignores these.
    from: Station,
    to: Station,
}

/// What a driver hears of its packets.
#[derive(Clone, Debug, PartialEq)]
pub enum FabricEvent<L> {
    /// A packet has its whole route behind it.
    Arrived(Packet<L>),
    /// A packet was lost.
    Lost {
        /// When it was lost; never later than the event.
        at: Time,
        /// In which node.
        node: NodeIndex,
        /// The packet.
        packet: Packet<L>,
        /// Why.
        cause: LossCause,
    },
    /// A direction of a link has handled a packet or a timer, and its queue may have changed. Told where
    /// [`tell_work`](Fabric::tell_work) asked for it.
    Worked {
        /// Of which link.
        link: usize,
        /// Which direction.
        way: Way,
    },
}

impl<L: Load> Fabric<L> {
    /// A fabric of these links, each with its way forward and its way back, and of no route.
    pub fn new(links: impl IntoIterator<Item = [Link<L>; 2]>) -> Fabric<L> {
        Fabric {
            links: links.into_iter().flatten().collect(),
            media: Vec::new(),
            routes: Vec::new(),
            moving: VecDeque::new(),
            working: None,
            tells_work: false,
            crossings: 0,
        }
    }

    /// Adds a medium; the number is for hops across it.
    pub fn add_medium(&mut self, medium: Box<dyn Medium<L>>) -> NodeIndex {
        self.media.push(medium);
        self.nodes() as NodeIndex - 1
    }

    /// Adds a route over these hops.
    ///
    /// # Panics
    /// A hop's node is not in this fabric.
    pub fn add_route(&mut self, hops: Vec<Hop>) -> RouteId {
        let nodes = self.nodes();
        for hop in &hops {
            assert!((hop.node as usize) < nodes, "node {} of {nodes}", hop.node);
        }
        self.routes.push(hops);
        RouteId::at(self.routes.len() - 1)
    }

    /// Adds both routes of a path over these links in a row: forward, and back.
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

    /// Turns [`FabricEvent::Worked`] on.
    pub fn tell_work(&mut self) {
        self.tells_work = true;
    }

    /// Puts a packet in front of the first hop of its route that is not behind it.
    pub fn send(&mut self, packet: Packet<L>) {
        self.moving.push_back(packet);
    }

    /// Lets a node act whose time has come.
    pub fn wake(&mut self, now: Time, node: NodeIndex) {
        match self.links.get_mut(node as usize) {
            Some(link) => link.handle_timeout(now),
            None => self.medium(node).handle_timeout(now),
        }
        self.working = Some(node);
    }

    /// Something happens to a direction of a link.
    pub fn change(&mut self, now: Time, link: usize, way: Way, change: Change) {
        self.link_mut(link, way).change(now, change);
        self.working = Some(node_of(link, way));
    }

    /// What the driver is to hear next; `None` when every packet is on a link or a medium.
    pub fn poll(&mut self, now: Time, agenda: &mut Agenda) -> Option<FabricEvent<L>> {
        loop {
            if let Some(node) = self.working
                && let Some(news) = self.drain(now, node, agenda)
            {
                return Some(news);
            }
            let packet = self.moving.pop_front()?;
            match self.routes[packet.route.index()].get(usize::from(packet.passed)).copied() {
                Some(hop) => self.enter(now, hop, packet),
                None => return Some(FabricEvent::Arrived(packet)),
            }
        }
    }

    /// A direction of a link.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link(&self, link: usize, way: Way) -> &Link<L> {
        &self.links[node_of(link, way) as usize]
    }

    /// The same, to be asked what has to be counted first, or to be changed before anything happens.
    ///
    /// # Panics
    /// There is no such link.
    pub fn link_mut(&mut self, link: usize, way: Way) -> &mut Link<L> {
        &mut self.links[node_of(link, way) as usize]
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.links.len() / 2
    }

    /// How many nodes there are: two a link, and the media.
    pub fn nodes(&self) -> usize {
        self.links.len() + self.media.len()
    }

    /// How often a packet has crossed a link or a medium so far.
    pub fn crossings(&self) -> u64 {
        self.crossings
    }

    fn enter(&mut self, now: Time, hop: Hop, packet: Packet<L>) {
        let Hop { node, from, to } = hop;
        match self.links.get_mut(node as usize) {
            Some(link) => link.handle(now, packet),
            None => self.medium(node).handle(now, Crossing { from, to, packet }),
        }
        self.working = Some(node);
    }

    /// Takes what a node hands over; at the end the agenda hears when the node is to be woken.
    fn drain(&mut self, now: Time, node: NodeIndex, agenda: &mut Agenda) -> Option<FabricEvent<L>> {
        while let Some(fate) = self.take(now, node) {
            match fate {
                Fate::Arrived { packet, is_duplicate, damage } => self.pass_on(packet, is_duplicate, damage),
                Fate::Lost { at, packet, cause } => {
                    return Some(FabricEvent::Lost { at, node, packet, cause });
                }
            }
        }
        self.working = None;
        if let Some(at) = self.due(node) {
            agenda.arm(node, at);
        }
        let is_link = (node as usize) < self.links.len();
        (self.tells_work && is_link)
            .then(|| FabricEvent::Worked { link: node as usize / 2, way: way_of(node) })
    }

    fn pass_on(&mut self, mut packet: Packet<L>, is_duplicate: bool, damage: Option<Damage>) {
        self.crossings += 1;
        packet.passed += 1;
        if is_duplicate {
            packet.load.on_duplicated();
        }
        if let Some(damage) = damage {
            packet.load.suffer(damage);
        }
        self.moving.push_back(packet);
    }

    fn take(&mut self, now: Time, node: NodeIndex) -> Option<Fate<L>> {
        match self.links.get_mut(node as usize) {
            Some(link) => link.poll(now),
            None => self.medium(node).poll(now),
        }
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
    /// A direction of a link.
    pub const fn link(link: usize, way: Way) -> Hop {
        Hop { node: node_of(link, way), from: Station::new(0), to: Station::new(0) }
    }

    /// Across a medium from one station to another.
    pub const fn medium(medium: NodeIndex, from: Station, to: Station) -> Hop {
        Hop { node: medium, from, to }
    }
}

impl Way {
    /// Both ways.
    pub const BOTH: [Way; 2] = [Way::Forward, Way::Reverse];
}

const fn node_of(link: usize, way: Way) -> NodeIndex {
    let forward = 2 * link as NodeIndex;
    match way {
        Way::Forward => forward,
        Way::Reverse => forward + 1,
    }
}

fn way_of(node: NodeIndex) -> Way {
    if node.is_multiple_of(2) { Way::Forward } else { Way::Reverse }
}
