//! What is to happen when. Of what happens at one time, frames end first; then come time-outs and routing; then stations
//! begin to send. So a station whose back-off ends as another begins to send does not hear it yet, and sends too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anabranch_base::Time;
use anabranch_link::fabric::Station;

use crate::datagram::RouteRequest;

/// Something that is to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The frame at this place of the air ends.
    End(usize),
    /// A station has waited in vain for an answer; stale if it has begun another wait since.
    Timeout(Station, u32),
    /// A station looks whether the RTS that it heard at this time was followed by anything.
    Nav(Station, Time),
    /// A station passes a route request on.
    Relay(Station, Box<RouteRequest>),
    /// A station asks for a route again.
    Discovery(Station, Station),
    /// A packet may have waited too long for a route.
    Expiry(Station),
    /// A station answers a frame.
    Answer(Station),
    /// A station's back-off ends, unless it was frozen.
    Access(Station),
}

/// All that is to happen, in order.
#[derive(Debug, Default)]
pub struct Wakes {
    heap: BinaryHeap<Reverse<Entry>>,
    count: u64,
}

#[derive(Debug)]
struct Entry {
    at: Time,
    class: u8,
    number: u64,
    wake: Wake,
}

impl Wakes {
    /// `wake` is to happen at `at`.
    pub fn add(&mut self, at: Time, wake: Wake) {
        self.count += 1;
        self.heap.push(Reverse(Entry { at, class: wake.class(), number: self.count, wake }));
    }

    /// Takes the next that is due.
    pub fn take(&mut self, now: Time) -> Option<Wake> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry.wake)
    }

    /// When the next is due.
    pub fn next(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }
}

impl Wake {
    fn class(&self) -> u8 {
        match self {
            Wake::End(_) => 0,
            Wake::Timeout(..) | Wake::Nav(..) | Wake::Relay(..) | Wake::Discovery(..) | Wake::Expiry(_) => 1,
            Wake::Answer(_) => 2,
            Wake::Access(_) => 3,
        }
    }
}

impl Entry {
    fn key(&self) -> (Time, u8, u64) {
        (self.at, self.class, self.number)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_one_time_frames_end_before_stations_send() {
        let mut wakes = Wakes::default();
        let at = Time::from_nanos(5);
        let number = Station::new(1);
        wakes.add(at, Wake::Access(number));
        wakes.add(at, Wake::Answer(number));
        wakes.add(at, Wake::Timeout(number, 1));
        wakes.add(at, Wake::End(0));
        wakes.add(Time::from_nanos(4), Wake::Access(number));
        let order: Vec<u8> = std::iter::from_fn(|| wakes.take(at)).map(|wake| wake.class()).collect();
        assert_eq!(order, [3, 0, 1, 2, 3]);
    }
}
