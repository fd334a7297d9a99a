//! The cost of each move of the chain: its seconds, packets, time-outs and fast retransmits.

use super::tally::ChainSums;
use crate::PathParameters;

/// The account of one path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    path: PathParameters,
}

impl Account {
    pub(super) fn new(path: &PathParameters) -> Account {
        Account { path: *path }
    }

    /// A round of `window` packets that ends without a time-out: R(w).
    pub(super) fn round<const N: usize>(&self, window: usize) -> ChainSums<N> {
        time_at(self.path.round(window as f64), window)
    }

    /// A round after a loss that ends with a fast retransmit.
    pub(crate) fn fast_retransmit<const N: usize>(&self, window: usize) -> ChainSums<N> {
        self.round(window) + ChainSums::of([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    }

    /// A round that ends with a first time-out: O(w).
    pub(super) fn timeout<const N: usize>(&self, window: usize) -> ChainSums<N> {
        let seconds = self.path.timeout(window as f64);
        time_at(seconds, window) + ChainSums::of([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }

    /// The wait of the k-th back-off state: U(k) = min(2ᵏ O(1), Tmax) (WS (18), W-7).
    pub(super) fn backoff<const N: usize>(&self, k: u32) -> ChainSums<N> {
        time_at(self.backoff_seconds(k), 1)
    }

    /// U(k) in seconds.
    pub(crate) fn backoff_seconds(&self, k: u32) -> f64 {
        libm::scalbn(self.path.timeout(1.0), k.min(4096) as i32).min(self.path.timeout.max)
    }

    /// The last back-off state that differs from those beyond: M + 1 with M = ⌈log₂(Tmax / O(1))⌉, and 2 at least.
    pub(crate) fn last_backoff(&self) -> u32 {
        let longest = self.path.timeout.max;
        let doublings = (0..).find(|doublings| self.backoff_seconds(*doublings) >= longest);
        doublings.unwrap_or(0).max(1) + 1
    }

    /// Σ pʲ U(k + j) over j = 0, 1, …: the doubling terms, then the rest as a geometric series.
    pub(crate) fn backoff_series(&self, k: u32) -> f64 {
        let loss = self.path.loss;
        let (mut sum, mut weight) = (0.0, 1.0);
        for state in k.. {
            let wait = self.backoff_seconds(state);
            if wait >= self.path.timeout.max {
                break;
            }
            sum += weight * wait;
            weight *= loss;
        }
        sum + weight * self.path.timeout.max / (1.0 - loss)
    }
}

/// `sent` packets, of which `delivered` get through on average.
pub(super) fn flight<const N: usize>(sent: usize, delivered: f64) -> ChainSums<N> {
    ChainSums::of([0.0, delivered, sent as f64, 0.0, 0.0, 0.0])
}

/// Seconds with a window.
pub(crate) fn time_at<const N: usize>(seconds: f64, window: usize) -> ChainSums<N> {
    ChainSums::of([seconds, 0.0, 0.0, 0.0, 0.0, seconds * window as f64])
}
