//! Losses in runs: whether a loss makes the next more likely, and a Gilbert-Elliott process that does the same.

use super::interval::share;
use crate::link_estimate::LossRuns;

/// The pairs of neighbouring packets, by whether the first and the second were lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    pub(super) kept_kept: usize,
    pub(super) kept_lost: usize,
    pub(super) lost_kept: usize,
    pub(super) lost_lost: usize,
    /// The sum of the distances of their times of sending, in seconds.
    pub(super) seconds: f64,
}

/// The quantile of the chi-squared distribution with one degree of freedom that is exceeded in one of thousand cases.
const ONE_IN_THOUSAND: f64 = 10.83;

impl Pairs {
    /// Counts a pair.
    pub(super) fn count(&mut self, is_first_lost: bool, is_second_lost: bool, seconds: f64) {
        let counter = match (is_first_lost, is_second_lost) {
            (false, false) => &mut self.kept_kept,
            (false, true) => &mut self.kept_lost,
            (true, false) => &mut self.lost_kept,
            (true, true) => &mut self.lost_lost,
        };
        *counter += 1;
        self.seconds += seconds;
    }

    /// Returns true if the ratio of likelihoods rejects that the losses are independent.
    pub(super) fn are_together(&self) -> bool {
        self.lost_lost > 0 && self.correlation() > 0.0 && self.likelihood_ratio() >= ONE_IN_THOUSAND
    }

    /// The process of losses that are not independent, if there are enough.
    pub(super) fn runs(&self) -> Option<LossRuns> {
        if self.lost_lost < 3 || !self.are_together() {
            return None;
        }
        Some(LossRuns {
            good_to_bad: share(self.kept_lost, self.kept_kept + self.kept_lost)?,
            bad_to_good: share(self.lost_kept, self.lost_kept + self.lost_lost)?,
            spacing_s: self.spacing(),
        })
    }

    /// The mean distance of neighbours, in seconds.
    pub(super) fn spacing(&self) -> f64 {
        self.seconds / self.total().max(1.0)
    }

    /// The correlation of the losses of neighbours: the probability of a loss after a loss less that after none.
    pub(super) fn correlation(&self) -> f64 {
        let after = |lost: usize, kept: usize| lost as f64 / ((lost + kept) as f64).max(1.0);
        after(self.lost_lost, self.lost_kept) - after(self.kept_lost, self.kept_kept)
    }

    fn total(&self) -> f64 {
        (self.kept_kept + self.kept_lost + self.lost_kept + self.lost_lost) as f64
    }

    /// Twice the logarithm of the ratio of likelihoods: of a chain against independent losses (Anderson and Goodman 1957).
    fn likelihood_ratio(&self) -> f64 {
        let total = self.total();
        let [kept_kept, kept_lost, lost_kept, lost_lost] =
            [self.kept_kept, self.kept_lost, self.lost_kept, self.lost_lost].map(|count| count as f64);
        let term = |count: f64, from: f64, to: f64| {
            if count > 0.0 { count * (count * total / (from * to)).ln() } else { 0.0 }
        };
        let (from_kept, from_lost) = (kept_kept + kept_lost, lost_kept + lost_lost);
        let (to_kept, to_lost) = (kept_kept + lost_kept, kept_lost + lost_lost);
        2.0 * (term(kept_kept, from_kept, to_kept)
            + term(kept_lost, from_kept, to_lost)
            + term(lost_kept, from_lost, to_kept)
            + term(lost_lost, from_lost, to_lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(is_lost: impl Iterator<Item = bool>) -> Pairs {
        let lost: Vec<bool> = is_lost.collect();
        let mut pairs = Pairs::default();
        lost.windows(2).for_each(|two| pairs.count(two[0], two[1], 0.001));
        pairs
    }

    fn draws(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        }
    }

    #[test]
    fn the_steps_of_a_chain_lie_in_their_intervals() {
        let mut draw = draws(5);
        let mut is_bad = false;
        let found = pairs((0..40_000).map(|_| {
            is_bad = if is_bad { draw() >= 0.25 } else { draw() < 0.005 };
            is_bad
        }));
        let runs = found.runs().expect("runs");
        assert!(runs.good_to_bad.low < 0.005 && 0.005 < runs.good_to_bad.high, "{runs:?}");
        assert!(runs.bad_to_good.low < 0.25 && 0.25 < runs.bad_to_good.high, "{runs:?}");
        assert!((runs.spacing_s - 0.001).abs() < 1e-9);
    }

    #[test]
    fn independent_losses_are_no_runs() {
        let mut draw = draws(9);
        let alarms = (0..200).filter(|_| pairs((0..3_000).map(|_| draw() < 0.03)).runs().is_some()).count();
        assert!(alarms <= 1, "{alarms} of 200");
    }

    #[test]
    fn no_pairs_are_no_runs() {
        assert_eq!(Pairs::default().runs(), None);
        assert_eq!(Pairs::default().spacing(), 0.0);
    }
}
