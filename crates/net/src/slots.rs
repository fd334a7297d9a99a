//! Memory for datagrams that is used again as soon as nothing refers to it.

use std::collections::VecDeque;

use anabranch_base::ByteCount;
use bytes::{Bytes, BytesMut};

/// Each datagram lies in a slot of its own, less than twice as long as itself (or [`SMALLEST`]): one that is held keeps
/// no other in memory, however many the system received at once. Nothing is allocated once there are slots for all that
/// is held at a time; when there are too many, half of them are freed.
#[derive(Debug, Default)]
pub struct Slots {
    /// By their lengths: [`SMALLEST`], and each class twice the one before.
    rings: [Ring; CLASSES],
}

/// Slots of one length.
#[derive(Debug, Default)]
struct Ring {
    /// In the order in which they were used: the oldest is the first to be free again.
    slots: VecDeque<BytesMut>,
    /// Slots that are still held although many younger ones are not.
    stragglers: VecDeque<BytesMut>,
    /// For how many datagrams in a row half of the slots would have been enough.
    idle: usize,
}

impl Slots {
    /// A copy of a datagram, and how much memory it keeps alive.
    pub fn copy(&mut self, datagram: &[u8]) -> (Bytes, ByteCount) {
        let class = class_of(datagram.len());
        let Some(ring) = self.rings.get_mut(class) else {
            return (Bytes::copy_from_slice(datagram), ByteCount::of_len(datagram.len()));
        };
        let length = SMALLEST << class;
        (ring.copy(datagram, length), ByteCount::of_len(length))
    }

    /// How much memory there is.
    #[cfg(test)]
    fn size(&self) -> usize {
        (0..)
            .zip(&self.rings)
            .map(|(class, ring)| (ring.slots.len() + ring.stragglers.len()) * (SMALLEST << class))
            .sum()
    }
}

impl Ring {
    fn copy(&mut self, datagram: &[u8], length: usize) -> Bytes {
        let is_free = |slot: &mut BytesMut| slot.try_reclaim(length);
        self.slots.extend(self.stragglers.pop_front_if(is_free));
        self.stragglers.rotate_left(usize::from(!self.stragglers.is_empty()));
        let half = self.slots.len() / 2;
        let is_half_enough = self.slots.get_mut(half).is_some_and(is_free);
        self.shrink(half, is_half_enough);
        // The slot at half is free, so that the loop ends.
        while is_half_enough && let Some(held) = self.slots.pop_front_if(|slot| !is_free(slot)) {
            self.stragglers.push_back(held);
        }
        let oldest = self.slots.pop_front_if(is_free);
        let mut slot = oldest.unwrap_or_else(|| BytesMut::with_capacity(length));
        slot.extend_from_slice(datagram);
        let copy = slot.split().freeze();
        self.slots.push_back(slot);
        copy
    }

    /// Frees half of the slots when the younger half was enough for several turns of the ring.
    fn shrink(&mut self, half: usize, is_half_enough: bool) {
        self.idle = if is_half_enough && half >= FEWEST { self.idle + 1 } else { 0 };
        if self.idle > self.slots.len() * PATIENCE {
            self.slots.drain(..half);
            self.slots.shrink_to(half * 4);
            self.idle = 0;
        }
    }
}

/// The class whose slots hold `length` bytes.
fn class_of(length: usize) -> usize {
    let slots = length.div_ceil(SMALLEST).max(1).next_power_of_two();
    slots.trailing_zeros() as usize
}

/// The length of the smallest slots.
const SMALLEST: usize = 128;
/// The last class holds the longest possible datagram.
const CLASSES: usize = 10;
/// A ring of fewer slots than twice this is left as it is.
const FEWEST: usize = 64;
/// How many turns of the ring.
const PATIENCE: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_what_was_copied_and_lies_in_a_slot_less_than_twice_as_long() {
        let mut slots = Slots::default();
        for length in [0, 1, 127, 128, 129, 1_499, 2_048, 2_049, 65_507, 65_536, 65_537] {
            let datagram: Vec<u8> = (0..length).map(|number| number as u8).collect();
            let (copy, memory) = slots.copy(&datagram);
            assert_eq!(copy, datagram);
            let memory = memory.as_len();
            assert!(memory >= length && memory < (2 * length).max(SMALLEST + 1), "{length} B in {memory} B");
        }
    }

    #[test]
    fn a_slot_is_used_again_when_what_was_in_it_is_dropped_and_not_before() {
        let mut slots = Slots::default();
        let (first, _) = slots.copy(&[1; 1_400]);
        let place = first.as_ptr();
        let (second, _) = slots.copy(&[2; 1_400]);
        let part = first.slice(100..200);
        drop(first);
        let (third, _) = slots.copy(&[3; 1_400]);
        assert_eq!((part, second), (Bytes::from(vec![1; 100]), Bytes::from(vec![2; 1_400])));
        // Its turn comes again behind the others.
        drop(third);
        let places: Vec<_> = (0..3).map(|_| slots.copy(&[4; 1_400]).0.as_ptr()).collect();
        assert!(places.contains(&place));
        assert_eq!(slots.size(), 3 * 2_048);
    }

    #[test]
    fn one_datagram_that_is_held_holds_up_no_other() {
        let mut slots = Slots::default();
        let held: Vec<Bytes> = (0..1_000).map(|_| slots.copy(&[0; 1_400]).0).step_by(44).collect();
        (0..10_000).for_each(|_| drop(slots.copy(&[1; 1_400])));
        assert!(held.iter().all(|datagram| datagram == &vec![0; 1_400]));
        assert!(slots.size() < 4 * FEWEST * 2_048, "{} B", slots.size());
    }

    #[test]
    fn slots_of_a_burst_are_given_back_in_the_turns_after_it() {
        let mut slots = Slots::default();
        let burst: Vec<Bytes> = (0..10_000).map(|_| slots.copy(&[0; 1_400]).0).collect();
        assert_eq!(slots.size(), 10_000 * 2_048);
        drop(burst);
        (0..100_000).for_each(|_| drop(slots.copy(&[1; 1_400])));
        assert!(slots.size() < 4 * FEWEST * 2_048, "{} B", slots.size());
    }
}
