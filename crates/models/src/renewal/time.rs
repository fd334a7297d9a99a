//! The time the parts of a renewal period take: rounds and waits.

use crate::PathParameters;

/// The time the rounds of a period are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RttRule {
    /// Each as its own window makes it: the mean over the growth from W / 2 to W, then W (W-16).
    #[default]
    Rounds,
    /// The as the window W at the end makes them: too long where the path fills.
    Window,
    /// The round trips of an empty path, d + 1/b, in time-outs too: wrong once the path fills, for comparison only.
    Base,
}

impl RttRule {
    /// The time of growth to `window` packets and `plateau` rounds there, with the round that loses, in seconds.
    pub(super) fn rounds(self, path: &PathParameters, window: f64, plateau: f64) -> f64 {
        let growth = window / 2.0 + 1.0;
        match self {
            RttRule::Rounds => {
                growth * mean_round(path, window / 2.0, window) + (plateau + 1.0) * path.round(window)
            }
            RttRule::Window => (growth + plateau + 1.0) * path.round(window),
            RttRule::Base => (growth + plateau + 1.0) * path.round(0.0),
        }
    }

    /// T_SS: the slow start after a time-out, up to `window` packets, in seconds; one round at least.
    pub(super) fn slow_start(self, path: &PathParameters, window: f64) -> f64 {
        let round = match self {
            RttRule::Rounds | RttRule::Base => path.round(0.0),
            RttRule::Window => path.round(window),
        };
        libm::log2(window).max(1.0) * round
    }

    /// T_EB: the mean time from a time-out to the packet that gets through: Σ pʲ⁻¹ min(2ʲ⁻¹ O, Tmax) over j = 1, 2, …,
    /// in seconds (WS (45), (46) with correction W-12); `path.loss` < 1.
    pub(super) fn backoff(self, path: &PathParameters, window: f64) -> f64 {
        let (loss, longest) = (path.loss, path.timeout.max);
        let first = match self {
            RttRule::Rounds | RttRule::Window => path.timeout(window),
            RttRule::Base => path.timeout(0.0),
        };
        let (mut wait, mut reached, mut sum) = (first, 1.0, 0.0);
        // At most as many doublings as numbers have binary orders of magnitude.
        while wait < longest && reached > 0.0 {
            sum += reached * wait;
            wait *= 2.0;
            reached *= loss;
        }
        sum + reached * longest / (1.0 - loss)
    }
}

/// The mean of R(u) over windows u from `from` to `to` packets.
fn mean_round(path: &PathParameters, from: f64, to: f64) -> f64 {
    let knee = path.rate * path.delay + 1.0;
    if to <= knee {
        path.round(to)
    } else if from >= knee {
        (from + to) / (2.0 * path.rate)
    } else {
        let below = (knee - from) * path.round(0.0);
        let above = (to - knee) * (to + knee) / (2.0 * path.rate);
        (below + above) / (to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeoutBounds;

    fn path() -> PathParameters {
        PathParameters { rate: 1000.0, delay: 0.019, loss: 0.5, timeout: TimeoutBounds::WALLACE_SHAMI }
    }

    #[test]
    fn the_mean_round_is_that_of_many_windows() {
        // The knee is at 20 packets: below, above, and across.
        for (from, to) in [(5.0, 10.0), (30.0, 60.0), (15.0, 30.0)] {
            let steps = 20_000;
            let window = |step: u32| from + (to - from) * (f64::from(step) + 0.5) / f64::from(steps);
            let sum: f64 = (0..steps).map(|step| path().round(window(step))).sum();
            let mean = mean_round(&path(), from, to);
            assert!((mean / (sum / f64::from(steps)) - 1.0).abs() < 1e-8, "{from} to {to}: {mean}");
        }
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let bounded = PathParameters { timeout: TimeoutBounds { min: 1.0, max: 4.0 }, ..path() };
        // 1 + 2 / 2 + 4 / 4 + 4 / 8 + …
        assert!((RttRule::Rounds.backoff(&bounded, 1.0) - 4.0).abs() < 1e-15);
        let longest_at_once = PathParameters { timeout: TimeoutBounds { min: 4.0, max: 4.0 }, ..path() };
        assert_eq!(RttRule::Rounds.backoff(&longest_at_once, 1.0), 8.0);
    }

    #[test]
    fn a_time_out_that_would_double_for_ever_ends_where_no_loss_leads() {
        let endless = TimeoutBounds { min: 0.0, max: f64::MAX };
        let short = PathParameters { rate: 1e300, delay: 0.0, loss: 1e-9, timeout: endless };
        assert!(RttRule::Rounds.backoff(&short, 1.0).is_finite());
    }
}
