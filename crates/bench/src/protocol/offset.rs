//! Measures the offset of two clocks by PINGs and PONGs over the association (RFC 5905 §8).

use anabranch_base::{Duration, Time};

/// The offset of the other end's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// The other end's clock minus the local one, in nanoseconds.
    pub nanos: i64,
    /// The possible error: half of the round-trip time of the measurement, reached if all of it was in one direction.
    pub error: Duration,
}

/// The PINGs answered so far.
#[derive(Clone, Debug, Default)]
pub struct Pings {
    best: Option<Offset>,
    answered: u32,
}

impl Pings {
    /// Records a PONG: sent at `asked` and received at `heard` by the local clock, answered at `answered` by the
    /// other's. The sample with the shortest round trip is kept, because it bounds the error best.
    pub(crate) fn on_pong(&mut self, asked: Time, answered: Time, heard: Time) {
        let error = heard.since(asked) / 2;
        let middle = i128::from(asked.as_nanos()) + i128::from(error.as_nanos());
        let difference = i128::from(answered.as_nanos()) - middle;
        let nanos = i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX });
        self.answered += 1;
        if self.best.is_none_or(|best| error < best.error) {
            self.best = Some(Offset { nanos, error });
        }
    }

    /// The number of answered PINGs.
    pub fn answered(&self) -> u32 {
        self.answered
    }

    /// The offset of the best sample; zero if both ends read the clock of one machine and no sample contradicts it.
    pub fn offset(&self, ours: u64, theirs: u64) -> Offset {
        let best = self.best.unwrap_or_default();
        let is_one_clock = ours == theirs && best.nanos.unsigned_abs() <= best.error.as_nanos();
        if is_one_clock { Offset::default() } else { best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn the_shortest_round_trip_tells_the_difference_and_its_error() {
        let mut pings = Pings::default();
        pings.on_pong(at(1_000), at(5_900), at(2_000));
        pings.on_pong(at(3_000), at(7_100), at(3_200));
        pings.on_pong(at(4_000), at(9_900), at(6_000));
        let expected = Offset { nanos: 4_000, error: Duration::from_nanos(100) };
        assert_eq!((pings.offset(1, 2), pings.answered()), (expected, 3));
    }

    #[test]
    fn a_clock_may_be_behind_and_absurd() {
        let mut pings = Pings::default();
        pings.on_pong(at(u64::MAX - 10), at(0), at(u64::MAX));
        assert_eq!(pings.offset(1, 2).nanos, i64::MIN);
    }

    #[test]
    fn one_machine_has_one_clock_unless_the_answers_refute_it() {
        let mut pings = Pings::default();
        pings.on_pong(at(1_000), at(1_900), at(2_000));
        assert_eq!(pings.offset(1, 1), Offset::default());
        assert_eq!(pings.offset(1, 2).nanos, 400);
        let mut pings = Pings::default();
        pings.on_pong(at(1_000), at(9_000), at(2_000));
        assert_eq!(pings.offset(1, 1).nanos, 7_500, "a time namespace");
    }
}
