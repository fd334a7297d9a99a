//! The stationary law of windows and back-off states, in one downward sweep without a linear system. `rounds` says what
//! becomes of the packets of a round, `backoff` what becomes of time-outs.
//!
//! With F(c) as the unit, each smaller F follows from what crosses the cut between it and the next window: rounds without
//! loss up, fast retransmits and time-outs down, less those whose slow start crosses the cut again. The whole is put
//! together from positive terms.

pub(super) mod backoff;
mod rounds;

use super::account::Account;
use super::{Markov, NAME};
use crate::{ModelError, PathParameters};
use backoff::SlowStarts;
use rounds::Rounds;

/// The frequency and the mean time of each window of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Stationary {
    /// The windows in packets, smallest first, with their shares; 1 is back-off. Windows that are left out have a share
    /// below what a double can tell.
    pub windows: Vec<(u32, WindowShare)>,
    /// The back-off states: after the k-th time-out in a row, at k − 1. The last stands for all beyond, whose waits
    /// are all
    /// Tmax. A path without loss has none.
    pub backoff: Vec<WindowShare>,
    /// The mean number of packets that get through in a round: with `seconds`, η by WS (28).
    pub delivered: f64,
    /// The mean duration of a round, in seconds, waits included.
    pub seconds: f64,
}

/// A window's share of all rounds and of all time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WindowShare {
    /// The probability that a round has it.
    pub probability: f64,
    /// The part of the time that such rounds take.
    pub time: f64,
}

impl Stationary {
    /// The law itself, if a double held every sum.
    pub(super) fn checked(self) -> Result<Stationary, ModelError> {
        let shares = self.windows.iter().map(|(_, share)| share).chain(&self.backoff);
        let is_finite = |share: &WindowShare| share.probability.is_finite() && share.time.is_finite();
        if shares.into_iter().all(is_finite) && self.seconds.is_finite() {
            return Ok(self);
        }
        let why = format!(
            "rounds of {} s on average are outside the range that the model computes with",
            self.seconds
        );
        Err(ModelError::Domain { model: NAME, why })
    }
}

/// The law for 0 < p < 1 and a limit of 2 or more.
///
/// # Errors
/// Windows beyond [`LARGEST`].
pub(super) fn law(markov: &Markov, path: &PathParameters, limit: u32) -> Result<Stationary, ModelError> {
    let largest = largest(path.loss, limit);
    if largest > LARGEST as usize {
        return Err(ModelError::TooLarge { limit, largest: LARGEST });
    }
    let mut descent = Descent {
        markov,
        path,
        rounds: Rounds::new(markov.loss, path.loss, largest),
        slow_starts: SlowStarts::default(),
        after_loss: vec![Vec::new(); largest + 1],
        flows: vec![WindowOutflow::default(); largest + 1],
    };
    let mut full = 1.0;
    for window in (2..=largest).rev() {
        descent.leave(window, full);
        if window.is_power_of_two() {
            descent.begin_again(window);
        }
        if window > 2 {
            full = descent.up(window) / descent.rounds.probability(0, window - 1);
        }
    }
    Ok(descent.law())
}

/// The moves out of the states of a window, for each visit to F(c).
#[derive(Clone, Copy, Debug, Default)]
struct WindowOutflow {
    /// Rounds without time-out, of which `fast_retransmits` end with a fast retransmit.
    rounds: f64,
    fast_retransmits: f64,
    timeouts: f64,
    /// Packets that get through.
    delivered: f64,
}

struct Descent<'a> {
    markov: &'a Markov,
    path: &'a PathParameters,
    rounds: Rounds,
    slow_starts: SlowStarts,
    /// The moves into L(w, w − g), at w, then g − 1.
    after_loss: Vec<Vec<f64>>,
    flows: Vec<WindowOutflow>,
}

impl Descent<'_> {
    /// Spreads what is in the states of a window, whose F is visited `full` times.
    fn leave(&mut self, window: usize, full: f64) {
        let mut after_loss = std::mem::take(&mut self.after_loss[window]);
        let most = self.rounds.most(window - 1);
        after_loss.resize(most, 0.0);
        for (visits, lost) in after_loss.iter_mut().zip(1..) {
            *visits += full * self.rounds.probability(lost, window);
        }
        let half = self.markov.halving.half(window as u32) as usize;
        let second = self.rounds.after_loss(window, half, &after_loss);
        self.arrive(half, &second.again);
        // In slow start all of a window is sent, too.
        let whole = full + self.slow_starts.visits(window);
        let all = self.rounds.probability(window, window);
        let delivered =
            after_loss.iter().zip(1..).map(|(visits, lost)| visits * self.rounds.delivered(window - lost));
        self.flows[window] = WindowOutflow {
            rounds: whole * self.rounds.not_all(window) + second.fast_retransmits,
            fast_retransmits: second.fast_retransmits,
            timeouts: whole * all + second.timeouts,
            delivered: whole * self.rounds.delivered(window) + delivered.sum::<f64>(),
        };
    }

    /// Adds visits to L(w, w − g), by g − 1.
    fn arrive(&mut self, window: usize, visits: &[f64]) {
        let into = &mut self.after_loss[window];
        into.resize(into.len().max(visits.len()), 0.0);
        for (sum, more) in into.iter_mut().zip(visits) {
            *sum += more;
        }
    }

    /// The time-outs that set the threshold τ = w / 2 are known: those of windows from w to 2 w − 1. Back-off and
    /// slow start
    /// follow.
    fn begin_again(&mut self, window: usize) {
        let timeouts = self.timeouts(window, 2 * window - 1);
        let threshold = window / 2;
        for (size, visits) in self.slow_starts.add(self.path.loss, &self.rounds, threshold, timeouts) {
            for lost in 1..=self.rounds.most(size - 1) {
                let mut row = vec![0.0; lost];
                row[lost - 1] = visits * self.rounds.probability(lost, size);
                self.arrive(2 * size - lost, &row);
            }
        }
    }

    /// Returns the moves that cross the cut between w − 1 and w upward by growth alone: those that cross it
    /// downward and do not come back by slow start.
    fn up(&self, window: usize) -> f64 {
        let half = |from: usize| self.markov.halving.half(from as u32) as usize;
        let fall = self.flows[window..].iter().zip(window..).take_while(|(_, from)| half(*from) < window);
        let retransmits: f64 = fall.map(|(flow, _)| flow.fast_retransmits).sum();
        // The one window of slow start from which a step crosses the cut.
        let size = 1 << (window - 1).ilog2();
        let below = self.timeouts(window, 4 * size - 1);
        retransmits + below + self.slow_starts.short_of(&self.rounds, size, window)
    }

    fn timeouts(&self, from: usize, to: usize) -> f64 {
        let to = to.min(self.flows.len() - 1);
        self.flows[from..=to].iter().map(|flow| flow.timeouts).sum()
    }

    fn law(self) -> Stationary {
        let account = Account::new(self.path);
        let first = self.slow_starts.backoffs();
        let mut seconds = backoff::seconds(self.path, first);
        // Each sojourn in back-off has 1/q rounds on average and ends when its packet gets through.
        let (mut visits, mut delivered) = (first / (1.0 - self.path.loss), first);
        for (flow, window) in self.flows.iter().zip(0..).skip(2) {
            visits += flow.rounds + flow.timeouts;
            seconds += flow.seconds(&account, window);
            delivered += flow.delivered;
        }
        let share = |(flow, window): (&WindowOutflow, u32)| {
            let probability = (flow.rounds + flow.timeouts) / visits;
            (window, WindowShare { probability, time: flow.seconds(&account, window) / seconds })
        };
        let backoff = backoff::shares(self.path, first / visits, seconds / visits);
        let mut alone = WindowShare::default();
        for share in &backoff {
            alone.probability += share.probability;
            alone.time += share.time;
        }
        let windows =
            std::iter::once((1, alone)).chain(self.flows.iter().zip(0..).skip(2).map(share)).collect();
        Stationary { windows, backoff, delivered: delivered / visits, seconds: seconds / visits }
    }
}

impl WindowOutflow {
    fn seconds(&self, account: &Account, window: u32) -> f64 {
        let round = account.round::<1>(window as usize) * self.rounds;
        (round + account.timeout(window as usize) * self.timeouts).seconds()
    }
}

/// The largest window whose probability a double can tell from zero: F(w) falls like exp(−3 p w² / 8), and at least as
/// the product of all P(0|v) below w.
fn largest(loss: f64, limit: u32) -> usize {
    let exponent = -libm::log1p(-loss);
    let rare = 8.0 + (112.0 / exponent).sqrt();
    let product = 1.0 + (2.0 * 300.0 / exponent).sqrt();
    // A window beyond what the type counts saturates.
    rare.min(product).min(f64::from(limit)).max(2.0) as usize
}

/// The largest window that is computed: it costs a quarter of a gigabyte and a second.
const LARGEST: u32 = 1 << 14;
