//! Messages with exponential times between them.

use anabranch_base::{ByteCount, Time};
use anabranch_link::Random;
use anabranch_scenario::model::Messages;

use super::{TrafficSource, evenly};

/// A Poisson process of messages.
#[derive(Debug)]
pub struct Poisson {
    messages: Messages,
    last: Time,
    random: Random,
}

impl Poisson {
    /// A process that begins at `start`; its first message is later.
    pub fn new(messages: Messages, start: Time, random: Random) -> Poisson {
        Poisson { messages, last: start, random }
    }
}

impl TrafficSource for Poisson {
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)> {
        self.last += self.random.exponential(evenly(self.messages, 1));
        Some((self.last.max(now), self.messages.size))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A_MILLISECOND_EACH, moments};
    use super::*;
    use anabranch_base::Seed;

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
}
