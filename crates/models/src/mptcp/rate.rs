//! The send rate of a subflow that nothing blocks (LIU §4.2, §4.3): the times of growth, time-outs and slow start.

use super::window::SubflowWindow;
use super::{Subflow, all_but};

/// k: for each subflow, the mean round-trip time of the one that sends its lost packet again, which is one of the others
/// with probability ∝ 1 / p (LIU (21)), in seconds; nothing for a subflow alone.
pub(super) fn retransmitting(subflows: &[Subflow]) -> Vec<Option<f64>> {
    if subflows.len() < 2 {
        return vec![None; subflows.len()];
    }
    // Divided by the least p: 1 / p alone may be too large for a double.
    let least = subflows.iter().map(|subflow| subflow.loss).fold(1.0, f64::min);
    let weights: Vec<f64> = subflows.iter().map(|subflow| least / subflow.loss).collect();
    let times = subflows.iter().zip(&weights).map(|(subflow, weight)| subflow.round_trip * weight);
    let times: Vec<f64> = times.collect();
    let shares = all_but::sums(&times).into_iter().zip(all_but::sums(&weights));
    shares.map(|(time, weight)| Some(time / weight)).collect()
}

/// TP: packets/s sent, lost ones included, with the first slow-start threshold at half the window (L-4) and
/// one time-out of `elsewhere`, the round-trip time of the subflow that repairs it.
pub(super) fn unblocked(subflow: &Subflow, window: &SubflowWindow, elsewhere: Option<f64>) -> f64 {
    let Subflow { loss, round_trip, timeout } = *subflow;
    let timeouts = window.timeout_probability();
    let threshold = (window.peak / 2.0).max(1.0);
    let growing = ((window.peak + 1.0) * window.growth + 1.0) / 2.0 * round_trip;
    let waiting = elsewhere.map_or(timeout, |other| timeout.min(timeout - round_trip + 1.5 * other));
    let slow_start = (libm::log2(threshold) + 1.0) * round_trip;

    let sent = 2.0 * timeouts * threshold + (1.0 - loss) / loss + window.peak;
    sent / (timeouts * (slow_start + waiting) + growing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subflow(loss: f64, round_trip: f64) -> Subflow {
        Subflow { loss, round_trip, timeout: 0.2 }
    }

    #[test]
    fn the_less_a_subflow_loses_the_more_it_repairs() {
        let repairs = retransmitting(&[subflow(0.5, 9.0), subflow(0.01, 0.1), subflow(0.03, 0.5)]);
        let expected =
            [0.2, (9.0 * 2.0 + 0.5 * 100.0 / 3.0) / (2.0 + 100.0 / 3.0), (9.0 * 2.0 + 10.0) / 102.0];
        for (repair, expected) in repairs.into_iter().zip(expected) {
            assert!(
                (repair.expect("there are others") / expected - 1.0).abs() < 1e-13,
                "{repair:?} {expected}"
            );
        }
        assert_eq!(retransmitting(&[subflow(0.5, 9.0)]), [None]);
    }

    #[test]
    fn a_subflow_alone_waits_for_its_own_time_out() {
        // W = 4, Q = 3/4, threshold 2: 3 + 24 + 4 packets in 10.5 round trips, and three times in four two more and a
        // time-out.
        let (alone, window) = (subflow(0.04, 0.02), SubflowWindow::closed_form(0.04));
        let rate = unblocked(&alone, &window, None);
        assert!((rate / (31.0 / (10.5 * 0.02 + 0.75 * (0.04 + 0.2))) - 1.0).abs() < 1e-13, "{rate}");
        // With another as near, the time-out is over 10 ms later than a round trip less.
        let helped = unblocked(&alone, &window, Some(0.01));
        assert!((helped / (31.0 / (10.5 * 0.02 + 0.75 * (0.04 + 0.195))) - 1.0).abs() < 1e-13, "{helped}");
    }
}
