//! Losses in bursts of limited duration.

use std::ops::Range;

use anabranch_base::{Duration, Time};

use super::{LossModel, PacketInfo};
use crate::random::Random;

/// After a first loss, all packets are lost for a time that is drawn uniformly up to `duration`.
#[derive(Debug)]
pub(super) struct Burst {
    probability: f64,
    duration: Duration,
    until: Time,
    random: Random,
}

impl Burst {
    /// Bursts that begin with this `probability` at each packet outside a burst.
    pub(super) fn new(probability: f64, duration: Duration, random: Random) -> Burst {
        Burst { probability, duration, until: Time::ZERO, random }
    }
}

impl LossModel for Burst {
    fn loses(&mut self, sent: Range<Time>, _: &PacketInfo<'_>) -> bool {
        if sent.start < self.until {
            return true;
        }
        let begins = self.random.happens(self.probability);
        if begins {
            self.until = sent.start + self.random.up_to(self.duration);
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{losses, random};
    use super::*;

    #[test]
    fn bursts_last_half_the_duration_on_average() {
        let lost = losses(&mut Burst::new(0.001, Duration::from_millis(100), random()), 400_000);
        let bursts = lost.windows(2).filter(|pair| pair == &[false, true]).count();
        let mean = lost.iter().filter(|lost| **lost).count() as f64 / bursts as f64;
        // The first packet and those within U(0, 100) ms, one each millisecond: 50.5 on average, with a standard
        // deviation of 29 over about 380 bursts.
        assert!(
            (mean - 50.5).abs() < 5.0 * 29.0 / (bursts as f64).sqrt(),
            "{mean} packets in {bursts} bursts"
        );
    }
}
