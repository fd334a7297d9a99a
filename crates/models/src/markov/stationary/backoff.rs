//! The visits to the states after a time-out: back-off, and slow start by its threshold.

use super::WindowShare;
use super::rounds::Rounds;
use crate::PathParameters;
use crate::markov::account::Account;

/// Slow start by window: all thresholds together.
#[derive(Debug, Default)]
pub(crate) struct SlowStarts {
    /// Visits to S(w, ·) at log₂ w.
    visits: Vec<f64>,
    /// Time-outs with a threshold above w whose slow start ended before S(w, ·), at log₂ w.
    ended: Vec<f64>,
    /// Visits to B(1, ·).
    backoffs: f64,
}

impl SlowStarts {
    /// Adds `timeouts` time-outs that set `threshold`, and returns the windows of the slow start that follows, with the
    /// visits to each.
    pub(crate) fn add(
        &mut self,
        loss: f64,
        rounds: &Rounds,
        threshold: usize,
        timeouts: f64,
    ) -> Vec<(usize, f64)> {
        self.backoffs += timeouts;
        let (mut visits, mut ended) = (timeouts * (1.0 - loss), timeouts * loss);
        let powers = self.visits.len().max(threshold.ilog2() as usize);
        self.visits.resize(powers, 0.0);
        self.ended.resize(powers, 0.0);
        let mut added = Vec::new();
        for power in 1..threshold.ilog2() as usize {
            let size = 1 << power;
            self.visits[power] += visits;
            self.ended[power] += ended;
            added.push((size, visits));
            ended += visits * rounds.any_lost(size);
            visits *= rounds.probability(0, size);
        }
        added
    }

    /// Visits to S(w, ·).
    pub(crate) fn visits(&self, window: usize) -> f64 {
        if window.is_power_of_two() { self.at(&self.visits, window) } else { 0.0 }
    }

    /// Time-outs whose threshold is above `size`, but whose slow start does not reach `window` by a step from `size`.
    pub(crate) fn short_of(&self, rounds: &Rounds, size: usize, window: usize) -> f64 {
        // With g lost the window becomes 2 w − g; with all lost there is a time-out.
        let fewest = (2 * size + 1 - window).min(size);
        let short: f64 = (fewest..=size).rev().map(|lost| rounds.probability(lost, size)).sum();
        self.at(&self.ended, size) + self.at(&self.visits, size) * short
    }

    /// Visits to B(1, ·).
    pub(crate) fn backoffs(&self) -> f64 {
        self.backoffs
    }

    fn at(&self, column: &[f64], window: usize) -> f64 {
        column.get(window.ilog2() as usize).copied().unwrap_or(0.0)
    }
}

/// The seconds of `sojourns` sojourns in back-off.
pub(crate) fn seconds(path: &PathParameters, sojourns: f64) -> f64 {
    sojourns * (path.round(1.0) + path.loss * Account::new(path).backoff_series(1))
}

/// The shares of the back-off states, of which the first has probability `first`; a round takes `mean_seconds` on average.
pub(crate) fn shares(path: &PathParameters, first: f64, mean_seconds: f64) -> Vec<WindowShare> {
    let account = Account::new(path);
    let (round, last) = (path.round(1.0) * (1.0 - path.loss), account.last_backoff());
    let mut probability = first;
    let mut shares = Vec::new();
    for k in 1..=last {
        if k == last {
            // The last state is followed by itself.
            probability /= 1.0 - path.loss;
        }
        let seconds = round + path.loss * account.backoff_seconds(k);
        shares.push(WindowShare { probability, time: probability * seconds / mean_seconds });
        probability *= path.loss;
    }
    shares
}
