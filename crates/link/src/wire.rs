//! Packets in propagation: transmitted, but not yet at the other end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use anabranch_base::{Duration, Time};

use crate::config::{Delay, Jitter};
use crate::packet::{Damage, Packet};

/// Packets in propagation.
#[derive(Debug)]
pub struct Wire<L> {
    delay: Delay,
    travelling: Travelling<L>,
}

/// A packet in propagation.
#[derive(Debug)]
pub struct Traveller<L> {
    /// The packet.
    pub packet: Packet<L>,
    /// Whether it is a second copy.
    pub is_duplicate: bool,
    /// The damage to it.
    pub damage: Option<Damage>,
}

#[derive(Debug)]
enum Travelling<L> {
    /// No packet overtakes another.
    InOrder { last: Time, queue: VecDeque<(Time, Traveller<L>)> },
    /// Each packet arrives at its own time; equal times in order of departure.
    AsTheyCome { is_free: bool, count: u64, heap: BinaryHeap<Reverse<InFlight<L>>> },
}

#[derive(Debug)]
struct InFlight<L> {
    at: Time,
    number: u64,
    traveller: Traveller<L>,
}

impl<L> Wire<L> {
    /// An empty wire; `reorder` says whether packets may overtake each other, and with normal `jitter` one may arrive as soon as
    /// it is transmitted.
    pub fn new(delay: Delay, reorder: bool, jitter: Jitter) -> Wire<L> {
        let travelling = match reorder {
            false => Travelling::InOrder { last: Time::ZERO, queue: VecDeque::new() },
            true => Travelling::AsTheyCome {
                is_free: matches!(jitter, Jitter::Normal(_)),
                count: 0,
                heap: BinaryHeap::new(),
            },
        };
        Wire { delay, travelling }
    }

    /// Changes the delay of packets that are sent from now on.
    pub fn change(&mut self, delay: Delay) {
        self.delay = delay;
    }

    /// A packet was transmitted at `at`, and takes `span` from there.
    pub fn send(&mut self, at: Time, span: Duration, traveller: Traveller<L>) {
        let arrival = at + span;
        match &mut self.travelling {
            Travelling::InOrder { last, queue } => {
                *last = arrival.max(*last);
                queue.push_back((*last, traveller));
            }
            Travelling::AsTheyCome { count, heap, .. } => {
                *count += 1;
                heap.push(Reverse(InFlight { at: arrival, number: *count, traveller }));
            }
        }
    }

    /// The next packet that has arrived at `now`.
    pub fn take(&mut self, now: Time) -> Option<Traveller<L>> {
        match &mut self.travelling {
            Travelling::InOrder { queue, .. } => {
                queue.pop_front_if(|(at, _)| *at <= now).map(|(_, traveller)| traveller)
            }
            Travelling::AsTheyCome { heap, .. } => {
                let is_there = heap.peek().is_some_and(|Reverse(entry)| entry.at <= now);
                if is_there { heap.pop().map(|Reverse(entry)| entry.traveller) } else { None }
            }
        }
    }

    /// When the next of these packets arrives.
    pub fn next_arrival(&self) -> Option<Time> {
        match &self.travelling {
            Travelling::InOrder { queue, .. } => queue.front().map(|(at, _)| *at),
            Travelling::AsTheyCome { heap, .. } => heap.peek().map(|Reverse(entry)| entry.at),
        }
    }

    /// The earliest time at which a packet can arrive whose transmission ends at `end` or later.
    pub fn earliest_arrival(&self, end: Time) -> Time {
        let alone = end + self.delay_at(end);
        match (&self.travelling, &self.delay) {
            (Travelling::InOrder { last, .. }, _) => alone.max(*last),
            (Travelling::AsTheyCome { is_free: false, .. }, Delay::Fixed(_)) => alone,
            // The delay may be less for the next packet, or decrease before its transmission ends, so that it overtakes this one.
            (Travelling::AsTheyCome { .. }, _) => end,
        }
    }

    /// The number of packets in propagation.
    pub fn len(&self) -> usize {
        match &self.travelling {
            Travelling::InOrder { queue, .. } => queue.len(),
            Travelling::AsTheyCome { heap, .. } => heap.len(),
        }
    }

    /// The delay of a packet whose transmission ends at `at`, without jitter.
    pub fn delay_at(&self, at: Time) -> Duration {
        self.delay.at(at)
    }
}

impl<L> PartialEq for InFlight<L> {
    fn eq(&self, other: &InFlight<L>) -> bool {
        (self.at, self.number) == (other.at, other.number)
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
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}
