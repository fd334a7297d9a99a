//! The one upward pass: for every limit at once, without a linear system. The cost of climbing from one window to the
//! next follows from those of smaller windows; the modules say which packets of a round are lost.
//!
//! The chain is skip-free upward: F(c + 1) is entered from F(c) only. Let Θ(w) be what is counted from F(2) until F(w) is
//! first reached, in the chain without a limit, and D(w) = Θ(w + 1) − Θ(w). With limit c the chain begins anew at every
//! visit to F(c), and one such cycle counts P(0|c) D(c), since a round without loss counts the same whether the window
//! grows or stays. Any rate at limit c is therefore the ratio of two columns of D(c).
//!
//! From any other state the count until F(w) is Θ(w) − V with a V that does not depend on w. Every difference `Z` that is
//! computed here is a sum of terms of 0 or more: nothing cancels.

mod backoff;
mod climb;
mod correlated;
mod independent;
mod slow_start;

use super::account::Account;
use super::tally::ChainSums;
use super::{LARGEST_TABLE, Markov};
use crate::{Halving, ModelError, PathParameters, RoundLoss};
use backoff::Backoff;
use climb::Climb;
use correlated::CorrelatedPass;
use independent::Independent;

/// D(2), D(3), … D(`limit`) for 0 < p < 1 and a limit of 2 or more; fewer if windows beyond are never reached, whose
/// rates are then those of the last.
///
/// # Errors
/// [`ModelError::TooLarge`] if more than 2²⁶ numbers would have to be stored.
pub(super) fn steps<const N: usize>(
    markov: &Markov,
    path: &PathParameters,
    limit: u32,
) -> Result<Vec<ChainSums<N>>, ModelError> {
    let largest_window = largest_window(path.loss, limit);
    let mut losses = losses::<N>(markov, path, largest_window, limit)?;
    let mut ascent = Ascent {
        account: Account::new(path),
        halving: markov.halving,
        climb: Climb::default(),
        backoff: Backoff::new(path),
    };
    let hopeless = 1e22 * (ascent.backoff.seconds() + path.timeout(1.0));
    let mut seconds = 0.0;
    for window in 2..=largest_window {
        if window.is_power_of_two() {
            slow_start::add_threshold(&mut ascent, &*losses, window / 2);
        }
        let step = ascent.step(&mut *losses, window);
        seconds += step.seconds();
        ascent.climb.push(step);
        // D grows like exp(3 p w² / 8): no double tells the rates of the windows beyond from this one's.
        let may_go_on = seconds <= hopeless + 1e22 * path.timeout(window as f64);
        if !may_go_on {
            break;
        }
    }
    Ok(ascent.climb.into_steps())
}

/// The largest window that is looked at. Θ is beyond 10⁴⁰ rounds there, whatever the limit.
fn largest_window(loss: f64, limit: u32) -> usize {
    // A window beyond what the type counts saturates.
    (40.0 + 16.0 / loss.sqrt()).min(f64::from(limit)) as usize
}

fn losses<const N: usize>(
    markov: &Markov,
    path: &PathParameters,
    largest_window: usize,
    limit: u32,
) -> Result<Box<dyn LossPattern<N>>, ModelError> {
    let (numbers, largest) = match markov.loss {
        RoundLoss::Independent => independent::size::<N>(path.loss, largest_window),
        RoundLoss::Correlated => correlated::size::<N>(largest_window),
    };
    if numbers > LARGEST_TABLE {
        return Err(ModelError::TooLarge { limit, largest });
    }
    Ok(match markov.loss {
        RoundLoss::Independent => Box::new(Independent::new(path.loss, largest_window)),
        RoundLoss::Correlated => Box::new(CorrelatedPass::new(path.loss, largest_window)),
    })
}

/// The losses of a round, and the states that follow from them.
trait LossPattern<const N: usize> {
    /// P(0|x).
    fn none(&self, packets: usize) -> f64;

    /// P(g|x) for g of 1 to x.
    fn some(&self, lost: usize, packets: usize) -> f64;

    /// 1 − P(x|x).
    fn not_all(&self, packets: usize) -> f64;

    /// The most losses of a round that are looked at.
    fn most(&self, packets: usize) -> usize;

    /// The cost of x packets, whether they arrive or not.
    fn flight(&self, packets: usize) -> ChainSums<N>;

    /// Z(w, x): from L(w, x) until F(w), for a window that [`LossPattern::fall`] has seen.
    fn after(&self, window: &WindowSums<N>, packets: usize) -> ChainSums<N>;

    /// Σ P(g|w) Z(w, w − g) over g from 1 to w − 1. Windows come in their order, and what larger ones need is kept.
    fn fall(&mut self, window: &WindowSums<N>) -> ChainSums<N>;
}

/// A window, and what the two ways out of a round after a loss count until that window is reached again.
#[derive(Clone, Copy, Debug)]
struct WindowSums<const N: usize> {
    /// w.
    size: usize,
    /// h(w) (W-4).
    half: usize,
    /// Θ(w) − Θ(h) and the round with the fast retransmit.
    retransmit: ChainSums<N>,
    /// Θ(w) − V(B(1, τ)) and the wait for the time-out.
    timeout: ChainSums<N>,
}

impl<const N: usize> WindowSums<N> {
    /// The most losses among x packets sent after a loss that a fast retransmit repairs: x − g ≥ 4 and g < h(w); `None`
    /// if not even a round without loss is followed by one (WS (6), (7), (13), (14); W-3, W-9).
    fn repaired(&self, packets: usize) -> Option<usize> {
        Some(packets.checked_sub(4)?.min(self.half - 1))
    }
}

/// The way up as far as it is known.
struct Ascent<const N: usize> {
    account: Account,
    halving: Halving,
    climb: Climb<N>,
    backoff: Backoff<N>,
}

impl<const N: usize> Ascent<N> {
    /// D(w) P(0|w) = rew(w) + Σ P(g|w) Z(w, w − g) + P(w|w) (Θ(w) − V(B(1, τ(w)))).
    fn step(&self, losses: &mut dyn LossPattern<N>, size: usize) -> ChainSums<N> {
        let window = self.window(size);
        let all = losses.some(size, size);
        let round =
            losses.flight(size) + self.account.round(size) * losses.not_all(size) + window.timeout * all;
        (round + losses.fall(&window)) * (1.0 / losses.none(size))
    }

    fn window(&self, size: usize) -> WindowSums<N> {
        let half = self.halving.half(size as u32) as usize;
        // Below 5 packets there is no fast retransmit, and half a window may be 1.
        let fallen = self.climb.between(half.max(2), size);
        WindowSums {
            size,
            half,
            retransmit: fallen + self.account.fast_retransmit(size),
            timeout: self.timed_out(size, size) + self.account.timeout(size),
        }
    }

    /// Θ(goal) − V(B(1, τ)) with the threshold τ that a time-out at `size` sets.
    fn timed_out(&self, size: usize, goal: usize) -> ChainSums<N> {
        let threshold = threshold(size);
        self.climb.between(threshold.max(2), goal) + self.backoff.until(threshold)
    }
}

/// τ(w) = 2^⌊log₂(w / 2)⌋: where slow start ends after a time-out at w (WS (16), W-5).
const fn threshold(window: usize) -> usize {
    1 << (window.ilog2() - 1)
}
