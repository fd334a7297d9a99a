//! Independent losses (M-NET-3).

use std::ops::Range;

use anabranch_base::Time;

use super::{LossModel, PacketInfo};
use crate::random::Random;

/// Loses each packet with the same probability.
#[derive(Debug)]
pub(super) struct Bernoulli {
    probability: f64,
    random: Random,
}

impl Bernoulli {
    /// Losses with this `probability`.
    pub(super) fn new(probability: f64, random: Random) -> Bernoulli {
        Bernoulli { probability, random }
    }
}

impl LossModel for Bernoulli {
    fn loses(&mut self, _: Range<Time>, _: &PacketInfo<'_>) -> bool {
        self.random.happens(self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{losses, random};
    use super::*;

    #[test]
    fn the_share_of_losses_is_the_probability() {
        let lost = losses(&mut Bernoulli::new(0.1, random()), 100_000);
        let count = lost.iter().filter(|lost| **lost).count();
        // Five standard deviations of a binomial count: 5 √(n p (1 − p)) = 474.
        assert!((9_526..=10_474).contains(&count), "{count} of 100,000");
    }
}
