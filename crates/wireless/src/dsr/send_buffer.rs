//! The packets that wait at their source for a route: 64, each until 30 s after it entered the mesh.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

/// Packets `T` that wait, the oldest first.
#[derive(Debug)]
pub(crate) struct SendBuffer<T> {
    waiting: VecDeque<Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T> {
    target: u16,
    expiry: Time,
    packet: T,
}

impl<T> Default for SendBuffer<T> {
    fn default() -> SendBuffer<T> {
        SendBuffer { waiting: VecDeque::new() }
    }
}

impl<T> SendBuffer<T> {
    /// A packet to `target` that entered the mesh at `entered` waits. Returns the packet that makes room for it.
    pub(crate) fn add(&mut self, target: u16, entered: Time, packet: T) -> Option<T> {
        let oldest = if self.waiting.len() == CAPACITY { self.waiting.pop_front() } else { None };
        self.waiting.push_back(Waiting { target, expiry: entered + PATIENCE, packet });
        oldest.map(|waiting| waiting.packet)
    }

    /// Takes the first packet that has waited for too long.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<T> {
        self.take(|waiting| waiting.expiry <= now)
    }

    /// Takes the first packet to `target`.
    pub(crate) fn take_for(&mut self, target: u16) -> Option<T> {
        self.take(|waiting| waiting.target == target)
    }

    /// Takes any packet.
    pub(crate) fn take_any(&mut self) -> Option<T> {
        self.take(|_| true)
    }

    /// Returns true if a packet waits for a route to `target`.
    pub(crate) fn waits_for(&self, target: u16) -> bool {
        self.waiting.iter().any(|waiting| waiting.target == target)
    }

    /// The stations to which packets wait, in order and each once.
    pub(crate) fn targets(&self) -> Vec<u16> {
        let mut targets: Vec<u16> = self.waiting.iter().map(|waiting| waiting.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// When a packet has waited for too long.
    pub(crate) fn next(&self) -> Option<Time> {
        self.waiting.iter().map(|waiting| waiting.expiry).min()
    }

    fn take(&mut self, is_it: impl Fn(&Waiting<T>) -> bool) -> Option<T> {
        let place = self.waiting.iter().position(is_it)?;
        self.waiting.remove(place).map(|waiting| waiting.packet)
    }
}

const CAPACITY: usize = 64;
/// The time a packet waits (RFC 4728 §9: `SendBufferTimeout`).
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_packet_makes_room_and_old_ones_expire() {
        let mut buffer = SendBuffer::default();
        for number in 0..64 {
            assert_eq!(buffer.add(number % 2, Time::ZERO, number), None);
        }
        assert_eq!(buffer.add(7, Time::ZERO + Duration::from_secs(1), 64), Some(0));
        assert_eq!(buffer.targets(), [0, 1, 7]);
        assert_eq!(buffer.take_for(0), Some(2));
        let half_a_minute = Time::ZERO + Duration::from_secs(30);
        assert_eq!(buffer.next(), Some(half_a_minute));
        let expired = std::iter::from_fn(|| buffer.take_expired(half_a_minute)).count();
        assert_eq!((expired, buffer.waits_for(7), buffer.waits_for(1)), (62, true, false));
    }
}
