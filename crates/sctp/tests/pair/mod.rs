//! Two endpoints joined by pipes under a virtual clock: what the tests of this crate talk through. A pipe
//! has a delay and can be cut, and packets can be dropped, doubled or spoilt by hand or by chance.
#![allow(dead_code, reason = "each test file uses its own part of the pair")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;

use anabranch_base::{Duration, Seed, Time};
use anabranch_sctp::association::{Association, Ecn, Message, Outgoing, SendError};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, AssociationId, Endpoint, EndpointConfig};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::{PathId, Registry};
use anabranch_sctp::wire::{Checksum, Chunk, Packet, Ppid, StreamId};
use bytes::Bytes;

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The one that opens.
    A,
    /// The one that accepts.
    Z,
}

impl End {
    pub fn other(self) -> End {
        match self {
            End::A => End::Z,
            End::Z => End::A,
        }
    }
}

/// One end: its endpoint and what came out of it.
pub struct Side {
    pub endpoint: Endpoint,
    pub id: Option<AssociationId>,
    pub events: Vec<Event>,
}

/// One path through the network, both ways.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    pub delay: Duration,
    pub is_cut: bool,
    /// So many packets from this end are dropped next.
    pub drop_next: [u32; 2],
}

/// What chance does to packets, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: u32,
    pub duplication: u32,
    pub corruption: u32,
    /// Packets are late by up to so much, and so overtake one another.
    pub jitter: Duration,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    at: Time,
    order: u64,
    to: End,
    pipe: usize,
    bytes: Bytes,
}

/// Both ends and the pipes between them.
pub struct Pair {
    pub now: Time,
    pub a: Side,
    pub z: Side,
    pub pipes: Vec<Pipe>,
    pub faults: Faults,
    /// `A -> INIT -> Z`, a line a packet that left.
    pub log: Vec<String>,
    flying: BinaryHeap<Reverse<Flying>>,
    sent: u64,
    chance: u64,
}

pub const PORT: u16 = 9899;

impl Pair {
    /// Two ends with the same settings and `pipes` paths of 10 ms between them.
    pub fn new(config: Config, pipes: usize) -> Pair {
        Pair::unequal(config.clone(), config, pipes)
    }

    /// Two ends with settings of their own.
    pub fn unequal(a: Config, z: Config, pipes: usize) -> Pair {
        let local = |end: End| (0..pipes).map(|pipe| address(end, pipe)).collect::<Vec<_>>();
        Pair {
            now: Time::ZERO,
            a: Side::new(a, local(End::A), false, 1),
            z: Side::new(z, local(End::Z), true, 2),
            pipes: vec![Pipe { delay: Duration::from_millis(10), is_cut: false, drop_next: [0; 2] }; pipes],
            faults: Faults::default(),
            log: Vec::new(),
            flying: BinaryHeap::new(),
            sent: 0,
            chance: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// An open association over all pipes, with every path verified.
    pub fn open(config: Config, pipes: usize) -> Pair {
        let mut pair = Pair::new(config, pipes);
        pair.connect();
        pair.run_for(Duration::from_secs(5));
        assert!(pair.a.events.contains(&Event::Connected), "A opened: {:?}", pair.log);
        assert!(pair.z.events.contains(&Event::Connected), "Z opened: {:?}", pair.log);
        pair.log.clear();
        pair.a.events.clear();
        pair.z.events.clear();
        pair
    }

    /// A begins to open the association.
    pub fn connect(&mut self) {
        let remotes: Vec<SocketAddr> = (0..self.pipes.len()).map(|pipe| address(End::Z, pipe)).collect();
        self.a.id = Some(self.a.endpoint.connect(&remotes).expect("addresses of one version"));
        self.settle(End::A);
    }

    /// Where chance begins.
    pub fn seed(&mut self, seed: u64) {
        self.chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    }

    pub fn side(&mut self, end: End) -> &mut Side {
        match end {
            End::A => &mut self.a,
            End::Z => &mut self.z,
        }
    }

    /// The association of an end.
    pub fn at(&mut self, end: End) -> &mut Association {
        let side = self.side(end);
        let id = side.id.expect("there is an association");
        side.endpoint.association_mut(id).expect("nobody removed it")
    }

    /// Sends a message of `length` bytes on stream 0.
    pub fn send(&mut self, end: End, length: usize) {
        self.try_send(end, 0, false, Bytes::from(vec![7; length])).expect("there is room");
    }

    pub fn try_send(
        &mut self,
        end: End,
        stream: u16,
        unordered: bool,
        payload: Bytes,
    ) -> Result<(), SendError> {
        let now = self.now;
        let message = Outgoing { stream: StreamId::new(stream), ppid: Ppid::new(0), unordered, payload };
        let result = self.at(end).send(now, message);
        self.settle(end);
        result
    }

    /// All messages that wait at an end.
    pub fn receive(&mut self, end: End) -> Vec<Message> {
        let mut messages = Vec::new();
        if self.side(end).id.is_some() {
            while let Some(message) = self.at(end).receive() {
                messages.push(message);
            }
            self.settle(end);
        }
        messages
    }

    pub fn close(&mut self, end: End) {
        let now = self.now;
        self.at(end).close(now);
        self.settle(end);
    }

    pub fn abort(&mut self, end: End, why: &str) {
        self.at(end).abort(why);
        self.settle(end);
    }

    /// The next packet from `end` on `pipe` is lost.
    pub fn drop_next(&mut self, end: End, pipe: usize) {
        self.pipes[pipe].drop_next[end as usize] += 1;
    }

    /// Puts a packet of the test's own on the wire.
    pub fn inject(&mut self, to: End, pipe: usize, bytes: Vec<u8>) {
        self.fly(to, pipe, Bytes::from(bytes), Duration::ZERO);
    }

    /// Lets `span` pass.
    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(at) = self.next_event().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.step();
        }
        self.now = end;
    }

    /// Lets time pass until `is_done`, or until `span` is over; whether it was done.
    pub fn run_until(&mut self, span: Duration, mut is_done: impl FnMut(&mut Pair) -> bool) -> bool {
        let end = self.now + span;
        while !is_done(self) {
            match self.next_event().filter(|at| *at <= end) {
                Some(at) => self.now = self.now.max(at),
                None => {
                    self.now = end;
                    return is_done(self);
                }
            }
            self.step();
        }
        true
    }

    /// When the next packet arrives or the next timer expires.
    pub fn next_event(&self) -> Option<Time> {
        let packet = self.flying.peek().map(|Reverse(flying)| flying.at);
        let timers = [self.a.endpoint.poll_timeout(), self.z.endpoint.poll_timeout()];
        packet.into_iter().chain(timers.into_iter().flatten()).min()
    }

    /// Why the association of an end is over, if it is.
    pub fn closed(&mut self, end: End) -> Option<CloseReason> {
        self.side(end).events.iter().find_map(|event| match event {
            Event::Closed(reason) => Some(reason.clone()),
            _ => None,
        })
    }

    /// The log since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    fn step(&mut self) {
        if let Some(Reverse(flying)) = self.flying.peek()
            && flying.at <= self.now
        {
            let Reverse(flying) = self.flying.pop().expect("it was just there");
            if !self.pipes[flying.pipe].is_cut {
                self.arrive(flying);
            }
            return;
        }
        for end in [End::A, End::Z] {
            let now = self.now;
            if self.side(end).endpoint.poll_timeout().is_some_and(|due| due <= now) {
                self.side(end).endpoint.handle_timeout(now);
                self.settle(end);
            }
        }
    }

    fn arrive(&mut self, flying: Flying) {
        let now = self.now;
        let arrival = Arrival {
            local: address(flying.to, flying.pipe),
            remote: address(flying.to.other(), flying.pipe),
            ecn: Ecn::NotCapable,
            bytes: flying.bytes,
        };
        self.side(flying.to).endpoint.handle(now, &arrival);
        self.settle(flying.to);
    }

    /// Sends what an end wants to send and collects what it tells.
    pub fn settle(&mut self, end: End) {
        let now = self.now;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let Some(departure) = self.side(end).endpoint.poll_transmit(now, &mut bytes, 4) else { break };
            let pipe = pipe_of(departure.local);
            assert_eq!(departure.remote, address(end.other(), pipe), "paths lead through their own pipe");
            for segment in bytes.chunks(departure.transmit.segment_size) {
                self.leave(end, pipe, &Bytes::copy_from_slice(segment));
            }
        }
        let side = self.side(end);
        while let Some((id, event)) = side.endpoint.poll_event() {
            side.id.get_or_insert(id);
            if side.id == Some(id) {
                side.events.push(event);
            }
        }
    }

    fn leave(&mut self, from: End, pipe: usize, bytes: &Bytes) {
        self.log.push(describe(from, pipe, self.pipes.len(), bytes));
        let planned = &mut self.pipes[pipe].drop_next[from as usize];
        if *planned > 0 {
            *planned -= 1;
            return;
        }
        let faults = self.faults;
        if self.pipes[pipe].is_cut || self.happens(faults.loss) {
            return;
        }
        let copies = 1 + usize::from(self.happens(faults.duplication));
        for _ in 0..copies {
            let mut bytes = bytes.clone();
            if self.happens(faults.corruption) {
                let mut spoilt = bytes.to_vec();
                let at = (self.random() % spoilt.len() as u64) as usize;
                spoilt[at] ^= 1 << (self.random() % 8);
                bytes = Bytes::from(spoilt);
            }
            let late = Duration::from_nanos(self.random() % (faults.jitter.as_nanos() + 1));
            self.fly(from.other(), pipe, bytes, self.pipes[pipe].delay + late);
        }
    }

    fn fly(&mut self, to: End, pipe: usize, bytes: Bytes, delay: Duration) {
        self.sent += 1;
        self.flying.push(Reverse(Flying { at: self.now + delay, order: self.sent, to, pipe, bytes }));
    }

    fn happens(&mut self, thousandths: u32) -> bool {
        self.random() % 1000 < u64::from(thousandths)
    }

    /// Xorshift: the test's own chance, apart from all the endpoints'.
    pub fn random(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
    }
}

impl Side {
    fn new(association: Config, local: Vec<SocketAddr>, accepts: bool, seed: u64) -> Side {
        let registry = Registry::standard();
        let config =
            EndpointConfig { association, registry, port: PORT, accepts, local, max_associations: 8 };
        let endpoint = Endpoint::new(config, Seed::from_number(seed)).expect("sound settings");
        Side { endpoint, id: None, events: Vec::new() }
    }
}

/// The address of an end on a pipe.
pub fn address(end: End, pipe: usize) -> SocketAddr {
    let host = match end {
        End::A => 1,
        End::Z => 2,
    };
    SocketAddr::from(([10, 0, pipe as u8, host], PORT))
}

/// The paths in order.
pub fn path(index: usize) -> PathId {
    PathId::from_index(index)
}

fn pipe_of(local: SocketAddr) -> usize {
    match local {
        SocketAddr::V4(local) => usize::from(local.ip().octets()[2]),
        SocketAddr::V6(_) => panic!("the pair speaks IPv4"),
    }
}

/// `A -> INIT -> Z`, with the pipe's number if there are several: `A -2> SACK -2> Z`.
fn describe(from: End, pipe: usize, pipes: usize, bytes: &[u8]) -> String {
    let packet = match Packet::decode(bytes, Checksum::Crc32c) {
        Ok(packet) => packet,
        Err(error) => return format!("{from:?} -> {error}"),
    };
    let chunks: Vec<String> =
        packet.chunks().map(|chunk| chunk.map_or_else(|e| e.to_string(), |c| name(&c))).collect();
    let arrow = if pipes > 1 { format!("-{}>", pipe + 1) } else { "->".to_owned() };
    format!("{from:?} {arrow} {} {arrow} {:?}", chunks.join(" + "), from.other())
}

fn name(chunk: &Chunk<'_>) -> String {
    let name = match chunk {
        Chunk::Data(_) => "DATA",
        Chunk::Init(_) => "INIT",
        Chunk::InitAck(_) => "INIT-ACK",
        Chunk::Sack(_) => "SACK",
        Chunk::Heartbeat(_) => "HEARTBEAT",
        Chunk::HeartbeatAck(_) => "HEARTBEAT-ACK",
        Chunk::Abort(_) => "ABORT",
        Chunk::Shutdown(_) => "SHUTDOWN",
        Chunk::ShutdownAck => "SHUTDOWN-ACK",
        Chunk::Error(_) => "ERROR",
        Chunk::CookieEcho(_) => "COOKIE-ECHO",
        Chunk::CookieAck => "COOKIE-ACK",
        Chunk::EcnEcho(_) => "ECNE",
        Chunk::CongestionWindowReduced(_) => "CWR",
        Chunk::ShutdownComplete(_) => "SHUTDOWN-COMPLETE",
        Chunk::ForwardTsn(_) => "FORWARD-TSN",
        Chunk::Unknown(_) => "UNKNOWN",
    };
    name.to_owned()
}
