//! The pass where all packets of a round after the first lost one are lost, too (WS (7)), by closed sums over the
//! losses of a round.
//!
//! A fast retransmit follows L(w, x) if at most m = min(h − 1, x − 4) packets are lost, which has probability qˣ⁻ᵐ. With
//! G(h, m) = Σ qᵐ⁻ᵍ Z(h, h − g) over g = 1 … m, built by G(h, m) = q G(h, m − 1) + Z(h, h − m),
//!
//! Z(w, x) = qˣ⁻ᵐ (Θ(w) − Θ(h) + p G(h, m)) + (1 − qˣ⁻ᵐ) (Θ(w) − V(B)) + rew.
//!
//! m is x − 4 up to x = h + 3 and h − 1 from there on: the sum over x splits there, into geometric sums and one of qᵐ G(h, m)
//! that is kept by window. So a window above C/2 costs nothing but these, one from C/4 to C/2 a loop without storage, and only
//! windows up to C/4 keep their G: C²/32 numbers for each thing counted.

use super::{LossPattern, WindowSums};
use crate::markov::account::flight;
use crate::markov::geometric::Geometric;
use crate::markov::tally::ChainSums;

/// Powers of q, and the sums that smaller windows left.
#[derive(Debug)]
pub(super) struct CorrelatedPass<const N: usize> {
    powers: Geometric,
    /// The largest window that is half of another.
    look_back: usize,
    /// The largest window whose G is kept: a quarter of the largest, and what the direct sums of small ones need.
    keep: usize,
    /// G(h, m) at h (h − 1) / 2 + m, for m = 0 … h − 1.
    kept: Vec<ChainSums<N>>,
    /// G(h, h − 1), at h.
    ends: Vec<ChainSums<N>>,
    /// Σ qᵐ G(h, m) over m = 1 … h − 1, at h.
    sums: Vec<ChainSums<N>>,
}

/// Returns the count of stored numbers, and the largest window for which they fit.
pub(super) fn size<const N: usize>(largest_window: usize) -> (u64, u32) {
    let numbers = |largest_window: u64| {
        triangle(quarter(largest_window) + 1) * N as u64 + 5 * largest_window + N as u64 * largest_window
    };
    let quarters = (2.0 * super::LARGEST_TABLE as f64 / N as f64).sqrt();
    (numbers(largest_window as u64), 4 * quarters as u32)
}

impl<const N: usize> CorrelatedPass<N> {
    pub(super) fn new(loss: f64, largest_window: usize) -> CorrelatedPass<N> {
        let keep = quarter(largest_window as u64) as usize;
        CorrelatedPass {
            powers: Geometric::new(loss, largest_window + 8),
            look_back: (largest_window / 2 + 1).max(keep),
            keep,
            kept: Vec::with_capacity(triangle(keep as u64 + 1) as usize),
            ends: vec![ChainSums::ZERO; 2],
            sums: vec![ChainSums::ZERO; 2],
        }
    }

    /// G(h, 0) … G(h, h − 1).
    fn again(&self, half: usize) -> &[ChainSums<N>] {
        let first = triangle(half as u64) as usize;
        &self.kept[first..first + half]
    }

    /// G(w, m), one m after another.
    fn look_back(&mut self, window: &WindowSums<N>) {
        let keeps = window.size <= self.keep;
        let (through, mut end, mut sum) = (self.powers.through, ChainSums::ZERO, ChainSums::ZERO);
        if keeps {
            self.kept.resize(triangle(window.size as u64) as usize, ChainSums::ZERO);
            self.kept.push(end);
        }
        for lost in 1..window.size {
            end = end * through + self.after(window, window.size - lost);
            sum += end * self.powers.all[lost];
            if keeps {
                self.kept.push(end);
            }
        }
        self.ends.push(end);
        self.sums.push(sum);
    }

    /// Σ p qˣ Z(w, x) term by term.
    fn direct(&self, window: &WindowSums<N>) -> ChainSums<N> {
        let Geometric { loss, all, .. } = &self.powers;
        (1..window.size).fold(ChainSums::ZERO, |sum, x| sum + self.after(window, x) * (loss * all[x]))
    }

    /// Σ p qˣ Z(w, x) over x = 1 … w − 1 by the split at x = h + 3.
    fn closed(&self, window: &WindowSums<N>) -> ChainSums<N> {
        let Geometric { loss, through, all, not_all, neither, packets, .. } = &self.powers;
        let (size, half) = (window.size, window.half);
        // Σ p qˣ q⁴ over 4 ≤ x ≤ h + 3, and Σ p qˣ qˣ⁻ʰ⁺¹ beyond.
        let near = all[8] * not_all[half];
        let far = all[half + 9] * not_all[2 * (size - half - 4)] / (1.0 + through);
        // Σ p qˣ (1 − qˣ⁻ᵐ): the time-outs of x ≤ 3, of x ≤ h + 3 and of those beyond.
        let timeouts = through * not_all[3]
            + all[4] * not_all[half] * not_all[4]
            + all[half - 1] * (neither[size - half] - neither[4]);
        let flights =
            ChainSums::of([0.0, through / loss * neither[size - 1], packets[size - 1], 0.0, 0.0, 0.0]);
        window.retransmit * (near + far)
            + self.sums[half] * (loss * loss * all[8])
            + self.ends[half] * (loss * far)
            + window.timeout * timeouts
            + flights
    }
}

impl<const N: usize> LossPattern<N> for CorrelatedPass<N> {
    fn none(&self, packets: usize) -> f64 {
        self.powers.all[packets]
    }

    fn some(&self, lost: usize, packets: usize) -> f64 {
        self.powers.loss * self.powers.all[packets - lost]
    }

    fn not_all(&self, _packets: usize) -> f64 {
        self.powers.through
    }

    fn most(&self, packets: usize) -> usize {
        packets
    }

    fn flight(&self, packets: usize) -> ChainSums<N> {
        flight(packets, self.powers.delivered[packets])
    }

    fn after(&self, window: &WindowSums<N>, packets: usize) -> ChainSums<N> {
        let Some(repaired) = window.repaired(packets) else {
            return window.timeout + self.flight(packets);
        };
        let again = if repaired + 1 == window.half {
            self.ends[window.half]
        } else {
            self.again(window.half)[repaired]
        };
        let through = packets - repaired;
        (window.retransmit + again * self.powers.loss) * self.powers.all[through]
            + window.timeout * self.powers.not_all[through]
            + self.flight(packets)
    }

    fn fall(&mut self, window: &WindowSums<N>) -> ChainSums<N> {
        if window.size <= self.look_back {
            self.look_back(window);
        }
        if window.size <= LARGEST_DIRECT { self.direct(window) } else { self.closed(window) }
    }
}

/// The split of the sums takes h + 3 ≤ w − 1.
const LARGEST_DIRECT: usize = 12;

const fn triangle(side: u64) -> u64 {
    side * (side - if side == 0 { 0 } else { 1 }) / 2
}

/// Half of half of the largest window, rounded up; 8 at least, whatever the limit, for [`LARGEST_DIRECT`].
const fn quarter(largest_window: u64) -> u64 {
    let quarter = largest_window / 4 + 1;
    if quarter < 8 { 8 } else { quarter }
}
