//! Messages with exponential times between them.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::Random;
use anabranch_scenario::model::Messages;

use super::{TrafficSource, evenly};

/// A Poisson process of messages.
#[derive(Debug)]
pub(super) struct Poisson {
    messages: Messages,
    last: Time,
    /// The difference between `last` and the exact time, in [`PARTS`] of a nanosecond.
    rest: u64,
    random: Random,
}

impl Poisson {
    /// A process that begins at `start`; its first message is later.
    pub(super) fn new(messages: Messages, start: Time, random: Random) -> Poisson {
        Poisson { messages, last: start, rest: 0, random }
    }
}

impl TrafficSource for Poisson {
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)> {
        let gap = evenly(self.messages, 1);
        if gap < SHORT {
            let parts = self.rest + self.random.exponential(evenly(self.messages, PARTS)).as_nanos();
            (self.last, self.rest) = (self.last + Duration::from_nanos(parts / PARTS), parts % PARTS);
        } else {
            self.last += self.random.exponential(gap);
        }
        Some((self.last.max(now), self.messages.size))
    }
}

/// Shorter means are drawn in parts of a nanosecond: whole ones would change their rate, and one below a nanosecond would be
/// no time at all, in which a run never ends.
const SHORT: Duration = Duration::from_micros(1);
const PARTS: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::super::tests::{A_MILLISECOND_EACH, moments};
    use super::*;
    use anabranch_base::{BitRate, Seed};

    #[test]
    fn the_mean_and_the_spread_of_the_times_between_are_equal() {
        let random = Random::new(&Seed::from_number(1));
        let moments = moments(&mut Poisson::new(A_MILLISECOND_EACH, Time::ZERO, random), 100_001);
        let gaps: Vec<f64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // Five standard errors of 100,000 samples: of the mean 5 / √n = 1.6 %, of the variance 5 √8 / √n = 4.5 %.
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
        assert!((variance - 1.0).abs() < 0.045, "{variance}");
    }

    #[test]
    fn messages_of_less_than_a_nanosecond_keep_their_rate() {
        let rate = BitRate::from_mbps(10_000);
        let messages = Messages { rate, size: ByteCount::new(1) };
        let mut source = Poisson::new(messages, Time::ZERO, Random::new(&Seed::from_number(1)));
        let last = (0..100_000).filter_map(|_| source.next(Time::ZERO)).last().expect("messages").0;
        // 100,000 means of 0.8 ns; five standard errors.
        assert!((last.as_nanos() as f64 / 80_000.0 - 1.0).abs() < 0.016, "{last:?}");
    }
}
