//! Limits the wake-ups of the links' thread under load, so that several packets are received and sent at a time: a
//! sleep and the wake-up of another program cost as much as many packets.

use anabranch_base::{Duration, Time};

/// The last turn of the thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    began: Time,
    /// The packets received or sent.
    packets: usize,
}

impl Pace {
    /// A turn that begins at `began`.
    pub(crate) fn of_turn(began: Time) -> Pace {
        Pace { began, packets: 0 }
    }

    /// Adds packets received or sent in the turn.
    pub(crate) fn on_packets(&mut self, count: usize) {
        self.packets += count;
    }

    /// The time to sleep before the next turn, regardless of arrivals and due packets.
    pub(crate) fn rest(&self, now: Time) -> Option<Duration> {
        let rest = (self.began + TURN).since(now);
        (self.packets >= MANY && rest >= LEAST).then_some(rest)
    }
}

/// The time from the beginning of a turn with many packets to the next one, by which a packet may be read or sent
/// late. A machine that is slow to wake up adds twenty microseconds.
const TURN: Duration = Duration::from_micros(30);
/// The fewest packets of a turn after which waiting for more is worthwhile.
const MANY: usize = 3;
/// The shortest sleep: a shorter one would take longer than requested.
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
