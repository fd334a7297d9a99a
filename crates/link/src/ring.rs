//! The packets of one direction of a link in the order in which they came, each in one place from its arrival at the queue
//! until it has propagated: what happens to a packet moves a border, and no packet.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};

use crate::packet::{Damage, Packet};

/// First the packets that propagate, then the one in transmission, then those that wait for it.
#[derive(Debug)]
pub(crate) struct Ring<L> {
    places: VecDeque<Place<L>>,
    /// The number of propagating packets.
    travelling: usize,
}

/// A packet on a link.
#[derive(Debug)]
pub(crate) struct Place<L> {
    /// The packet.
    pub packet: Packet<L>,
    /// When it arrives, once it propagates; before, when its transmission began.
    pub at: Time,
    /// The fault; boxed, because few packets have one and all have the place for it.
    pub fault: Option<Box<Fault>>,
}

/// The fault of a packet that propagates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is a second copy.
    Duplicate,
    /// A bit changed.
    Damaged(Damage),
}

impl<L> Ring<L> {
    /// An empty ring.
    pub(crate) fn new() -> Ring<L> {
        Ring { places: VecDeque::new(), travelling: 0 }
    }

    /// A packet comes: it waits, or is in transmission from `now` on if none was.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: Packet<L>) {
        self.places.push_back(Place { packet, at: now, fault: None });
    }

    /// The packet in transmission propagates, and arrives at `at`.
    #[inline]
    pub(crate) fn launch(&mut self, at: Time) {
        if let Some(place) = self.places.get_mut(self.travelling) {
            place.at = at;
            self.travelling += 1;
        }
    }

    /// The packet that propagates last is damaged.
    pub(crate) fn damage(&mut self, damage: Damage) {
        let last = self.travelling.checked_sub(1).and_then(|last| self.places.get_mut(last));
        if let Some(place) = last {
            place.fault = Some(Box::new(Fault::Damaged(damage)));
        }
    }

    /// A second copy propagates behind all others, and arrives at `at`.
    pub(crate) fn insert_copy(&mut self, at: Time, packet: Packet<L>) {
        let fault = Some(Box::new(Fault::Duplicate));
        self.places.insert(self.travelling, Place { packet, at, fault });
        self.travelling += 1;
    }

    /// The first packet that waits is in transmission from `now` on. Returns its size; `None` if none waits.
    #[inline]
    pub(crate) fn begin(&mut self, now: Time) -> Option<ByteCount> {
        let place = self.places.get_mut(self.travelling)?;
        place.at = now;
        Some(place.packet.size)
    }

    /// The packet in transmission.
    #[inline]
    pub(crate) fn sending(&self) -> Option<&Place<L>> {
        self.places.get(self.travelling)
    }

    /// Returns true if a packet is in transmission.
    #[inline]
    pub(crate) fn is_sending(&self) -> bool {
        self.places.len() > self.travelling
    }

    /// Takes the packet in transmission.
    pub(crate) fn take_sending(&mut self) -> Option<Packet<L>> {
        self.places.remove(self.travelling).map(|place| place.packet)
    }

    /// Takes the packet in transmission and those that wait for it, in their order.
    pub(crate) fn take_untransmitted(&mut self) -> impl Iterator<Item = Packet<L>> + use<L> {
        self.places.split_off(self.travelling).into_iter().map(|place| place.packet)
    }

    /// The next packet that has arrived at `now`.
    #[inline]
    pub(crate) fn take_arrived(&mut self, now: Time) -> Option<Place<L>> {
        if self.next_arrival()? > now {
            return None;
        }
        self.travelling -= 1;
        self.places.pop_front()
    }

    /// When the next of those that propagate arrives.
    #[inline]
    pub(crate) fn next_arrival(&self) -> Option<Time> {
        if self.travelling == 0 { None } else { self.places.front().map(|place| place.at) }
    }

    /// The number of packets that propagate.
    pub(crate) fn travelling(&self) -> usize {
        self.travelling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    /// Packets with the numbers from 0 on, which came at the start.
    fn ring(count: u64) -> Ring<u64> {
        let mut ring = Ring::new();
        (0..count)
            .for_each(|number| ring.push(Time::ZERO, Packet::new(ByteCount::new(100 + number), number)));
        ring
    }

    fn arrivals(ring: &mut Ring<u64>, now: u64) -> Vec<(u64, Option<Fault>)> {
        let arrived = std::iter::from_fn(|| ring.take_arrived(at(now)));
        arrived.map(|place| (place.packet.load, place.fault.map(|fault| *fault))).collect()
    }

    #[test]
    fn packets_arrive_in_their_order_when_they_have_propagated() {
        let mut ring = ring(3);
        assert_eq!((ring.next_arrival(), ring.sending().map(|place| place.at)), (None, Some(at(0))));
        ring.launch(at(10));
        assert_eq!(ring.begin(at(2)), Some(ByteCount::new(101)));
        ring.launch(at(12));
        assert_eq!((ring.travelling(), ring.is_sending(), ring.next_arrival()), (2, true, Some(at(10))));
        assert_eq!(arrivals(&mut ring, 9), []);
        assert_eq!(arrivals(&mut ring, 12), [(0, None), (1, None)]);
        assert_eq!((ring.next_arrival(), ring.begin(at(12))), (None, Some(ByteCount::new(102))));
    }

    #[test]
    fn a_lost_packet_leaves_its_place_to_the_next_one() {
        let mut ring = ring(3);
        ring.launch(at(10));
        assert_eq!(ring.take_sending().map(|packet| packet.load), Some(1));
        ring.launch(at(11));
        assert_eq!((ring.is_sending(), ring.begin(at(12))), (false, None));
        assert_eq!(arrivals(&mut ring, 11), [(0, None), (2, None)]);
    }

    #[test]
    fn what_is_not_transmitted_is_taken_in_order_and_the_rest_arrives() {
        let mut ring = ring(4);
        ring.launch(at(10));
        let taken: Vec<u64> = ring.take_untransmitted().map(|packet| packet.load).collect();
        assert_eq!((taken, ring.is_sending()), (vec![1, 2, 3], false));
        assert_eq!(arrivals(&mut ring, 10), [(0, None)]);
    }

    #[test]
    fn a_copy_follows_its_packet_and_damage_is_that_of_one() {
        let mut ring = ring(2);
        ring.launch(at(10));
        ring.damage(Damage(7));
        ring.insert_copy(at(10), Packet::new(ByteCount::new(100), 0));
        ring.launch(at(11));
        let expected = [(0, Some(Fault::Damaged(Damage(7)))), (0, Some(Fault::Duplicate)), (1, None)];
        assert_eq!(arrivals(&mut ring, 11), expected);
    }
}
