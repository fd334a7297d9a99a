//! The windows that coupled growth settles at: each depends on all others (LIU (2), (3), solved without the shortcut of
//! the closed form).

use super::window::SubflowWindow;
use super::{Mptcp, Subflow};
use crate::ModelError;

/// The relative change of a window below which it counts as settled.
const SETTLED: f64 = 1e-13;
/// Every known case takes fewer than 500 rounds.
const MOST_ROUNDS: u32 = 10_000;

/// The windows of `subflows` with `acks` packets an acknowledgement: the fixed point of
/// m = acks max(1 / (a cw), 1) with a = max (cw / RTT²) / (Σ cw / RTT)², and W as growth in m rounds leaves it. Each
/// step goes half the way, on the scale of logarithms.
pub(super) fn windows(subflows: &[Subflow], acks: f64) -> Result<Vec<SubflowWindow>, ModelError> {
    let mut windows: Vec<SubflowWindow> = subflows.iter().map(uncoupled).collect();
    for _ in 0..MOST_ROUNDS {
        let aggression = aggression(subflows, &windows);
        let mut change: f64 = 0.0;
        for (window, subflow) in windows.iter_mut().zip(subflows) {
            let growth = growth(aggression, window.mean, acks);
            let peak = (window.peak * SubflowWindow::grown(subflow.loss, growth).peak).sqrt();
            change = change.max((peak / window.peak - 1.0).abs());
            *window = SubflowWindow::with_peak(peak, growth);
        }
        if change < SETTLED {
            return Ok(settled(subflows, windows, acks));
        }
    }
    let why = format!("the windows do not converge in {MOST_ROUNDS} rounds");
    Err(ModelError::Domain { model: Mptcp::NAME, why })
}

fn uncoupled(subflow: &Subflow) -> SubflowWindow {
    SubflowWindow::with_peak(SubflowWindow::closed_form(subflow.loss).peak.max(1.0), 4.0)
}

/// The windows with the growth that follows from them, and not from those of the previous round.
fn settled(subflows: &[Subflow], windows: Vec<SubflowWindow>, acks: f64) -> Vec<SubflowWindow> {
    let aggression = aggression(subflows, &windows);
    windows
        .into_iter()
        .map(|window| SubflowWindow { growth: growth(aggression, window.mean, acks), ..window })
        .collect()
}

/// a: what an acknowledged packet adds to a coupled window (alpha / cw_total of RFC 6356).
fn aggression(subflows: &[Subflow], windows: &[SubflowWindow]) -> f64 {
    let rates =
        || subflows.iter().zip(windows).map(|(subflow, window)| (window.mean / subflow.round_trip, subflow));
    let sum: f64 = rates().map(|(rate, _)| rate).sum();
    // Divided before the square: times below a nanosecond would leave the range of numbers.
    rates().map(|(rate, subflow)| rate / sum / (sum * subflow.round_trip)).fold(0.0, f64::max)
}

/// m: rounds for one packet of growth, never fewer than a sender alone takes.
fn growth(aggression: f64, mean: f64, acks: f64) -> f64 {
    acks * (1.0 / (aggression * mean)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subflow(loss: f64, round_trip: f64) -> Subflow {
        Subflow { loss, round_trip, timeout: 1.0 }
    }

    fn growths(subflows: &[Subflow]) -> Vec<f64> {
        windows(subflows, 1.0).expect("it settles").iter().map(|window| window.growth).collect()
    }

    #[test]
    fn equal_subflows_grow_as_slowly_as_the_square_of_their_number() {
        for (count, expected) in [(1, 1.0), (2, 4.0), (3, 9.0), (8, 64.0)] {
            for growth in growths(&vec![subflow(1e-4, 0.05); count]) {
                assert!((growth / expected - 1.0).abs() < 1e-11, "{count}: {growth}");
            }
        }
    }

    #[test]
    fn two_equal_subflows_are_the_closed_form() {
        let settled = windows(&[subflow(0.01, 0.05); 2], 1.0).expect("it settles");
        let closed = SubflowWindow::closed_form(0.01).peak;
        assert!(settled.iter().all(|window| (window.peak / closed - 1.0).abs() < 1e-12), "{settled:?}");
    }

    #[test]
    fn all_together_take_what_the_best_alone_would() {
        // RFC 6356's aim, which each window's floor of one packet and the uneven sawtooth do not touch here.
        let both = [subflow(1e-5, 0.05), subflow(1e-5, 0.1)];
        let settled = windows(&both, 1.0).expect("it settles");
        let rate = |window: &SubflowWindow, subflow: &Subflow| window.mean / subflow.round_trip;
        let sum: f64 = settled.iter().zip(&both).map(|(window, subflow)| rate(window, subflow)).sum();
        let alone = windows(&both[..1], 1.0).expect("it settles")[0];
        let ratio = sum / rate(&alone, &both[0]);
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}
