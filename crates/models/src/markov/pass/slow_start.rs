//! Slow start after back-off: windows 2, 4, … below the threshold (WS (15), W-6), and how it ends, with or without a
//! loss.

use super::{Ascent, LossPattern};
use crate::markov::tally::ChainSums;

/// Adds the back-off states with threshold τ, a power of two whose Θ is known.
pub(crate) fn add_threshold<const N: usize>(
    ascent: &mut Ascent<N>,
    losses: &dyn LossPattern<N>,
    threshold: usize,
) {
    // The state ahead, F(τ), is the goal itself.
    let mut ahead = ChainSums::ZERO;
    let mut size = threshold / 2;
    while size >= 2 {
        ahead = until_threshold(ascent, losses, size, threshold, ahead);
        size /= 2;
    }
    let climb = ascent.climb.between(2, threshold.max(2));
    ascent.backoff.push(ahead, climb);
}

/// Θ(τ) − V(S(w, τ)), with that of the state after a round without loss.
fn until_threshold<const N: usize>(
    ascent: &Ascent<N>,
    losses: &dyn LossPattern<N>,
    size: usize,
    threshold: usize,
    ahead: ChainSums<N>,
) -> ChainSums<N> {
    let all = losses.some(size, size);
    let timed_out = ascent.timed_out(size, threshold) + ascent.account.timeout(size);
    let mut sum = losses.flight(size) + ascent.account.round(size) * losses.not_all(size);
    sum += ahead * losses.none(size) + timed_out * all;
    for lost in 1..=losses.most(size).min(size - 1) {
        let window = ascent.window(2 * size - lost);
        let climb = ascent.climb.between(window.size, threshold);
        sum += (climb + losses.after(&window, window.size - lost)) * losses.some(lost, size);
    }
    sum
}
