//! Propagation: when a transmitted packet arrives, and the packets that may overtake one another meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anabranch_base::{Duration, Time};

use crate::config::{Delay, Jitter};
use crate::packet::Packet;
use crate::ring::{Fault, Place};

/// The delay, and which order packets keep.
#[derive(Debug)]
pub(crate) struct Wire<L> {
    delay: Delay,
    /// The latest arrival of those that keep their order.
    last: Time,
    overtaking: Option<Box<Overtaking<L>>>,
}

/// Packets of which each arrives at its own time; equal times in order of departure.
#[derive(Debug)]
pub(crate) struct Overtaking<L> {
    /// True if a packet may arrive as soon as it is transmitted.
    is_free: bool,
    count: u64,
    heap: BinaryHeap<Reverse<InFlight<L>>>,
}

#[derive(Debug)]
struct InFlight<L> {
    number: u64,
    place: Place<L>,
}

impl<L> Wire<L> {
    /// An empty wire; `reorder` says whether packets may overtake each other, and with normal `jitter` one may arrive as soon as
    /// it is transmitted.
    pub(crate) fn new(delay: Delay, reorder: bool, jitter: Jitter) -> Wire<L> {
        let is_free = matches!(jitter, Jitter::Normal(_));
        let overtaking = reorder.then(|| Box::new(Overtaking { is_free, count: 0, heap: BinaryHeap::new() }));
        Wire { delay, last: Time::ZERO, overtaking }
    }

    /// Changes the delay of packets that are sent from now on.
    pub(crate) fn change(&mut self, delay: Delay) {
        self.delay = delay;
    }

    /// When a packet that keeps its order arrives, which was transmitted at `at` and takes `span` from there.
    #[inline]
    pub(crate) fn arrival(&mut self, at: Time, span: Duration) -> Time {
        self.last = self.last.max(at + span);
        self.last
    }

    /// The packets that may overtake one another; `None` if all keep their order.
    pub(crate) fn overtaking(&mut self) -> Option<&mut Overtaking<L>> {
        self.overtaking.as_deref_mut()
    }

    /// When the next of the packets arrives that may overtake one another.
    #[inline]
    pub(crate) fn next_arrival(&self) -> Option<Time> {
        self.overtaking.as_ref()?.heap.peek().map(|Reverse(entry)| entry.place.at)
    }

    /// The earliest time at which a packet can arrive whose transmission ends at `end` or later.
    #[inline]
    pub(crate) fn earliest_arrival(&self, end: Time) -> Time {
        let alone = end + self.delay_at(end);
        match (&self.overtaking, &self.delay) {
            (None, _) => alone.max(self.last),
            (Some(overtaking), Delay::Fixed(_)) if !overtaking.is_free => alone,
            // The delay may be less for the next packet, or decrease before its transmission ends, so that it overtakes this one.
            (Some(_), _) => end,
        }
    }

    /// The number of packets that may overtake one another.
    pub(crate) fn len(&self) -> usize {
        self.overtaking.as_ref().map_or(0, |overtaking| overtaking.heap.len())
    }

    /// The delay of a packet whose transmission ends at `at`, without jitter.
    #[inline]
    pub(crate) fn delay_at(&self, at: Time) -> Duration {
        self.delay.at(at)
    }
}

impl<L> Overtaking<L> {
    /// A packet was transmitted, and arrives at `at`.
    pub(crate) fn send(&mut self, at: Time, packet: Packet<L>, fault: Option<Fault>) {
        self.count += 1;
        let place = Place { packet, at, fault: fault.map(Box::new) };
        self.heap.push(Reverse(InFlight { number: self.count, place }));
    }

    /// The next packet that has arrived at `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<Place<L>> {
        let is_there = self.heap.peek().is_some_and(|Reverse(entry)| entry.place.at <= now);
        if is_there { self.heap.pop().map(|Reverse(entry)| entry.place) } else { None }
    }
}

impl<L> InFlight<L> {
    fn key(&self) -> (Time, u64) {
        (self.place.at, self.number)
    }
}

impl<L> PartialEq for InFlight<L> {
    fn eq(&self, other: &InFlight<L>) -> bool {
        self.key() == other.key()
    }
}

impl<L> Eq for InFlight<L> {}

impl<L> PartialOrd for InFlight<L> {
    fn partial_cmp(&self, other: &InFlight<L>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<L> Ord for InFlight<L> {
    fn cmp(&self, other: &InFlight<L>) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
