//! The costs of the way up, D(2), D(3), …, and their sums between two windows.

use crate::markov::tally::ChainSums;

/// D by window, with sums from and to powers of two. As a difference, Θ(w) − Θ(v) would lose the digits of what happens
/// mostly at small windows, such as time-outs; so it is composed of sums of positive terms.
#[derive(Debug)]
pub(super) struct Climb<const N: usize> {
    /// D(w) at w − 2.
    steps: Vec<ChainSums<N>>,
    /// Θ(w) − Θ(2ᵏ) at w − 2, with the largest power of two that is at most w.
    since: Vec<ChainSums<N>>,
    /// Θ(2ᵏ) − Θ(w) at w − 2, with the least power of two above w; for those that are complete.
    until: Vec<ChainSums<N>>,
}

impl<const N: usize> Default for Climb<N> {
    fn default() -> Climb<N> {
        Climb { steps: Vec::new(), since: vec![ChainSums::ZERO], until: Vec::new() }
    }
}

impl<const N: usize> Climb<N> {
    /// The next window's D.
    pub(super) fn push(&mut self, step: ChainSums<N>) {
        let reached = self.steps.len() + 3;
        self.steps.push(step);
        if !reached.is_power_of_two() {
            self.since.push(self.since[reached - 3] + step);
            return;
        }
        self.since.push(ChainSums::ZERO);
        let first = self.until.len();
        self.until.resize(self.steps.len(), ChainSums::ZERO);
        let mut sum = ChainSums::ZERO;
        for index in (first..self.steps.len()).rev() {
            sum += self.steps[index];
            self.until[index] = sum;
        }
    }

    /// Θ(to) − Θ(from), for 2 ≤ from ≤ to ≤ the window reached.
    pub(super) fn between(&self, from: usize, to: usize) -> ChainSums<N> {
        let last = 1 << to.ilog2();
        if from > last {
            return self.steps[from - 2..to - 2].iter().fold(ChainSums::ZERO, |sum, step| sum + *step);
        }
        let mut sum = self.since[to - 2];
        let mut at = from;
        while at < last {
            sum += self.until[at - 2];
            at = 2 << at.ilog2();
        }
        sum
    }

    /// D(2), D(3), ….
    pub(crate) fn into_steps(self) -> Vec<ChainSums<N>> {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_between_any_two_windows_are_those_of_the_steps() {
        let mut climb = Climb::<2>::default();
        for window in 2..70_u32 {
            climb.push(ChainSums([f64::from(window), 1.0]));
        }
        for to in 2..=70 {
            for from in 2..=to {
                let sum: usize = (from..to).sum();
                assert_eq!(
                    climb.between(from, to),
                    ChainSums([sum as f64, (to - from) as f64]),
                    "{from}..{to}"
                );
            }
        }
    }
}
