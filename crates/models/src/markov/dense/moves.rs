//! The moves out of each state (WS (11) to (18)), one rule after another.

use super::state::threshold;
use super::{Chain, ChainState};
use crate::markov::account::Account;

/// One way out of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The state it leads to.
    pub to: ChainState,
    /// The probability.
    pub probability: f64,
    /// The outcome.
    pub outcome: MoveOutcome,
}

/// The duration class of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOutcome {
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
    pub fn moves(&self, state: ChainState) -> Vec<Move> {
        let losses = self.losses[state.packets() as usize].iter().zip(0..);
        let moves = losses.map(|(&probability, lost)| {
            let (to, outcome) = self.after(state, lost);
            Move { to, probability, outcome }
        });
        moves.collect()
    }

    /// Where `lost` packets lead.
    fn after(&self, state: ChainState, lost: u32) -> (ChainState, MoveOutcome) {
        match state {
            ChainState::Full { window } => match lost {
                0 => (self.full(window + 1), MoveOutcome::Round),
                _ => first_loss(window, window, lost),
            },
            ChainState::AfterLoss { window, packets } => {
                let half = self.markov.halving.half(window);
                // Four more packets must arrive, and fewer than half a window may be lost again (W-3, W-4).
                match (packets - lost >= 4 && lost < half, lost) {
                    (false, _) => timeout(window),
                    (true, 0) => (self.full(half), MoveOutcome::FastRetransmit),
                    (true, _) => (
                        ChainState::AfterLoss { window: half, packets: half - lost },
                        MoveOutcome::FastRetransmit,
                    ),
                }
            }
            ChainState::SlowStart { threshold, window } => match lost {
                0 => (self.slow_start(2 * window, threshold), MoveOutcome::Round),
                _ => first_loss(window, 2 * window - lost, lost),
            },
            ChainState::FirstBackoff { threshold } => match lost {
                0 => (self.slow_start(2, threshold), MoveOutcome::Round),
                _ => (ChainState::Backoff { timeouts: 2 }, MoveOutcome::Wait(1)),
            },
            ChainState::Backoff { timeouts } => match lost {
                0 => (self.full(2), MoveOutcome::Round),
                _ => {
                    let next = (timeouts + 1).min(Account::new(&self.path).last_backoff());
                    (ChainState::Backoff { timeouts: next }, MoveOutcome::Wait(timeouts))
                }
            },
        }
    }

    /// F(w) within the limit (W-2).
    fn full(&self, window: u32) -> ChainState {
        ChainState::Full { window: window.min(self.limit) }
    }

    /// S(w, τ), or F(max(τ, 2)) where slow start is over.
    fn slow_start(&self, window: u32, threshold: u32) -> ChainState {
        if window < threshold {
            ChainState::SlowStart { threshold, window }
        } else {
            self.full(threshold.max(2))
        }
    }
}

/// `lost` of `sent` packets are the first loss, with a window that has grown to `window`.
fn first_loss(sent: u32, window: u32, lost: u32) -> (ChainState, MoveOutcome) {
    if lost == sent {
        return timeout(sent);
    }
    (ChainState::AfterLoss { window, packets: window - lost }, MoveOutcome::Round)
}

fn timeout(window: u32) -> (ChainState, MoveOutcome) {
    (ChainState::FirstBackoff { threshold: threshold(window) }, MoveOutcome::Timeout)
}
