//! Draws how many packets of a round are lost, by inversion, for both rules of loss.

use rand_chacha::ChaCha12Rng;
use rand_core::Rng;

use crate::RoundLoss;

/// A path's losses, with what is computed once.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    rule: RoundLoss,
    loss: f64,
    /// q^x, for rounds of x packets from 0 on.
    none: Vec<f64>,
}

impl Losses {
    /// Losses of this probability, in rounds of up to `largest` packets.
    pub(super) fn new(rule: RoundLoss, loss: f64, largest: u32) -> Losses {
        let none = (0..=largest).map(|sent| libm::exp(f64::from(sent) * libm::log1p(-loss)));
        // 0 · log 0 is not a number, and of no packets none is lost.
        let none = none.map(|chance| if chance.is_nan() { 1.0 } else { chance }).collect();
        Losses { rule, loss, none }
    }

    /// The largest round.
    pub(super) fn largest(&self) -> u32 {
        self.none.len() as u32 - 1
    }

    /// The number of `sent` packets are lost.
    pub(super) fn draw(&self, sent: u32, random: &mut ChaCha12Rng) -> u32 {
        let even = unit(random);
        let none = self.none[sent as usize];
        if even < none {
            return 0;
        }
        match self.rule {
            RoundLoss::Independent if none > UNDERFLOW => self.independent(sent, even - none),
            // One by one: the sum of the inversion would begin at zero.
            RoundLoss::Independent => (0..sent).filter(|_| unit(random) < self.loss).count() as u32,
            RoundLoss::Correlated => self.correlated(sent, even),
        }
    }

    /// P(g + 1) = P(g) (x − g) / (g + 1) · p / q, summed until `beyond` is reached (WS (6)).
    fn independent(&self, sent: u32, mut beyond: f64) -> u32 {
        let odds = self.loss / (1.0 - self.loss);
        let mut chance = self.none[sent as usize];
        for lost in 1..sent {
            chance *= f64::from(sent - lost + 1) / f64::from(lost) * odds;
            if beyond < chance {
                return lost;
            }
            beyond -= chance;
        }
        sent
    }

    /// The first loss is where q^j passes below `even`; it takes the rest of the round with it (WS (7)).
    fn correlated(&self, sent: u32, even: f64) -> u32 {
        // q^0 = 1 is always above it.
        sent + 1 - self.none[..=sent as usize].partition_point(|chance| even < *chance) as u32
    }
}

/// Below it q^x has lost digits.
const UNDERFLOW: f64 = 1e-250;

fn unit(random: &mut ChaCha12Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    /// Returns the share of each number of losses in rounds of `sent` packets, of 200,000.
    fn shares(rule: RoundLoss, loss: f64, sent: u32) -> Vec<f64> {
        let (losses, mut random) = (Losses::new(rule, loss, sent), ChaCha12Rng::seed_from_u64(5));
        let mut counts = vec![0.0; sent as usize + 1];
        for _ in 0..200_000 {
            counts[losses.draw(sent, &mut random) as usize] += 1.0 / 200_000.0;
        }
        counts
    }

    /// Five standard deviations of a share of 1/2 are 0.0056.
    fn agree(shares: &[f64], expected: &[f64]) {
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 0.0056, "{shares:?} {expected:?}");
        }
    }

    #[test]
    fn independent_losses_are_binomial() {
        let expected = [0.343, 0.441, 0.189, 0.027];
        agree(&shares(RoundLoss::Independent, 0.3, 3), &expected);
        // 0.001²⁰⁰ is below what inversion begins with.
        let shares = shares(RoundLoss::Independent, 0.999, 200);
        agree(&shares[198..], &[0.0163, 0.1639, 0.8186]);
    }

    #[test]
    fn correlated_losses_take_the_rest_of_the_round() {
        // q³, p q², p q, p for q = 0.7.
        agree(&shares(RoundLoss::Correlated, 0.3, 3), &[0.343, 0.147, 0.21, 0.3]);
    }

    #[test]
    fn what_is_certain_happens() {
        for rule in [RoundLoss::Independent, RoundLoss::Correlated] {
            assert_eq!(shares(rule, 0.0, 3)[0].round(), 1.0);
            assert_eq!(shares(rule, 1.0, 3)[3].round(), 1.0);
        }
    }
}
