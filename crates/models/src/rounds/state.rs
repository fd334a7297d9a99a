//! The states of models §1.1 and what each round makes of them.

use super::RoundOutcome;
use crate::Halving;

/// Where a path is between two rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundState {
    /// F(w): the window is sent. With a threshold above the window that is slow start, S(w, τ) (W-6).
    Full {
        /// w.
        window: u32,
        /// τ; 0 in congestion avoidance.
        threshold: u32,
        /// The window after growth without a limit.
        wanted: u32,
    },
    /// L(w, x): of the last round's packets w − x are missing, so that x new ones are sent.
    AfterLoss {
        /// w.
        window: u32,
        /// x.
        sent: u32,
        /// The window after growth without a limit.
        wanted: u32,
    },
    /// B(k, τ): one packet is sent, after k time-outs in a row.
    BackOff {
        /// k.
        failures: u32,
        /// τ; the second failure sets it to 0.
        threshold: u32,
    },
}

impl RoundState {
    /// A full window in congestion avoidance that does not want to grow.
    pub(super) fn full(window: u32) -> RoundState {
        RoundState::Full { window, threshold: 0, wanted: window }
    }

    /// The window.
    pub(super) fn window(self) -> u32 {
        match self {
            RoundState::Full { window, .. } | RoundState::AfterLoss { window, .. } => window,
            RoundState::BackOff { .. } => 1,
        }
    }

    /// The number of packets the next round sends.
    pub(super) fn sent(self) -> u32 {
        match self {
            RoundState::Full { window, .. } => window,
            RoundState::AfterLoss { sent, .. } => sent,
            RoundState::BackOff { .. } => 1,
        }
    }

    /// The window after growth without a limit.
    pub(super) fn wanted(self) -> u32 {
        match self {
            RoundState::Full { wanted, .. } | RoundState::AfterLoss { wanted, .. } => wanted,
            RoundState::BackOff { .. } => 1,
        }
    }

    /// Returns the state and the outcome after a round that loses `lost` of its packets.
    pub(super) fn after(self, lost: u32, halving: Halving) -> (RoundState, RoundOutcome) {
        match self {
            RoundState::Full { window, threshold, .. } => after_full(window, threshold, lost),
            RoundState::AfterLoss { window, sent, .. } => after_loss(window, sent, lost, halving),
            RoundState::BackOff { failures, threshold } if lost == 0 => {
                let threshold = if failures == 1 { threshold } else { 0 };
                (RoundState::Full { window: 1, threshold, wanted: 2 }, RoundOutcome::Growth)
            }
            RoundState::BackOff { failures, .. } => (
                RoundState::BackOff { failures: failures.saturating_add(1), threshold: 0 },
                RoundOutcome::BackOff,
            ),
        }
    }

    /// With one packet more of window.
    pub(super) fn grown(self) -> RoundState {
        match self {
            RoundState::Full { window, threshold, wanted } => {
                RoundState::Full { window: window + 1, threshold, wanted }
            }
            RoundState::AfterLoss { window, sent, wanted } => {
                RoundState::AfterLoss { window: window + 1, sent: sent + 1, wanted }
            }
            RoundState::BackOff { .. } => self,
        }
    }

    /// With one packet less of window, of more than one: of w − x outstanding losses at most w' − 1 stay.
    pub(super) fn cut(self) -> RoundState {
        match self {
            RoundState::Full { window, threshold, .. } => {
                RoundState::Full { window: window - 1, threshold, wanted: window - 1 }
            }
            RoundState::AfterLoss { window, sent, .. } => missing(window - 1, (sent - 1).max(1)),
            RoundState::BackOff { .. } => self,
        }
    }
}

/// F(w) and S(w, τ): without loss the window grows, in slow start to 2 w, at most τ; otherwise L, or with all lost a
/// time-out.
fn after_full(window: u32, threshold: u32, lost: u32) -> (RoundState, RoundOutcome) {
    let doubles = window < threshold;
    if lost == 0 {
        let wanted = if doubles { (2 * window).min(threshold) } else { window + 1 };
        let threshold = if doubles { threshold } else { 0 };
        (RoundState::Full { window, threshold, wanted }, RoundOutcome::Growth)
    } else if lost == window {
        (timed_out(window), RoundOutcome::Timeout)
    } else if doubles {
        // The window grows by what got through: L(2 w − g, 2 w − 2 g).
        let wanted = 2 * window - lost;
        (RoundState::AfterLoss { window, sent: window - lost, wanted }, RoundOutcome::Loss)
    } else {
        (missing(window, window - lost), RoundOutcome::Loss)
    }
}

/// L(w, x): a fast retransmit if at least four get through and fewer are lost than the halved window has (W-3, W-4).
fn after_loss(window: u32, sent: u32, lost: u32, halving: Halving) -> (RoundState, RoundOutcome) {
    let half = halving.half(window);
    if sent - lost < 4 || lost >= half {
        (timed_out(window), RoundOutcome::Timeout)
    } else if lost == 0 {
        (RoundState::full(half), RoundOutcome::FastRetransmit)
    } else {
        (missing(half, half - lost), RoundOutcome::FastRetransmit)
    }
}

/// L(w, x), which does not want to grow.
fn missing(window: u32, sent: u32) -> RoundState {
    RoundState::AfterLoss { window, sent, wanted: window }
}

/// B(1, τ(w)), τ(w) = 2^⌊log₂(w / 2)⌋ (W-5).
fn timed_out(window: u32) -> RoundState {
    let threshold = if window < 2 { 1 } else { 1 << (window / 2).ilog2() };
    RoundState::BackOff { failures: 1, threshold }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the state and the outcome when all growth is granted.
    fn after(state: RoundState, lost: u32) -> (RoundState, RoundOutcome) {
        let (mut next, outcome) = state.after(lost, Halving::Ceil);
        while next.wanted() > next.window() {
            next = next.grown();
        }
        (next, outcome)
    }

    fn slow(window: u32, threshold: u32) -> RoundState {
        RoundState::Full { window, threshold, wanted: window }
    }

    fn back_off(failures: u32, threshold: u32) -> RoundState {
        RoundState::BackOff { failures, threshold }
    }

    #[test]
    fn a_full_window_grows_by_one_and_waits_for_what_is_missing() {
        assert_eq!(after(RoundState::full(9), 0).0.window(), 10);
        assert_eq!(after(RoundState::full(9), 2), (missing(9, 7), RoundOutcome::Loss));
        assert_eq!(after(RoundState::full(9), 9), (back_off(1, 4), RoundOutcome::Timeout));
        assert_eq!(after(RoundState::full(3), 3), (back_off(1, 1), RoundOutcome::Timeout));
        assert_eq!(after(RoundState::full(1), 1), (back_off(1, 1), RoundOutcome::Timeout));
    }

    #[test]
    fn four_deliveries_after_a_loss_retransmit_fast_if_less_than_the_half_is_lost_again() {
        assert_eq!(after(missing(9, 7), 0), (RoundState::full(5), RoundOutcome::FastRetransmit));
        assert_eq!(after(missing(9, 7), 3), (missing(5, 2), RoundOutcome::FastRetransmit));
        assert_eq!(after(missing(9, 7), 4), (back_off(1, 4), RoundOutcome::Timeout));
        assert_eq!(after(missing(16, 14), 8), (back_off(1, 8), RoundOutcome::Timeout));
        assert_eq!(after(missing(5, 3), 0), (back_off(1, 2), RoundOutcome::Timeout));
        let (next, _) = missing(9, 7).after(0, Halving::Floor);
        assert_eq!(next, RoundState::full(4));
    }

    #[test]
    fn a_back_off_ends_in_slow_start_after_its_first_packet_only() {
        assert_eq!(
            after(back_off(1, 8), 0),
            (RoundState::Full { window: 2, threshold: 8, wanted: 2 }, RoundOutcome::Growth)
        );
        assert_eq!(after(back_off(1, 8), 1), (back_off(2, 0), RoundOutcome::BackOff));
        assert_eq!(after(back_off(2, 0), 1), (back_off(3, 0), RoundOutcome::BackOff));
        assert_eq!(after(back_off(2, 0), 0), (RoundState::full(2), RoundOutcome::Growth));
        assert_eq!(after(back_off(u32::MAX, 0), 1), (back_off(u32::MAX, 0), RoundOutcome::BackOff));
    }

    #[test]
    fn slow_start_doubles_up_to_its_threshold() {
        assert_eq!(after(slow(2, 8), 0), (slow(4, 8), RoundOutcome::Growth));
        assert_eq!(after(slow(4, 8), 0), (slow(8, 8), RoundOutcome::Growth));
        assert_eq!(after(slow(8, 8), 0).0.window(), 9);
        assert_eq!(after(slow(4, 8), 1), (missing(7, 6), RoundOutcome::Loss));
        assert_eq!(after(slow(4, 8), 4), (back_off(1, 2), RoundOutcome::Timeout));
    }

    #[test]
    fn a_cut_window_keeps_something_to_send() {
        assert_eq!(missing(9, 7).cut(), missing(8, 6));
        assert_eq!(missing(9, 1).cut(), missing(8, 1));
        assert_eq!(slow(4, 8).cut(), slow(3, 8));
    }
}
