//! The window at the end of a renewal period, and whether the loss there ends in a time-out.

use super::LossRule;

/// Halvings of an interval that leave no number inside it, and some more.
const MOST_HALVINGS: usize = 128;

/// E\[W\]: the window that growth by one packet a round reaches before a loss, in packets and never below 1, where
/// nothing limits it: the root of 3 W² / 8 + 3 W / 4 = (1 − p) / p + E\[L\](W) (WS (33), (34)); 0 < `loss` < 1.
pub(super) fn unconstrained(rule: LossRule, loss: f64) -> f64 {
    let between = (1.0 - loss) / loss;
    if rule == LossRule::Half {
        return ((8.0 / 3.0 * between + 1.0 / 9.0).sqrt() - 1.0 / 3.0).max(1.0);
    }
    let lacks = |window: f64| 0.375 * window * window + 0.75 * window < between + rule.lost(loss, window);
    let (mut low, mut high) = (1.0, 10.0 + 4.0 / loss.sqrt());
    for _ in 0..MOST_HALVINGS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if lacks(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if lacks(low) { high } else { low }
}

/// V: rounds at the limit `window`, where growth meets it (WS (41)): 0 or more.
pub(super) fn plateau(rule: LossRule, loss: f64, window: f64) -> f64 {
    let between = (1.0 - loss) / loss;
    ((between + rule.lost(loss, window)) / window - 0.375 * window - 0.75).max(0.0)
}

/// P_TO: the probability that a loss in a window of `window` packets ends in a time-out (WS (44)), with four reports to
/// a fast retransmit; 1 up to four packets (W-14).
pub(super) fn timeout_probability(loss: f64, window: f64) -> f64 {
    if window <= 4.0 {
        return 1.0;
    }
    let decay = libm::log1p(-loss);
    let lost_of_four = -libm::expm1(4.0 * decay);
    let lost_of_all = -libm::expm1(window * decay);
    (lost_of_four * (libm::exp(4.0 * decay) + lost_of_all) / lost_of_all).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_loss_in_a_thousand_makes_a_window_of_51_packets() {
        // G18.
        let window = unconstrained(LossRule::Half, 1e-3);
        assert!((window - 51.2817).abs() < 5e-5, "{window}");
        let timeouts = timeout_probability(1e-3, window);
        assert!((timeouts - 0.083534).abs() < 5e-7, "{timeouts}");
    }

    #[test]
    fn the_time_out_probability_is_the_sum_over_the_first_lost_packet() {
        // G19: before the first loss fewer than four packets get through, or four and more and of the next four one
        // is lost.
        let (loss, window) = (0.01_f64, 20);
        let first = |at: i32| loss * (1.0 - loss).powi(at) / (1.0 - (1.0 - loss).powi(window));
        let again = 1.0 - (1.0 - loss).powi(4);
        let sum = (0..4).map(first).sum::<f64>() + (4..window).map(|at| first(at) * again).sum::<f64>();
        assert!((timeout_probability(loss, f64::from(window)) / sum - 1.0).abs() < 1e-13);
        assert!((sum - 0.247272).abs() < 5e-7, "{sum}");
    }

    #[test]
    fn growth_and_the_limit_meet_without_a_step() {
        for rule in [LossRule::Half, LossRule::Printed62, LossRule::Conditional] {
            for loss in [1e-6, 1e-3, 0.1] {
                let at = unconstrained(rule, loss);
                assert!(plateau(rule, loss, at) < 1e-9 * at, "{rule:?} {loss}");
                assert!(plateau(rule, loss, at * 0.99) > 0.0, "{rule:?} {loss}");
            }
        }
    }

    #[test]
    fn a_window_is_never_below_one_packet() {
        for rule in [LossRule::Half, LossRule::Printed62, LossRule::Conditional] {
            assert_eq!(unconstrained(rule, 1.0 - f64::EPSILON), 1.0, "{rule:?}");
        }
    }
}
