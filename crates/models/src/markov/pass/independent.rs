//! The pass where packets are lost independently (WS (6)), by sums over the few losses that a round may have.

use super::{LossPattern, WindowSums};
use crate::markov::account::flight;
use crate::markov::binomial;
use crate::markov::tally::ChainSums;

/// P(g|x), and Z(w, w − g) of the windows that are half of another: C G and C G / 2 numbers, with G the most losses of a
/// round that are looked at.
#[derive(Debug)]
pub(super) struct Independent<const N: usize> {
    loss: f64,
    /// G.
    most: usize,
    /// The largest window whose Z is needed again.
    keep: usize,
    /// P(g|x) by g, then by x, so that neighbouring x lie side by side.
    probabilities: Vec<Vec<f64>>,
    /// Z(w, w − g) at G (w − 2) + g − 1.
    kept: Vec<ChainSums<N>>,
    /// Z of the window at hand, by x.
    at_hand: Vec<ChainSums<N>>,
}

/// Returns the count of stored numbers, and the largest window for which they fit.
pub(super) fn size<const N: usize>(loss: f64, largest_window: usize) -> (u64, u32) {
    let most = binomial::most_losses(loss, largest_window) as u64;
    let each = (most + 1) * (2 + N as u64) / 2;
    (
        each.saturating_mul(largest_window as u64),
        u32::try_from(super::LARGEST_TABLE / each).unwrap_or(u32::MAX),
    )
}

impl<const N: usize> Independent<N> {
    pub(super) fn new(loss: f64, largest_window: usize) -> Independent<N> {
        let most = binomial::most_losses(loss, largest_window);
        let keep = largest_window / 2 + 1;
        Independent {
            loss,
            most,
            keep,
            probabilities: binomial::columns(loss, most, largest_window),
            kept: Vec::with_capacity(keep * most),
            at_hand: Vec::with_capacity(most),
        }
    }

    /// The probabilities of a fast retransmit and of a time-out in L(w, x). More than G losses are left out.
    fn ways(&self, window: &WindowSums<N>, packets: usize) -> (f64, f64) {
        let Some(repaired) = window.repaired(packets) else { return (0.0, 1.0) };
        if repaired >= self.most {
            return (1.0, 0.0);
        }
        let sum = |lost: std::ops::RangeInclusive<usize>| {
            lost.rev().map(|lost| self.probabilities[lost][packets]).sum::<f64>()
        };
        (sum(0..=repaired), sum(repaired + 1..=packets.min(self.most)))
    }

    /// Z(w, x) for x from `first` to w − 1, into `at_hand`.
    fn fill(&mut self, window: &WindowSums<N>, first: usize) {
        self.at_hand.clear();
        for packets in first..window.size {
            let (retransmit, timeout) = self.ways(window, packets);
            let z = self.flight(packets) + window.retransmit * retransmit + window.timeout * timeout;
            self.at_hand.push(z);
        }
        for lost in 1..=self.most.min(window.half - 1) {
            // x − g ≥ 4, as `WindowSums::repaired` has it.
            let from = first.max(lost + 4);
            if from >= window.size {
                break;
            }
            let again = self.kept[self.most * (window.half - 2) + lost - 1];
            let weights = &self.probabilities[lost][from..window.size];
            for (sum, weight) in self.at_hand[from - first..].iter_mut().zip(weights) {
                *sum += again * *weight;
            }
        }
    }
}

impl<const N: usize> LossPattern<N> for Independent<N> {
    fn none(&self, packets: usize) -> f64 {
        self.probabilities[0][packets]
    }

    fn some(&self, lost: usize, packets: usize) -> f64 {
        self.probabilities.get(lost).map_or(0.0, |column| column[packets])
    }

    fn not_all(&self, packets: usize) -> f64 {
        binomial::not_all(self.loss, packets)
    }

    fn most(&self, packets: usize) -> usize {
        self.most.min(packets)
    }

    fn flight(&self, packets: usize) -> ChainSums<N> {
        flight(packets, packets as f64 * (1.0 - self.loss))
    }

    fn after(&self, window: &WindowSums<N>, packets: usize) -> ChainSums<N> {
        self.kept[self.most * (window.size - 2) + window.size - packets - 1]
    }

    fn fall(&mut self, window: &WindowSums<N>) -> ChainSums<N> {
        let most = self.most.min(window.size - 1);
        let first = window.size - most;
        self.fill(window, first);
        let mut fall = ChainSums::ZERO;
        for lost in 1..=most {
            let z = self.at_hand[most - lost];
            fall += z * self.probabilities[lost][window.size];
            if window.size <= self.keep {
                self.kept.push(z);
            }
        }
        if window.size <= self.keep {
            self.kept.resize(self.most * (window.size - 1), ChainSums::ZERO);
        }
        fall
    }
}
