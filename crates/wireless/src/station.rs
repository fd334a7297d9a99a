//! A station: what it hears, what it contends for, the exchange of frames that it is in, and what it holds.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_link::fabric::Station as Number;
use anabranch_link::queue::{self, LineView, Queue, Taken};
use anabranch_link::{Packet, Payload, Random};

use crate::config::RadioConfig;
use crate::contention::Contention;
use crate::datagram::{Content, Datagram, RouteRequest};
use crate::dsr::Router;
use crate::frame::Frame;
use crate::retry::Retries;
use crate::seen::StationCounters;

/// A station of a mesh.
#[derive(Debug)]
pub struct Station<L> {
    /// Whether it is there: an absent one neither sends nor hears.
    pub is_present: bool,
    /// Its back-off.
    pub contention: Contention,
    /// The transmissions that it hears now.
    pub arrivals: Vec<Arrival>,
    /// Its own transmission.
    pub sending: Option<usize>,
    /// Since when it neither hears nor sends anything, if it does not.
    pub idle_from: Time,
    /// Until when others have reserved the medium.
    pub nav: Time,
    /// When the NAV was set by an RTS, and to what; `None` where another frame set it last.
    pub rts_nav: Option<(Time, Time)>,
    /// When a transmission last began within hearing.
    pub last_start: Time,
    /// Before this it does not count slots: after a frame with errors, or after an attempt of its own that failed.
    pub held_until: Time,
    /// The frame that it sends next or waits for the answer of.
    pub current: Option<Outgoing<L>>,
    /// The answer that it waits for.
    pub awaited: Option<Awaited>,
    /// The frame that it sends after SIFS.
    pub answer: Option<Frame>,
    /// Its packets of DSR, which go first.
    pub urgent: VecDeque<Body<L>>,
    /// Its packets of flows.
    pub queue: Box<dyn Queue<Datagram<L>>>,
    /// Its routes.
    pub router: Router<L>,
    /// Its draws.
    pub random: Random,
    /// What it counted.
    pub counters: StationCounters,
    /// The time-out of an answer with an older number is stale.
    pub timeout_number: u32,
    sequence: u16,
}

/// A transmission that a station hears.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Which.
    pub transmission: usize,
    /// Its power.
    pub power: f64,
    /// Whether the station is in its range.
    pub receives: bool,
    /// Whether nothing has destroyed it so far.
    pub is_intact: bool,
}

/// A frame that a station contends for.
#[derive(Clone, Debug)]
pub struct Outgoing<L> {
    /// What it carries.
    pub body: Body<L>,
    /// The station that it is for; `None` for a broadcast.
    pub to: Option<Number>,
    /// Its bytes, from the MAC header to the FCS.
    pub size: ByteCount,
    /// Whether it is above the RTS threshold.
    pub is_long: bool,
    /// Its failed attempts.
    pub retries: Retries,
    /// Whether it was sent before.
    pub is_retry: bool,
    /// The number of the packet.
    pub sequence: u16,
}

/// What a frame carries.
#[derive(Clone, Debug)]
pub enum Body<L> {
    /// A packet for the next station on its route.
    Datagram(Datagram<L>),
    /// A route request for all.
    Request(RouteRequest),
}

/// The answer that a station waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The CTS for its RTS.
    Cts,
    /// The ACK for its frame.
    Ack,
}

impl<L: Payload + 'static> Station<L> {
    /// A station whose draws come from `seed`.
    pub fn new(config: &RadioConfig, seed: &Seed) -> Station<L> {
        Station {
            is_present: true,
            contention: Contention::new(config),
            arrivals: Vec::new(),
            sending: None,
            idle_from: Time::ZERO,
            nav: Time::ZERO,
            rts_nav: None,
            last_start: Time::ZERO,
            held_until: Time::ZERO,
            current: None,
            awaited: None,
            answer: None,
            urgent: VecDeque::new(),
            queue: queue::build(&config.queue, &seed.child("queue")),
            router: Router::default(),
            random: Random::new(&seed.child("draws")),
            counters: StationCounters::default(),
            timeout_number: 0,
            sequence: 0,
        }
    }

    /// Whether it senses a transmission or sends.
    pub fn is_busy(&self) -> bool {
        self.sending.is_some() || !self.arrivals.is_empty()
    }

    /// From when on slots count while it senses nothing: DIFS after the medium and the NAV, and not before it may.
    pub fn counts_from(&self, difs: Duration) -> Time {
        (self.idle_from.max(self.nav) + difs).max(self.held_until)
    }

    /// The next frame to contend for; `None` if nothing waits. Packets that the queue refuses go to `refused`.
    pub fn take_next(&mut self, line: LineView, refused: &mut Vec<Datagram<L>>) -> Option<Body<L>> {
        if let Some(body) = self.urgent.pop_front() {
            return Some(body);
        }
        loop {
            match self.queue.take(line)? {
                Taken::Next(packet) => return Some(Body::Datagram(unwrapped(packet))),
                Taken::Refused(packet) => refused.push(packet.load),
            }
        }
    }

    /// Takes the packets that wait for `next` and carry their route. The others stay, in their order; a queue with a
    /// discipline sees them arrive anew, and those that it refuses now go to `refused`.
    pub fn take_waiting_for(
        &mut self,
        next: Number,
        line: LineView,
        refused: &mut Vec<Datagram<L>>,
    ) -> Vec<Datagram<L>> {
        let is_for = |datagram: &Datagram<L>| datagram.has_header && datagram.next() == Some(next);
        let mut taken = Vec::new();
        for body in std::mem::take(&mut self.urgent) {
            match body {
                Body::Datagram(datagram) if is_for(&datagram) => taken.push(datagram),
                body => self.urgent.push_back(body),
            }
        }
        let waiting: Vec<_> = std::iter::from_fn(|| self.queue.discard()).collect();
        for packet in waiting {
            if is_for(&packet.load) {
                taken.push(unwrapped(packet));
            } else if let Err(packet) = self.queue.offer(line, packet) {
                refused.push(packet.load);
            }
        }
        while let Some(packet) = self.queue.shed() {
            refused.push(packet.load);
        }
        taken
    }

    /// The number of a new packet of its own.
    pub fn next_sequence(&mut self) -> u16 {
        self.sequence = self.sequence.wrapping_add(1) & 0x0fff;
        self.sequence
    }
}

/// A packet as the queue sees it: with the size of its frame and the mark that the flow's packet can bear.
pub fn wrapped<L>(datagram: Datagram<L>, size: ByteCount) -> Packet<Datagram<L>> {
    let ecn = match &datagram.content {
        Content::Flow(packet) => packet.ecn,
        _ => anabranch_base::Ecn::NotEct,
    };
    Packet { ecn, ..Packet::new(size, datagram) }
}

/// Its content, with the mark that the queue gave it.
pub fn unwrapped<L>(packet: Packet<Datagram<L>>) -> Datagram<L> {
    let mut datagram = packet.load;
    if let Content::Flow(inner) = &mut datagram.content {
        inner.ecn = packet.ecn;
    }
    datagram
}
