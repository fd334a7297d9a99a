//! The random stream of one user, with the distributions that links need.

use anabranch_base::{Duration, Seed};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

/// Random numbers, the same for the same seed on every machine.
#[derive(Debug)]
pub struct Random(ChaCha12Rng);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: &Seed) -> Random {
        Random(ChaCha12Rng::from_seed(seed.bytes()))
    }

    /// Uniform in [0, 1), in steps of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns true if an event of this `probability` happens. Probabilities of 0 and 1 draw nothing.
    pub fn happens(&mut self, probability: f64) -> bool {
        probability >= 1.0 || (probability > 0.0 && self.unit() < probability)
    }

    /// Uniform in [0, `most`).
    pub fn up_to(&mut self, most: Duration) -> Duration {
        scaled(most, self.unit())
    }

    /// Exponential with this `mean`.
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        scaled(mean, -libm::log(1.0 - self.unit()))
    }

    /// Normal around `mean` with this `deviation`, and never less than nothing (Box and Muller's method).
    pub fn normal(&mut self, mean: Duration, deviation: Duration) -> Duration {
        if deviation.is_zero() {
            return mean;
        }
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        let standard = radius * libm::cos(2.0 * std::f64::consts::PI * self.unit());
        let nanos = mean.as_nanos() as f64 + standard * deviation.as_nanos() as f64;
        // A negative number becomes 0.
        Duration::from_nanos(nanos as u64)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// `span` times `factor`, rounded down to nanoseconds and limited to the range of a duration.
fn scaled(span: Duration, factor: f64) -> Duration {
    Duration::from_nanos((span.as_nanos() as f64 * factor) as u64)
}
