//! The states of the chain, and the list of them.

use crate::PathParameters;
use crate::markov::account::Account;

/// A state: how much is sent in the next round, and under which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChainState {
    /// F(w): w packets are sent, none is missing.
    Full {
        /// w.
        window: u32,
    },
    /// L(w, x): after a loss in a window of w packets, x < w are sent (WS (13)).
    AfterLoss {
        /// w.
        window: u32,
        /// x.
        packets: u32,
    },
    /// S(w, τ): slow start below its threshold (WS (15), W-6).
    SlowStart {
        /// τ.
        threshold: u32,
        /// w.
        window: u32,
    },
    /// B(1, τ): one packet after the first time-out (WS (17), W-8).
    FirstBackoff {
        /// τ.
        threshold: u32,
    },
    /// B(k): one packet after the k-th, 2 or more; the last stands for all beyond, whose waits are equal.
    Backoff {
        /// k.
        timeouts: u32,
    },
}

impl ChainState {
    /// w: the window of the round.
    pub fn window(&self) -> u32 {
        match *self {
            ChainState::AfterLoss { window, .. }
            | ChainState::Full { window }
            | ChainState::SlowStart { window, .. } => window,
            ChainState::FirstBackoff { .. } | ChainState::Backoff { .. } => 1,
        }
    }

    /// x: the packets that are sent.
    pub fn packets(&self) -> u32 {
        match *self {
            ChainState::AfterLoss { packets, .. } => packets,
            _ => self.window(),
        }
    }
}

/// Every state of a chain with this limit, window by window; then slow start and back-off.
pub(super) fn list(path: &PathParameters, limit: u32) -> Vec<ChainState> {
    let mut states = Vec::new();
    // With a limit of one packet that packet is the whole window (W-19).
    for window in limit.min(2)..=limit {
        states.push(ChainState::Full { window });
        states.extend((1..window).map(|packets| ChainState::AfterLoss { window, packets }));
    }
    for threshold in thresholds(limit) {
        let windows = (1..threshold.ilog2()).map(|power| 1 << power);
        states.extend(windows.map(|window| ChainState::SlowStart { threshold, window }));
    }
    states.extend(thresholds(limit).map(|threshold| ChainState::FirstBackoff { threshold }));
    states.extend((2..=Account::new(path).last_backoff()).map(|timeouts| ChainState::Backoff { timeouts }));
    states
}

/// τ(w) = 2^⌊log₂(w / 2)⌋, 1 for windows below 4 (WS (16), W-5).
pub(super) fn threshold(window: u32) -> u32 {
    1 << (window.max(2).ilog2() - 1)
}

fn thresholds(limit: u32) -> impl Iterator<Item = u32> {
    (0..limit.max(2).ilog2()).map(|power| 1 << power)
}
