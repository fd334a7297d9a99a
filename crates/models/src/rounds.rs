//! Simulates the rules of rounds (models §1.1) with random numbers, one path, one round after another: the obvious
//! reference for the Markov model.

mod losses;
mod state;

use rand_chacha::ChaCha12Rng;

use crate::{Halving, LimitedPath, ModelError, PathParameters, RoundLoss};
use losses::Losses;
use state::RoundState;

/// One path whose window follows the rules of rounds.
///
/// A round sends the window, or after a loss what is left of it; losses lead to a fast retransmit, or to a time-out and
/// its back-off. The caller decides how far the window grows, so that several paths can share a buffer.
#[derive(Clone, Debug)]
pub struct RoundProcess {
    path: PathParameters,
    halving: Halving,
    losses: Losses,
    state: RoundState,
}

/// A round that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedRound {
    /// The time it took, in seconds; if it ended in a time-out, how long that took.
    pub duration: f64,
    /// The packets sent.
    pub sent: u32,
    /// The packets that got through.
    pub delivered: u32,
    /// The outcome.
    pub outcome: RoundOutcome,
}

/// The outcome of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundOutcome {
    /// Nothing is missing: the window may grow.
    Growth,
    /// Some are missing: the next round shows whether they can be retransmitted fast.
    Loss,
    /// The window is halved.
    FastRetransmit,
    /// The first time-out of its back-off.
    Timeout,
    /// A further time-out of the same back-off.
    BackOff,
}

impl RoundProcess {
    /// A path whose window is one packet, and never more than `path.limit`.
    ///
    /// # Errors
    /// A parameter outside its domain, or a limit above `MOST_WINDOW`.
    pub fn new(path: &LimitedPath, loss: RoundLoss, halving: Halving) -> Result<RoundProcess, ModelError> {
        path.check()?;
        if path.limit > MOST_WINDOW {
            return Err(ModelError::TooLarge { limit: path.limit, largest: MOST_WINDOW });
        }
        let losses = Losses::new(loss, path.path.loss, path.limit);
        Ok(RoundProcess { path: path.path, halving, losses, state: RoundState::full(1) })
    }

    /// Plays one round, its losses drawn from `random`. The window has not grown yet: see [`RoundProcess::wanted`].
    pub fn step(&mut self, random: &mut ChaCha12Rng) -> FinishedRound {
        let sent = self.state.sent();
        let lost = self.losses.draw(sent, random);
        let window = self.state.window();
        let (next, outcome) = self.state.after(lost, self.halving);
        let duration = match (outcome, self.state) {
            (RoundOutcome::Timeout, _) => self.path.timeout(f64::from(window)),
            (RoundOutcome::BackOff, RoundState::BackOff { failures, .. }) => self.back_off(failures),
            _ => self.path.round(f64::from(window)),
        };
        self.state = next;
        FinishedRound { duration, sent, delivered: sent - lost, outcome }
    }

    /// The window after the growth of the last round without a limit, in packets; the window itself without growth. In
    /// slow start that is the double, or the threshold, otherwise one packet more.
    pub fn wanted(&self) -> u32 {
        self.state.wanted().min(self.losses.largest())
    }

    /// Grows the window by one packet, if it wants to grow.
    pub fn grow(&mut self) {
        if self.wanted() > self.window() {
            self.state = self.state.grown();
        }
    }

    /// Grows the window to all that is wanted.
    pub fn grow_whole(&mut self) {
        while self.wanted() > self.window() {
            self.state = self.state.grown();
        }
    }

    /// Returns true if a packet of the window may be taken away: not the last, and not during a back-off.
    pub fn may_cut(&self) -> bool {
        self.window() > 1 && !matches!(self.state, RoundState::BackOff { .. })
    }

    /// Takes a packet of the window away, if [`RoundProcess::may_cut`] says so. Outstanding losses are reduced so that
    /// there is still something to send.
    pub fn cut(&mut self) {
        if self.may_cut() {
            self.state = self.state.cut();
        }
    }

    /// The window, in packets; during a back-off one.
    pub fn window(&self) -> u32 {
        self.state.window()
    }

    /// The path.
    pub fn path(&self) -> &PathParameters {
        &self.path
    }

    /// U(k) = min(2ᵏ O(1), Tmax): how long the sender waits in vain for the k-th packet of a back-off (W-7).
    fn back_off(&self, failures: u32) -> f64 {
        // Beyond 2¹⁰²³ the power is infinite, and the minimum is still finite.
        let factor = libm::exp2(f64::from(failures));
        (factor * self.path.timeout(1.0)).min(self.path.timeout.max)
    }
}

/// The largest window that is played: what a table of its probabilities may hold.
pub(crate) const MOST_WINDOW: u32 = 1 << 20;
