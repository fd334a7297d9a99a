//! The window of a subflow when a loss comes, and how slowly it grows there.

use crate::ModelError;

/// t = √3 / 2: the mean window over a period as a share of the window at its end (L-1).
pub(super) const MEAN_TO_PEAK: f64 = 0.866_025_403_784_438_6;

/// A subflow's window and growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SubflowWindow {
    /// W: when a loss comes, in packets.
    pub(super) peak: f64,
    /// cw: on average, in packets.
    pub(super) mean: f64,
    /// m: rounds in which it grows by one packet.
    pub(super) growth: f64,
}

impl SubflowWindow {
    /// W = √(2 (1 − p) / (3 p)), m = 4 (LIU (18) with t = √3 / 2, L-2): the window of two equal coupled subflows,
    /// whatever the subflows are.
    pub(super) fn closed_form(loss: f64) -> SubflowWindow {
        SubflowWindow::with_peak((2.0 / 3.0 * (1.0 - loss) / loss).sqrt(), 4.0)
    }

    /// LIU (18) as printed, for any ratio t of the mean window to the peak and an acknowledgement of each packet:
    /// W² + B W = (1 − p) / (2 t² p) with B = (4 t² − 3) (1 − p) / (4 t² p).
    pub(super) fn printed(loss: f64, mean_to_peak: f64) -> SubflowWindow {
        let between = (1.0 - loss) / loss;
        let square = mean_to_peak * mean_to_peak;
        let peak =
            positive_root(1.0, (4.0 * square - 3.0) * between / (4.0 * square), between / (2.0 * square));
        let growth = 2.0 * (between + peak) / (0.75 * peak * peak + peak / 2.0);
        SubflowWindow { peak, mean: mean_to_peak * peak, growth }
    }

    /// Of a subflow that grows by one packet in `growth` rounds: the root of (1 − p) / p + W = (3 W² / 4 + W / 2) m / 2,
    /// 1 or more.
    pub(super) fn grown(loss: f64, growth: f64) -> SubflowWindow {
        let between = (1.0 - loss) / loss;
        let peak = positive_root(0.375 * growth, growth / 4.0 - 1.0, between).max(1.0);
        SubflowWindow::with_peak(peak, growth)
    }

    /// A window of this size at a loss, with the mean that goes with it.
    pub(super) fn with_peak(peak: f64, growth: f64) -> SubflowWindow {
        SubflowWindow { peak, mean: MEAN_TO_PEAK * peak, growth }
    }

    /// Q = min(1, 3 / W): the probability that a loss ends in a time-out (LIU (25)).
    pub(super) fn timeout_probability(&self) -> f64 {
        (3.0 / self.peak).min(1.0)
    }

    /// The window, unless it is below one packet.
    pub(super) fn check(self, model: &'static str, loss: f64) -> Result<SubflowWindow, ModelError> {
        if self.peak < 1.0 {
            let why =
                format!("a loss probability of {loss} leaves a window of {} packets, below 1", self.peak);
            return Err(ModelError::Domain { model, why });
        }
        Ok(self)
    }
}

/// The root above 0 of a x² + b x = c, for a and c above 0, without the difference of nearly equal numbers.
fn positive_root(square: f64, linear: f64, constant: f64) -> f64 {
    let discriminant = (linear * linear + 4.0 * square * constant).sqrt();
    if linear > 0.0 {
        2.0 * constant / (linear + discriminant)
    } else {
        (discriminant - linear) / (2.0 * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn four_packets_in_a_hundred_lost_leave_a_window_of_four() {
        // G21.
        let window = SubflowWindow::closed_form(0.04);
        assert_near(window.peak, 4.0);
        assert_near(window.timeout_probability(), 0.75);
    }

    #[test]
    fn growth_takes_four_rounds_whatever_is_lost() {
        // G21: the printed quadratic with t = √3 / 2 is the closed form, and its growth is 4 for any p.
        for loss in [1e-8, 1e-3, 0.04, 0.3] {
            let (printed, closed) =
                (SubflowWindow::printed(loss, MEAN_TO_PEAK), SubflowWindow::closed_form(loss));
            // B is 4 t² − 3, which is not quite 0, times 1 / p.
            assert!((printed.peak / closed.peak - 1.0).abs() < 1e-10, "{loss}: {printed:?}");
            assert!((printed.growth / 4.0 - 1.0).abs() < 1e-10, "{loss}: {printed:?}");
            assert_near(SubflowWindow::grown(loss, 4.0).peak, closed.peak);
        }
    }

    #[test]
    fn the_printed_window_hangs_on_the_ratio() {
        // L-2: two and a half times as large with 0.75 as with 0.866, at LIU's usual loss.
        let (flat, pointed) =
            (SubflowWindow::printed(0.04, 0.75), SubflowWindow::printed(0.04, MEAN_TO_PEAK));
        assert!(flat.peak / pointed.peak > 2.5, "{flat:?} {pointed:?}");
        let root = |ratio: f64| {
            let (window, between) = (SubflowWindow::printed(0.01, ratio).peak, 99.0);
            let printed = 2.0 * ratio * ratio * window * window;
            printed + (4.0 * ratio * ratio - 3.0) * between * window / 2.0
        };
        for ratio in [0.5, 0.75, 0.9, 1.0] {
            assert_near(root(ratio), 99.0);
        }
    }

    #[test]
    fn a_subflow_alone_has_the_window_of_pftk() {
        assert_near(SubflowWindow::grown(0.04, 1.0).peak, 1.0 + 65.0_f64.sqrt());
    }

    #[test]
    fn the_last_rounds_before_a_loss_are_half_a_step_on_average() {
        // LIU-T1: the loss is in round i of the m rounds with window W, each as likely, and anywhere in that round: i
        // round trips pass, and (i − 1) W and half of W packets are sent.
        let (window, growth) = (20.0, 4);
        let rounds: Vec<f64> = (1..=growth).map(f64::from).collect();
        let mean =
            |values: &dyn Fn(f64) -> f64| rounds.iter().map(|i| values(*i)).sum::<f64>() / f64::from(growth);
        assert_near(mean(&|round| (round - 1.0) * window + window / 2.0), window * f64::from(growth) / 2.0);
        assert_near(mean(&|round| round), (f64::from(growth) + 1.0) / 2.0);
    }
}
