//! The states after a time-out: one packet at a time, with waits that double (WS (17), (18), W-7, W-8). Slow start,
//! which may follow, is handed in.

use crate::PathParameters;
use crate::markov::account::{Account, flight, time_at};
use crate::markov::tally::ChainSums;

/// The costs of back-off, by the threshold of the slow start that follows it.
#[derive(Debug)]
pub(super) struct Backoff<const N: usize> {
    loss: f64,
    /// B(1, τ) itself: one packet, and its round or its wait.
    first: ChainSums<N>,
    /// From B(2) until F(2).
    later: ChainSums<N>,
    /// Θ(max(τ, 2)) − V(B(1, τ)), at log₂ τ.
    until: Vec<ChainSums<N>>,
}

impl<const N: usize> Backoff<N> {
    pub(super) fn new(path: &PathParameters) -> Backoff<N> {
        let (account, loss) = (Account::new(path), path.loss);
        let through = 1.0 - loss;
        let first = account.round(1) * through + account.backoff(1) * loss + flight(1, through);
        // On average 1/q packets are sent from B(2) on until one gets through.
        let packets = ChainSums::of([0.0, 1.0, 1.0 / through, 0.0, 0.0, 0.0]);
        let later = account.round(1) + time_at(loss * account.backoff_series(2), 1) + packets;
        Backoff { loss, first, later, until: Vec::new() }
    }

    /// The mean time of back-off that F(2) follows, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.first.seconds() + self.loss * self.later.seconds()
    }

    /// The next threshold τ = 1, 2, 4, …: what is counted from S(2, τ) until F(τ) (nothing where τ ≤ 2), and from F(2)
    /// until F(τ).
    pub(super) fn push(&mut self, slow_start: ChainSums<N>, climb: ChainSums<N>) {
        let loss = self.loss;
        self.until.push(self.first + slow_start * (1.0 - loss) + (climb + self.later) * loss);
    }

    /// Θ(max(τ, 2)) − V(B(1, τ)).
    pub(super) fn until(&self, threshold: usize) -> ChainSums<N> {
        self.until[threshold.ilog2() as usize]
    }
}
