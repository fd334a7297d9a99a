//! Limits how often the thread of the links wakes up when there is much to carry, so that packets are received and sent
//! several at a time: a sleep and the wake-up of another program cost as much as many packets.

use anabranch_base::{Duration, Time};

/// What the last turn of the thread was.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    began: Time,
    /// Packets that came or left.
    packets: usize,
}

impl Pace {
    /// A turn begins.
    pub fn of_turn(began: Time) -> Pace {
        Pace { began, packets: 0 }
    }

    /// So many packets came or left in it.
    pub fn on_packets(&mut self, count: usize) {
        self.packets += count;
    }

    /// How long to sleep before the next turn, whatever arrives or is due.
    pub fn rest(&self, now: Time) -> Option<Duration> {
        let rest = (self.began + TURN).since(now);
        (self.packets >= MANY && rest >= LEAST).then_some(rest)
    }
}

/// From the beginning of a turn with many packets to the next one: so much later may a packet be read, or leave. A
/// machine that is slow to wake up adds twenty microseconds.
const TURN: Duration = Duration::from_micros(30);
/// Fewer packets in a turn are not worth waiting for more.
const MANY: usize = 3;
/// A shorter sleep takes longer than it says.
const LEAST: Duration = Duration::from_micros(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn a_turn_with_many_packets_is_followed_by_a_rest_and_one_with_few_by_none() {
        let mut pace = Pace::of_turn(at(1_000));
        pace.on_packets(MANY - 1);
        assert_eq!(pace.rest(at(1_010)), None);
        pace.on_packets(1);
        assert_eq!(pace.rest(at(1_010)), Some(TURN.saturating_sub(Duration::from_micros(10))));
    }

    #[test]
    fn a_turn_that_took_long_needs_no_rest() {
        let mut pace = Pace::of_turn(at(1_000));
        pace.on_packets(1_000);
        assert_eq!([1_036, 1_040, 9_000].map(|us| pace.rest(at(us))), [None; 3]);
    }
}
