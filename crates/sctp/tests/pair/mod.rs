//! Two endpoints joined by pipes under a virtual clock: what the tests of this crate talk through. A pipe
//! has a delay and can be cut, and packets can be dropped, doubled or spoilt by hand or by chance.
//!
//! The log has one line per packet, `A -> INIT -> Z`: see [`Pair::take_log`]. A packet that was lost on its
//! way ends in `lost`; one to an address of neither end ends in that address.
#![allow(dead_code, reason = "each test file uses its own part of the pair")]

mod addresses;
mod application;
mod flight;
mod guests;
mod meter;
mod packets;
mod parts;
mod variant;
mod wire;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::net::SocketAddr;

use anabranch_base::{Duration, Seed, Time};
use anabranch_sctp::association::{Association, Ecn, Message};
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::endpoint::{AssociationId, Endpoint, EndpointConfig, join};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::{PathSample, Registry};
use bytes::Bytes;

use addresses::address_of;
#[allow(unused_imports, reason = "each test file uses its own part of the pair")]
pub(crate) use {
    addresses::{address, path},
    application::outgoing,
    guests::{Guest, Invitation},
    meter::{Meter, PacketCost, Reading},
    packets::{chunk_names, chunks, data, packet, packet_with},
    parts::Parts,
    variant::Variant,
};

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// The one that opens.
    A,
    /// The one that accepts.
    Z,
}

impl End {
    pub(crate) fn other(self) -> End {
        match self {
            End::A => End::Z,
            End::Z => End::A,
        }
    }
}

/// One end: its endpoint and what came out of it.
pub(crate) struct Side {
    pub(crate) endpoint: Endpoint,
    pub(crate) id: Option<AssociationId>,
    pub(crate) events: Vec<Event>,
    /// Events of other associations.
    pub(crate) strays: Vec<(AssociationId, Event)>,
    /// Takes the first association with an event as the one, if there is none yet.
    pub(crate) adopts: bool,
    /// The application reads what arrives before anything is answered.
    pub(crate) reads_at_once: bool,
    /// The messages that it read so.
    pub(crate) read: Vec<Message>,
    /// The messages of which parts were read, by association.
    pub(crate) parts: BTreeMap<AssociationId, Parts>,
    pub(crate) config: EndpointConfig,
    /// Addresses that the host lacks: nothing arrives or leaves there.
    pub(crate) missing: Vec<SocketAddr>,
    lives: u64,
}

/// One path through the network, both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pipe {
    pub(crate) delay: Duration,
    pub(crate) is_cut: bool,
    /// The number of the next packets from each end are dropped.
    pub(crate) drop_next: [u32; 2],
    /// The number of the next packets with ECT from each end are marked.
    pub(crate) mark_next: [u32; 2],
    /// The treatment of ECN codepoints.
    pub(crate) middlebox: Middlebox,
    /// A translator at A's end shows this UDP port to Z instead of A's, and lets nothing else in.
    pub(crate) translated: Option<u16>,
    /// The version of its addresses.
    pub(crate) version: IpVersion,
    /// Larger IP packets are lost, unless they may be fragmented.
    pub(crate) mtu: usize,
    /// Larger IP packets are lost even if they may be fragmented.
    pub(crate) drops_fragments: bool,
    /// The end whose packets alone may be too large; `None` for both.
    pub(crate) narrow_from: Option<End>,
}

/// The treatment of ECN codepoints by a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Middlebox {
    /// Nothing.
    #[default]
    None,
    /// Clears them.
    Bleach,
    /// Loses packets that have one.
    Drop,
}

/// A packet that left.
pub(crate) struct Line {
    pub(crate) at: Time,
    pub(crate) from: End,
    /// Where it went.
    pub(crate) pipe: usize,
    /// The address it was sent from.
    pub(crate) local: SocketAddr,
    /// The address it was sent to.
    pub(crate) remote: SocketAddr,
    /// Which association sent it, if one did.
    pub(crate) by: Option<AssociationId>,
    /// `A -> INIT -> Z`.
    pub(crate) text: String,
    /// The ECN codepoint with which it left.
    pub(crate) ecn: Ecn,
    /// The content, if [`Pair::keep_packets`] was called.
    pub(crate) bytes: Bytes,
    /// The length of the SCTP packet.
    pub(crate) len: usize,
}

/// A loss that is planned.
struct Loss {
    from: End,
    chunk: &'static str,
    /// The number of packets with such a chunk that are skipped before.
    skipped: usize,
}

/// The random faults of packets, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) loss: u32,
    pub(crate) duplication: u32,
    pub(crate) corruption: u32,
    /// Marks on packets with ECT.
    pub(crate) marking: u32,
    /// Packets are late by up to this much, and so overtake one another.
    pub(crate) jitter: Duration,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PacketInFlight {
    at: Time,
    order: u64,
    to: End,
    local: SocketAddr,
    remote: SocketAddr,
    pipe: usize,
    marking: u8,
    bytes: Bytes,
}

/// Both ends and the pipes between them.
pub(crate) struct Pair {
    pub(crate) now: Time,
    pub(crate) a: Side,
    pub(crate) z: Side,
    pub(crate) pipes: Vec<Pipe>,
    pub(crate) faults: Faults,
    /// A line a packet that left.
    pub(crate) log: Vec<Line>,
    /// Packets may leave one end's address of one pipe for the other end's of another, and travel the latter.
    pub(crate) may_cross: bool,
    /// Packets of these ends that leave so are lost.
    pub(crate) loses_crossing: Vec<End>,
    /// Pipes from whose end at A nothing leaves, and where nothing arrives.
    pub(crate) cut_links: Vec<usize>,
    /// The cost of calls into the ends, if it is measured.
    pub(crate) meter: Option<Meter>,
    /// The cost since the last packet arrived.
    cost: Reading,
    /// The buffer into which packets are written.
    scratch: Vec<u8>,
    keeps_packets: bool,
    losses: Vec<Loss>,
    packets_in_flight: BinaryHeap<Reverse<PacketInFlight>>,
    sent: u64,
    chance: u64,
}

pub(crate) const PORT: u16 = 9899;

impl Pair {
    /// Two ends with the same settings and `pipes` paths of 10 ms between them.
    pub(crate) fn new(config: Config, pipes: usize) -> Pair {
        Pair::unequal(config.clone(), config, pipes)
    }

    /// Two ends with settings of their own.
    pub(crate) fn unequal(a: Config, z: Config, pipes: usize) -> Pair {
        Pair::over(a, z, &vec![IpVersion::V4; pipes])
    }

    /// Two ends with a pipe of 10 ms for each of these versions of IP.
    pub(crate) fn over(a: Config, z: Config, versions: &[IpVersion]) -> Pair {
        let pipes = versions.iter().map(|&version| Pipe::new(version)).collect();
        let local = |end| versions.iter().enumerate().map(|(pipe, ip)| address_of(end, pipe, *ip)).collect();
        Pair {
            now: Time::ZERO,
            a: Side::new(a, local(End::A), false),
            z: Side::new(z, local(End::Z), true),
            pipes,
            faults: Faults::default(),
            log: Vec::new(),
            may_cross: false,
            loses_crossing: Vec::new(),
            cut_links: Vec::new(),
            meter: None,
            cost: Reading::default(),
            scratch: Vec::new(),
            keeps_packets: false,
            losses: Vec::new(),
            packets_in_flight: BinaryHeap::new(),
            sent: 0,
            chance: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// An open association over all pipes, with every path verified.
    pub(crate) fn open(config: Config, pipes: usize) -> Pair {
        let mut pair = Pair::new(config, pipes);
        pair.establish();
        pair
    }

    /// Two ends with the same settings, and policies of a test's own beside the standard ones.
    pub(crate) fn with_policies(registry: &Registry, config: &Config, pipes: usize) -> Pair {
        let mut pair = Pair::new(Config::default(), pipes);
        pair.equip(registry, config);
        pair
    }

    /// Gives both ends these policies and settings, before anything is sent.
    pub(crate) fn equip(&mut self, registry: &Registry, config: &Config) {
        for side in [&mut self.a, &mut self.z] {
            side.config.registry = registry.clone();
            side.config.association = config.clone();
            side.endpoint = endpoint(&side.config, side.lives);
        }
    }

    /// An open association with policies of a test's own beside the standard ones.
    pub(crate) fn open_with(registry: &Registry, config: &Config, pipes: usize) -> Pair {
        let mut pair = Pair::with_policies(registry, config, pipes);
        pair.establish();
        pair
    }

    /// Opens the association, lets every path be verified, and forgets how.
    pub(crate) fn establish(&mut self) {
        self.connect();
        self.run_for(Duration::from_secs(5));
        assert!(self.a.events.contains(&Event::Connected), "A opened: {:?}", self.log);
        assert!(self.z.events.contains(&Event::Connected), "Z opened: {:?}", self.log);
        self.log.clear();
        self.a.events.clear();
        self.z.events.clear();
    }

    /// Both ends are joined without a handshake.
    pub(crate) fn join(&mut self) {
        let (a, z) =
            join(self.now, &mut self.a.endpoint, &mut self.z.endpoint).expect("addresses of one version");
        (self.a.id, self.z.id) = (Some(a), Some(z));
        self.settle(End::A);
        self.settle(End::Z);
    }

    /// A begins to open the association.
    pub(crate) fn connect(&mut self) {
        self.connect_from(End::A);
    }

    /// An end begins to open the association with all addresses of the other.
    pub(crate) fn connect_from(&mut self, end: End) {
        let remotes: Vec<SocketAddr> =
            (0..self.pipes.len()).map(|pipe| self.address(end.other(), pipe)).collect();
        self.connect_to(end, &remotes);
    }

    /// An end begins to open the association with these addresses.
    pub(crate) fn connect_to(&mut self, end: End, remotes: &[SocketAddr]) {
        self.within(end, |side, _| {
            side.id = Some(side.endpoint.connect(remotes).expect("addresses that can be reached"));
        });
        self.settle(end);
    }

    /// An end loses its memory and comes back with the same addresses: a new endpoint without associations.
    pub(crate) fn restart(&mut self, end: End) {
        let local = self.side(end).config.local.clone();
        self.restart_with(end, local);
    }

    /// An end comes back as the endpoint of another seed: with other tags, TSNs and nonces.
    pub(crate) fn reseed(&mut self, end: End, seed: u64) {
        self.side(end).lives = seed.wrapping_sub(2);
        self.restart(end);
    }

    /// An end comes back with these addresses.
    pub(crate) fn restart_with(&mut self, end: End, local: Vec<SocketAddr>) {
        let side = self.side(end);
        side.config.local = local;
        side.lives = side.lives.wrapping_add(2);
        side.endpoint = endpoint(&side.config, side.lives);
        side.parts.clear();
        side.id = None;
        side.events.clear();
    }

    /// Seeds the test's random numbers.
    pub(crate) fn seed(&mut self, seed: u64) {
        self.chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    }

    pub(crate) fn side(&mut self, end: End) -> &mut Side {
        match end {
            End::A => &mut self.a,
            End::Z => &mut self.z,
        }
    }

    /// An end, to be looked at.
    pub(crate) fn end(&self, end: End) -> &Side {
        match end {
            End::A => &self.a,
            End::Z => &self.z,
        }
    }

    /// Returns true if an end has an open association.
    pub(crate) fn is_open(&mut self, end: End) -> bool {
        self.side(end).id.is_some() && self.at(end).is_open()
    }

    /// The association of an end.
    pub(crate) fn at(&mut self, end: End) -> &mut Association {
        self.side(end).association()
    }

    pub(crate) fn close(&mut self, end: End) {
        self.within(end, |side, now| side.association().close(now));
        self.settle(end);
    }

    pub(crate) fn abort(&mut self, end: End, why: &str) {
        self.within(end, |side, _| side.association().abort(why));
        self.settle(end);
    }

    /// Lets `span` pass.
    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        while self.advance(end) {}
    }

    /// Lets time pass to the next event, or to `end` if there is none before; whether there was one.
    pub(crate) fn advance(&mut self, end: Time) -> bool {
        let next = self.next_event().filter(|at| *at <= end);
        self.now = next.map_or(end, |at| self.now.max(at));
        if next.is_some() {
            self.step();
        }
        next.is_some()
    }

    /// Lets time pass until `is_done`, or until `span` is over; whether it was done.
    pub(crate) fn run_until(&mut self, span: Duration, mut is_done: impl FnMut(&mut Pair) -> bool) -> bool {
        let end = self.now + span;
        while !is_done(self) {
            if !self.advance(end) {
                return is_done(self);
            }
        }
        true
    }

    /// When the next packet arrives or the next timer expires.
    pub(crate) fn next_event(&self) -> Option<Time> {
        let packet = self.packets_in_flight.peek().map(|Reverse(packet)| packet.at);
        let timers = [self.a.endpoint.poll_timeout(), self.z.endpoint.poll_timeout()];
        packet.into_iter().chain(timers.into_iter().flatten()).min()
    }

    /// Why the association of an end is over, if it is.
    pub(crate) fn closed(&mut self, end: End) -> Option<CloseReason> {
        self.side(end).events.iter().find_map(|event| match event {
            Event::Closed(reason) => Some(reason.clone()),
            _ => None,
        })
    }

    /// The log since the last call, `A -> INIT -> Z`, a line a packet that left.
    pub(crate) fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log).into_iter().map(|line| line.text).collect()
    }

    /// The same with times in front, in milliseconds since `zero`: `1000 A -> INIT -> Z`.
    pub(crate) fn take_timed_log(&mut self, zero: Time) -> Vec<String> {
        let timed = |line: Line| format!("{} {}", line.at.since(zero).as_millis(), line.text);
        std::mem::take(&mut self.log).into_iter().map(timed).collect()
    }

    /// A path of an end as it is now.
    pub(crate) fn path(&mut self, end: End, index: usize) -> PathSample {
        self.at(end).paths()[index].clone()
    }
}

impl Side {
    fn new(association: Config, local: Vec<SocketAddr>, accepts: bool) -> Side {
        let registry = Registry::standard();
        let config =
            EndpointConfig { association, registry, port: PORT, accepts, local, max_associations: 8 };
        let lives = if accepts { 2 } else { 1 };
        let endpoint = endpoint(&config, lives);
        Side {
            endpoint,
            id: None,
            events: Vec::new(),
            strays: Vec::new(),
            adopts: true,
            reads_at_once: false,
            read: Vec::new(),
            parts: BTreeMap::new(),
            config,
            missing: Vec::new(),
            lives,
        }
    }

    fn association(&mut self) -> &mut Association {
        let id = self.id.expect("there is an association");
        self.endpoint.association_mut(id).expect("it was not removed")
    }
}

impl Pipe {
    fn new(version: IpVersion) -> Pipe {
        let delay = Duration::from_millis(10);
        Pipe {
            delay,
            is_cut: false,
            drop_next: [0; 2],
            mark_next: [0; 2],
            middlebox: Middlebox::None,
            translated: None,
            version,
            mtu: usize::MAX,
            drops_fragments: false,
            narrow_from: None,
        }
    }
}

impl Pipe {
    /// Returns true if an SCTP packet of `len` bytes from this end is lost because it is too large with the headers of IP and
    /// UDP.
    fn is_exceeded(&self, from: End, len: usize, may_fragment: bool) -> bool {
        let headers = match self.version {
            IpVersion::V4 => 28,
            IpVersion::V6 => 48,
        };
        let is_narrow = self.narrow_from.is_none_or(|end| end == from);
        let is_kept_whole = self.drops_fragments || !may_fragment;
        len + headers > self.mtu && is_narrow && is_kept_whole
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.at.since(Time::ZERO), self.text)
    }
}

/// The endpoint of a life: each life draws other tags.
fn endpoint(config: &EndpointConfig, life: u64) -> Endpoint {
    Endpoint::new(config.clone(), Seed::from_number(life)).expect("sound settings")
}
