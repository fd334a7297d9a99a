//! Two endpoints joined by pipes under a virtual clock: what the tests of this crate talk through. A pipe
//! has a delay and can be cut, and packets can be dropped, doubled or spoilt by hand or by chance.
//!
//! The log has one line per packet, `A -> INIT -> Z`: see [`Pair::take_log`]. A packet that was lost on its
//! way ends in `lost`; one to an address of neither end ends in that address.
#![allow(dead_code, reason = "each test file uses its own part of the pair")]

mod addresses;
mod guests;
mod meter;
mod packets;
mod parts;
mod variant;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::association::{Association, Ecn, Message, Outgoing, Reliability, SendError};
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Departure, Endpoint, EndpointConfig, join};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::{PathSample, Registry};
use anabranch_sctp::wire::{EncodeChunk, Ppid, StreamId, VerificationTag};
use bytes::Bytes;

use addresses::{address_of, pipe_of};
#[allow(unused_imports, reason = "each test file uses its own part of the pair")]
pub(crate) use {
    addresses::{address, path},
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

/// A message of an application.
pub(crate) fn outgoing(stream: u16, unordered: bool, reliability: Reliability, payload: Bytes) -> Outgoing {
    let (stream, ppid) = (StreamId::new(stream), Ppid::new(0));
    Outgoing { stream, ppid, unordered, immediate: false, reliability, payload }
}

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

    /// Sends a message of `length` bytes on stream 0.
    pub(crate) fn send(&mut self, end: End, length: usize) {
        self.try_send(end, 0, false, Bytes::from(vec![7; length])).expect("there is room");
    }

    pub(crate) fn try_send(
        &mut self,
        end: End,
        stream: u16,
        unordered: bool,
        payload: Bytes,
    ) -> Result<(), SendError> {
        self.try_send_with(end, stream, unordered, Reliability::Full, payload)
    }

    /// Sends a message that may be given up.
    pub(crate) fn try_send_with(
        &mut self,
        end: End,
        stream: u16,
        unordered: bool,
        reliability: Reliability,
        payload: Bytes,
    ) -> Result<(), SendError> {
        let now = self.now;
        let result = self.at(end).send(now, outgoing(stream, unordered, reliability, payload));
        self.settle(end);
        result
    }

    /// Sends a message that leaves before all that wait.
    pub(crate) fn try_send_prompt(&mut self, end: End, mut message: Outgoing) -> Result<(), SendError> {
        let now = self.now;
        let result = self.at(end).try_send_prompt(now, &mut message);
        self.settle(end);
        result
    }

    /// The messages that wait at an end, and those whose last part waits.
    pub(crate) fn receive(&mut self, end: End) -> Vec<Message> {
        let received = self.receive_parts(end);
        let side = self.side(end);
        let Some(id) = side.id else { return received };
        let parts = side.parts.entry(id).or_default();
        received.into_iter().filter_map(|part| parts.take(part).expect("parts in order")).collect()
    }

    /// The messages and parts of messages that wait at an end.
    pub(crate) fn receive_parts(&mut self, end: End) -> Vec<Message> {
        let mut messages = Vec::new();
        if self.side(end).id.is_some() {
            while let Some(message) = self.at(end).receive() {
                messages.push(message);
            }
            self.settle(end);
        }
        messages
    }

    /// Gives messages of `length` bytes to an end before it may send any of them, all on stream 0.
    pub(crate) fn send_at_once(&mut self, end: End, count: usize, length: usize) {
        let now = self.now;
        for _ in 0..count {
            let (stream, payload) = (StreamId::new(0), Bytes::from(vec![7; length]));
            let message = Outgoing {
                stream,
                ppid: Ppid::new(0),
                unordered: false,
                immediate: false,
                reliability: Reliability::Full,
                payload,
            };
            self.at(end).send(now, message).expect("there is room");
        }
        self.settle(end);
    }

    /// Fails unless both ends are open, and data flows both ways.
    pub(crate) fn assert_flows(&mut self) {
        assert!(self.at(End::A).is_open() && self.at(End::Z).is_open());
        for end in [End::A, End::Z] {
            self.send(end, 500);
            self.run_for(Duration::from_secs(5));
            assert_eq!(self.receive(end.other()).len(), 1, "{end:?} sent a message");
        }
    }

    pub(crate) fn close(&mut self, end: End) {
        self.within(end, |side, now| side.association().close(now));
        self.settle(end);
    }

    pub(crate) fn abort(&mut self, end: End, why: &str) {
        self.within(end, |side, _| side.association().abort(why));
        self.settle(end);
    }

    /// The next packet from `end` on `pipe` is lost.
    pub(crate) fn drop_next(&mut self, end: End, pipe: usize) {
        self.pipes[pipe].drop_next[end as usize] += 1;
    }

    /// The next packet from `end` with such a chunk is lost. Two calls mean the same packet.
    pub(crate) fn lose(&mut self, end: End, chunk: &'static str) {
        self.lose_nth(end, chunk, 1);
    }

    /// Of the packets from `end` with such a chunk, counted from 1 and from now on, the `nth` is lost.
    pub(crate) fn lose_nth(&mut self, end: End, chunk: &'static str, nth: usize) {
        self.losses.push(Loss { from: end, chunk, skipped: nth - 1 });
    }

    /// From now on [`Line::bytes`] are kept.
    pub(crate) fn keep_packets(&mut self) {
        self.keeps_packets = true;
    }

    /// The packets that left `end` since the last call; the log forgets the other end's, too.
    pub(crate) fn take_packets(&mut self, end: End) -> Vec<Bytes> {
        assert!(self.keeps_packets, "keep_packets was not called");
        let log = std::mem::take(&mut self.log);
        log.into_iter().filter(|line| line.from == end).map(|line| line.bytes).collect()
    }

    /// Puts a packet of the test's own on the wire: it arrives as soon as time goes on.
    pub(crate) fn inject(&mut self, to: End, pipe: usize, bytes: Vec<u8>) {
        let (local, remote) = (self.address(to, pipe), self.seen(to.other(), pipe));
        self.fly((to, pipe), (local, remote), Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
    }

    /// A packet from `remote`, any address, arrives at the first address of an end.
    pub(crate) fn inject_from(&mut self, to: End, remote: SocketAddr, bytes: Vec<u8>) {
        let ends = (self.address(to, 0), remote);
        self.fly((to, 0), ends, Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
        self.run_for(Duration::ZERO);
    }

    /// A packet from `remote` arrives at `local`, an address of an end.
    pub(crate) fn inject_between(&mut self, to: End, local: SocketAddr, remote: SocketAddr, bytes: Vec<u8>) {
        self.fly((to, 0), (local, remote), Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
        self.run_for(Duration::ZERO);
    }

    /// Chunks in one packet arrive at an end, with its tag, as if its peer had sent them.
    pub(crate) fn forge(&mut self, to: End, chunks: &[&dyn EncodeChunk]) {
        let tag = self.at(to).tags().0;
        self.forge_with_tag(to, tag, chunks);
    }

    /// Chunks in one packet arrive at an end, with this tag.
    pub(crate) fn forge_with_tag(&mut self, to: End, tag: VerificationTag, chunks: &[&dyn EncodeChunk]) {
        self.inject(to, 0, packet(tag, chunks));
        self.run_for(Duration::ZERO);
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

    fn step(&mut self) {
        if let Some(Reverse(packet)) = self.packets_in_flight.peek()
            && packet.at <= self.now
        {
            let Reverse(packet) = self.packets_in_flight.pop().expect("it was just there");
            let is_missing = self.side(packet.to).missing.contains(&packet.local);
            if !self.pipes[packet.pipe].is_cut && !is_missing {
                self.arrive(packet);
            }
            return;
        }
        for end in [End::A, End::Z] {
            let now = self.now;
            if self.side(end).endpoint.poll_timeout().is_some_and(|due| due <= now) {
                self.within(end, |side, now| side.endpoint.handle_timeout(now));
                self.settle(end);
            }
        }
    }

    fn arrive(&mut self, packet: PacketInFlight) {
        let PacketInFlight { to, local, remote, marking, bytes, .. } = packet;
        let (left, is_metered) = (self.log.len(), self.meter.is_some());
        self.cost = Reading::default();
        self.within(to, |side, now| {
            // What an end keeps of a packet counts as its own memory.
            let bytes = if is_metered { Bytes::copy_from_slice(&bytes) } else { bytes.clone() };
            let memory = ByteCount::of_len(bytes.len());
            let (channel, ecn) = (Channel::PLAIN, Ecn::from_bits(marking));
            side.endpoint.handle(now, &Arrival { local, remote, channel, ecn, bytes, memory });
        });
        self.settle(to);
        let (cost, answers) = (self.cost, left..self.log.len());
        if let Some(meter) = &mut self.meter {
            meter.packet_costs.push(PacketCost { to, bytes, cost, answers });
        }
    }

    /// Sends what an end wants to send and collects what it tells.
    pub(crate) fn settle(&mut self, end: End) {
        self.read_at_once(end);
        let mut bytes = std::mem::take(&mut self.scratch);
        // It must not grow while memory is counted.
        bytes.reserve(if self.meter.is_some() { 4 * usize::from(u16::MAX) } else { 0 });
        for departures in 0.. {
            assert!(departures < 10_000, "poll_transmit does not end");
            bytes.clear();
            let departure = self.within(end, |side, now| side.endpoint.poll_transmit(now, &mut bytes, 4));
            let Some(departure) = departure else { break };
            for segment in bytes.chunks(departure.transmit.segment_size) {
                self.leave(end, &departure, &Bytes::copy_from_slice(segment));
            }
        }
        self.scratch = bytes;
        while let Some((id, event)) = self.within(end, |side, _| side.endpoint.poll_event()) {
            let side = self.side(end);
            if side.adopts {
                side.id.get_or_insert(id);
            }
            if side.id == Some(id) { side.events.push(event) } else { side.strays.push((id, event)) }
        }
    }

    fn read_at_once(&mut self, end: End) {
        let side = self.side(end);
        if let Some(id) = side.id.filter(|_| side.reads_at_once)
            && let Some(association) = side.endpoint.association_mut(id)
        {
            side.read.extend(std::iter::from_fn(|| association.receive()));
        }
    }

    fn leave(&mut self, from: End, departure: &Departure, bytes: &Bytes) {
        let Departure { local, remote, ref transmit, .. } = *departure;
        let to = from.other();
        let names = chunk_names(bytes);
        let Some(pipe) = (0..self.pipes.len()).find(|&pipe| self.address(to, pipe).ip() == remote.ip())
        else {
            return self.note((from, 0), departure, &names, &remote.to_string(), bytes);
        };
        let source = pipe_of(local);
        let link = if from == End::A { source } else { pipe };
        let crosses = source != pipe && self.loses_crossing.contains(&from);
        if crosses || self.cut_links.contains(&link) {
            return self.note((from, pipe), departure, &names, "lost", bytes);
        }
        assert!(source == pipe || self.may_cross, "paths lead through their own pipe");
        // A translator without this port, or the pipe, does not let it through.
        let is_missing = self.side(from).missing.contains(&local);
        let is_too_large = self.pipes[pipe].is_exceeded(from, bytes.len(), transmit.may_fragment);
        let is_blocked = self.pipes[pipe].middlebox == Middlebox::Drop && transmit.ecn != Ecn::NotEct;
        let is_gone = is_missing || is_too_large || is_blocked || self.seen(to, pipe) != remote;
        if is_gone || self.is_lost(from, pipe, &names) {
            return self.note((from, pipe), departure, &names, "lost", bytes);
        }
        self.note((from, pipe), departure, &names, &format!("{to:?}"), bytes);
        let (here, there) = (self.address(to, pipe), self.seen(from, source));
        let ecn = self.marked(from, pipe, transmit.ecn);
        let copies = 1 + usize::from(self.happens(self.faults.duplication));
        for _ in 0..copies {
            let mut bytes = bytes.clone();
            if self.happens(self.faults.corruption) {
                let mut spoilt = bytes.to_vec();
                let at = (self.random() % spoilt.len() as u64) as usize;
                spoilt[at] ^= 1 << (self.random() % 8);
                bytes = Bytes::from(spoilt);
            }
            let late = Duration::from_nanos(self.random() % (self.faults.jitter.as_nanos() + 1));
            self.fly((to, pipe), (here, there), ecn, bytes, self.pipes[pipe].delay + late);
        }
    }

    /// Returns true if a packet meets a loss, planned or by chance.
    fn is_lost(&mut self, from: End, pipe: usize, names: &str) -> bool {
        let mut is_planned = false;
        self.losses.retain_mut(|loss| {
            if loss.from != from || names.split(" + ").all(|name| name != loss.chunk) {
                return true;
            }
            let is_due = loss.skipped == 0;
            loss.skipped = loss.skipped.saturating_sub(1);
            is_planned |= is_due;
            !is_due
        });
        let planned = &mut self.pipes[pipe].drop_next[from as usize];
        if *planned > 0 {
            *planned -= 1;
            is_planned = true;
        }
        is_planned || self.pipes[pipe].is_cut || self.happens(self.faults.loss)
    }

    fn note(
        &mut self,
        (from, pipe): (End, usize),
        departure: &Departure,
        names: &str,
        to: &str,
        bytes: &Bytes,
    ) {
        let arrow = if self.pipes.len() > 1 { format!("-{}>", pipe + 1) } else { "->".to_owned() };
        let text = format!("{from:?} {arrow} {names} {arrow} {to}");
        let len = bytes.len();
        let bytes = if self.keeps_packets { bytes.clone() } else { Bytes::new() };
        let Departure { local, remote, association: by, ref transmit, .. } = *departure;
        let ecn = transmit.ecn;
        self.log.push(Line { at: self.now, from, pipe, local, remote, by, text, ecn, bytes, len });
    }

    /// The codepoint with which a packet arrives that left `from` with `ecn`.
    fn marked(&mut self, from: End, pipe: usize, ecn: Ecn) -> Ecn {
        if !ecn.is_capable() {
            return ecn;
        }
        let by_chance = self.happens(self.faults.marking);
        let Pipe { mark_next, middlebox, .. } = &mut self.pipes[pipe];
        let planned = &mut mark_next[from as usize];
        let is_planned = *planned > 0;
        *planned = planned.saturating_sub(1);
        match middlebox {
            Middlebox::Bleach => Ecn::NotEct,
            _ if is_planned || by_chance => Ecn::Ce,
            _ => ecn,
        }
    }

    fn fly(
        &mut self,
        (to, pipe): (End, usize),
        (local, remote): (SocketAddr, SocketAddr),
        ecn: Ecn,
        bytes: Bytes,
        delay: Duration,
    ) {
        self.sent += 1;
        let (at, order) = (self.now + delay, self.sent);
        let marking = ecn.bits();
        self.packets_in_flight.push(Reverse(PacketInFlight {
            at,
            order,
            to,
            local,
            remote,
            pipe,
            marking,
            bytes,
        }));
    }

    fn happens(&mut self, thousandths: u32) -> bool {
        self.random() % 1000 < u64::from(thousandths)
    }

    /// Xorshift: the test's own random numbers, independent of the endpoints'.
    pub(crate) fn random(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
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
