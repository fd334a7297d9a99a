//! The number of packets the end of a renewal period loses, by three rules.

/// The number of packets that are lost at the end of a period, with a window of W packets then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossRule {
    /// W / 2, as WS choose.
    #[default]
    Half,
    /// (1 − (1 + p W) qᵂ) / p, as WS (62) is printed: the mean over all rounds, with a loss or without, and so near 0
    /// for small p (W-13).
    Printed62,
    /// W / (1 − qᵂ) − q / p: of a round that loses, all from the first lost packet on. Near (W + 1) / 2 for small p.
    Conditional,
}

impl LossRule {
    /// E\[L\], in packets, with a window of `window` packets when the loss comes; 0 < `loss` < 1.
    pub(super) fn lost(self, loss: f64, window: f64) -> f64 {
        let decay = -libm::log1p(-loss);
        let exponent = window * decay;
        match self {
            LossRule::Half => window / 2.0,
            LossRule::Printed62 if exponent > 1.0 => {
                (1.0 - (1.0 + loss * window) * libm::exp(-exponent)) / loss
            }
            // 1 − (1 + p W) e⁻ᵘ = e⁻ᵘ ((eᵘ − 1 − u) + (u − p W)): no digit is lost where both are small.
            LossRule::Printed62 => {
                let of_window = exponent * (exponent / loss) * exp_excess(exponent);
                libm::exp(-exponent) * (of_window + window * loss * log_excess(loss))
            }
            // W / u = 1 / −ln q, taken off one term and added to the other, leaves nothing large to cancel.
            LossRule::Conditional => {
                let of_window = window * exp_excess(-exponent) * (exponent / -libm::expm1(-exponent));
                1.0 - loss / decay * log_excess(loss) + of_window
            }
        }
    }
}

/// (eˣ − 1 − x) / x², near 1/2 for small x.
fn exp_excess(x: f64) -> f64 {
    if x.abs() > 0.5 {
        return (libm::expm1(x) - x) / (x * x);
    }
    // Twenty-one terms of 1 / 2! + x / 3! + …: the next is below the last digit.
    (3..=22).rev().fold(1.0, |sum, order| 1.0 + x / f64::from(order) * sum) / 2.0
}

/// (−ln(1 − x) − x) / x² for 0 ≤ x < 1, near 1/2 for small x.
fn log_excess(x: f64) -> f64 {
    if x > 0.1 {
        return (-libm::log1p(-x) - x) / (x * x);
    }
    // Sixteen terms of 1 / 2 + x / 3 + …
    (2..=17).rev().fold(0.0, |sum, order| x * sum + 1.0 / f64::from(order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-14, "{value} is not {expected}");
    }

    #[test]
    fn rare_losses_keep_all_their_digits() {
        // By 40-digit arithmetic.
        assert_near(LossRule::Printed62.lost(1e-6, 3.0), 5.999_992_000_003e-6);
        assert_near(LossRule::Conditional.lost(1e-6, 3.0), 2.000_000_666_667);
        assert_near(LossRule::Conditional.lost(1e-5, 1.0), 1.0);
        assert_near(LossRule::Conditional.lost(1e-300, 51.0), 26.0);
    }

    #[test]
    fn the_two_ways_to_each_function_meet() {
        for edge in [-0.5, 0.5] {
            assert_near(exp_excess(edge * (1.0 + 1e-15)), exp_excess(edge));
        }
        assert_near(log_excess(0.1 * (1.0 + 1e-15)), log_excess(0.1));
        // 1 − 2 / e, on both sides of u = 1.
        let certain = 1.0 - libm::exp(-1.0);
        assert_near(
            LossRule::Printed62.lost(certain, 1.0 - 1e-15),
            LossRule::Printed62.lost(certain, 1.0 + 1e-15),
        );
    }

    #[test]
    fn a_round_that_loses_loses_half_of_itself_and_half_a_packet() {
        assert_near(LossRule::Conditional.lost(1e-12, 50.0), 25.5 + 1e-12 * 50.0 * 50.0 / 12.0);
    }

    #[test]
    fn a_window_of_two_loses_what_counting_says() {
        // Lost first: both. Lost second only: one. p = 0.5: the first with 1/2, the second with 1/4.
        assert_near(LossRule::Conditional.lost(0.5, 2.0), (0.5 * 2.0 + 0.25) / 0.75);
        assert_near(LossRule::Printed62.lost(0.5, 2.0), (1.0 - 2.0 * 0.25) / 0.5);
    }
}
