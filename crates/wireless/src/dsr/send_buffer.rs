//! Packets that wait at their source for a route: at most 64, each for at most 30 s (M-DSR-1).

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};
use anabranch_link::Packet;
use anabranch_link::fabric::Station;

/// Packets without a route, in the order in which they came.
#[derive(Debug)]
pub struct SendBuffer<L> {
    waiting: VecDeque<Waiting<L>>,
}

/// A packet that waits for a route.
#[derive(Debug)]
struct Waiting<L> {
    packet: Packet<L>,
    /// Its destination.
    to: Station,
    /// Until when it waits.
    until: Time,
}

impl<L> Default for SendBuffer<L> {
    fn default() -> SendBuffer<L> {
        SendBuffer { waiting: VecDeque::new() }
    }
}

impl<L> SendBuffer<L> {
    /// Adds a packet; returns the oldest one if there were too many.
    pub fn add(&mut self, now: Time, packet: Packet<L>, to: Station) -> Option<Packet<L>> {
        self.waiting.push_back(Waiting { packet, to, until: now + LONGEST });
        if self.waiting.len() > MOST { self.waiting.pop_front().map(|oldest| oldest.packet) } else { None }
    }

    /// Takes the next packet whose destination `is_reachable`, with its destination.
    pub fn take_first(&mut self, is_reachable: impl Fn(Station) -> bool) -> Option<(Station, Packet<L>)> {
        let at = self.waiting.iter().position(|waiting| is_reachable(waiting.to))?;
        self.waiting.remove(at).map(|waiting| (waiting.to, waiting.packet))
    }

    /// Takes the next packet that has waited too long.
    pub fn take_expired(&mut self, now: Time) -> Option<Packet<L>> {
        let at = self.waiting.iter().position(|waiting| waiting.until <= now)?;
        self.waiting.remove(at).map(|waiting| waiting.packet)
    }

    /// Takes any packet.
    pub fn take_any(&mut self) -> Option<Packet<L>> {
        self.waiting.pop_front().map(|waiting| waiting.packet)
    }

    /// Whether a packet for `to` waits.
    pub fn has(&self, to: Station) -> bool {
        self.waiting.iter().any(|waiting| waiting.to == to)
    }

    /// Until when the packet that waits longest does.
    pub fn expires(&self) -> Option<Time> {
        self.waiting.iter().map(|waiting| waiting.until).min()
    }
}

const MOST: usize = 64;
const LONGEST: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    const TO: Station = Station::new(3);

    fn packet(number: u64) -> Packet<u64> {
        Packet::new(ByteCount::new(100), number)
    }

    #[test]
    fn the_oldest_packet_gives_way_and_old_ones_expire() {
        let mut buffer = SendBuffer::default();
        let at = |second| Time::ZERO + Duration::from_secs(second);
        for number in 0..64 {
            assert!(buffer.add(at(number), packet(number), TO).is_none());
        }
        assert_eq!(buffer.add(at(64), packet(64), TO).map(|oldest| oldest.load), Some(0));
        assert_eq!(buffer.expires(), Some(at(31)));
        assert_eq!(buffer.take_expired(at(31)).map(|packet| packet.load), Some(1));
        assert!(buffer.take_expired(at(31)).is_none());
        assert_eq!(buffer.waiting.len(), 63);
    }

    #[test]
    fn packets_for_one_destination_leave_in_their_order() {
        let mut buffer = SendBuffer::default();
        for (number, to) in [(1, 3), (2, 4), (3, 3)] {
            buffer.add(Time::ZERO, packet(number), Station::new(to));
        }
        let mut take = || buffer.take_first(|to| to == TO).map(|(_, packet)| packet.load);
        assert_eq!([take(), take(), take()], [Some(1), Some(3), None]);
        assert!(buffer.has(Station::new(4)) && !buffer.has(TO));
    }
}
