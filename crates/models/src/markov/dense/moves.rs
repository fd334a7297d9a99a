//! The moves out of each state (WS (11) to (18)), one rule after another.

use super::state::threshold;
use super::{Chain, State};
use crate::markov::account::Account;

/// One way out of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The state it leads to.
    pub to: State,
    /// Its probability.
    pub probability: f64,
    /// What it takes.
    pub outcome: Outcome,
}

/// What a move takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A round.
    Round,
    /// A round with a fast retransmit at its end.
    FastRetransmit,
    /// The wait for a first time-out.
    Timeout,
    /// The wait of the k-th back-off state.
    Wait(u32),
}

impl Chain {
    /// Every way out of `state`, one for each number of packets that may be lost.
    pub fn moves(&self, state: State) -> Vec<Move> {
        let losses = self.losses[state.packets() as usize].iter().zip(0..);
        let moves = losses.map(|(&probability, lost)| {
            let (to, outcome) = self.after(state, lost);
            Move { to, probability, outcome }
        });
        moves.collect()
    }

    /// Where `lost` packets lead.
    fn after(&self, state: State, lost: u32) -> (State, Outcome) {
        match state {
            State::Full { window } => match lost {
                0 => (self.full(window + 1), Outcome::Round),
                _ => first_loss(window, window, lost),
            },
            State::AfterLoss { window, packets } => {
                let half = self.markov.halving.half(window);
                // Four more packets must arrive, and fewer than half a window may be lost again (W-3, W-4).
                match (packets - lost >= 4 && lost < half, lost) {
                    (false, _) => timeout(window),
                    (true, 0) => (self.full(half), Outcome::FastRetransmit),
                    (true, _) => {
                        (State::AfterLoss { window: half, packets: half - lost }, Outcome::FastRetransmit)
                    }
                }
            }
            State::SlowStart { threshold, window } => match lost {
                0 => (self.slow_start(2 * window, threshold), Outcome::Round),
                _ => first_loss(window, 2 * window - lost, lost),
            },
            State::FirstBackoff { threshold } => match lost {
                0 => (self.slow_start(2, threshold), Outcome::Round),
                _ => (State::Backoff { timeouts: 2 }, Outcome::Wait(1)),
            },
            State::Backoff { timeouts } => match lost {
                0 => (self.full(2), Outcome::Round),
                _ => {
                    let next = (timeouts + 1).min(Account::new(&self.path).last_backoff());
                    (State::Backoff { timeouts: next }, Outcome::Wait(timeouts))
                }
            },
        }
    }

    /// F(w) within the limit (W-2).
    fn full(&self, window: u32) -> State {
        State::Full { window: window.min(self.limit) }
    }

    /// S(w, τ), or F(max(τ, 2)) where slow start is over.
    fn slow_start(&self, window: u32, threshold: u32) -> State {
        if window < threshold { State::SlowStart { threshold, window } } else { self.full(threshold.max(2)) }
    }
}

/// `lost` of `sent` packets are the first loss, with a window that has grown to `window`.
fn first_loss(sent: u32, window: u32, lost: u32) -> (State, Outcome) {
    if lost == sent {
        return timeout(sent);
    }
    (State::AfterLoss { window, packets: window - lost }, Outcome::Round)
}

fn timeout(window: u32) -> (State, Outcome) {
    (State::FirstBackoff { threshold: threshold(window) }, Outcome::Timeout)
}
