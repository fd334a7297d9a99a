//! The sums that are counted while the chain moves: added and weighted together.

use std::ops::{Add, AddAssign, Mul};

use super::{NAME, Rates};
use crate::ModelError;

/// The first `N` of: seconds, packets delivered, packets sent, first time-outs, fast retransmits, window times seconds.
/// Each is 0 or more, so that no sum of them cancels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChainSums<const N: usize>(pub [f64; N]);

/// The length of the whole list.
pub(super) const ALL: usize = 6;

impl<const N: usize> ChainSums<N> {
    pub(super) const ZERO: ChainSums<N> = ChainSums([0.0; N]);

    /// The first `N` of the whole list.
    pub(super) fn of(all: [f64; ALL]) -> ChainSums<N> {
        ChainSums(std::array::from_fn(|index| all[index]))
    }

    /// The seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.0[0]
    }

    /// Packets delivered in a second.
    ///
    /// # Errors
    /// Sums beyond what a double holds.
    pub(crate) fn delivered_rate(&self) -> Result<f64, ModelError> {
        self.rate(1)
    }

    fn rate(&self, column: usize) -> Result<f64, ModelError> {
        let rate = self.0[column] / self.0[0];
        if rate.is_finite() {
            return Ok(rate);
        }
        let why = format!(
            "a count of {} in {} s is outside the range that the model computes with",
            self.0[column], self.0[0]
        );
        Err(ModelError::Domain { model: NAME, why })
    }
}

impl ChainSums<ALL> {
    /// Every column in a second.
    ///
    /// # Errors
    /// Sums beyond what a double holds.
    pub(super) fn rates(&self) -> Result<Rates, ModelError> {
        Ok(Rates {
            delivered: self.rate(1)?,
            sent: self.rate(2)?,
            timeouts: self.rate(3)?,
            fast_retransmits: self.rate(4)?,
            window: self.rate(5)?,
        })
    }
}

impl<const N: usize> Add for ChainSums<N> {
    type Output = ChainSums<N>;

    #[inline]
    fn add(mut self, other: ChainSums<N>) -> ChainSums<N> {
        self += other;
        self
    }
}

impl<const N: usize> AddAssign for ChainSums<N> {
    #[inline]
    fn add_assign(&mut self, other: ChainSums<N>) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

impl<const N: usize> Mul<f64> for ChainSums<N> {
    type Output = ChainSums<N>;

    #[inline]
    fn mul(mut self, weight: f64) -> ChainSums<N> {
        for value in &mut self.0 {
            *value *= weight;
        }
        self
    }
}
