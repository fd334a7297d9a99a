//! The renewal model of a path with a limited window (WS §4.4), as corrected: a mean period from one loss to the next,
//! without single rounds.

mod lost;
mod time;
mod window;

pub use lost::LossRule;
pub use time::RttRule;

use crate::{LimitedPath, ModelError, PathParameters, ThroughputModel, WindowModel};

/// The model with its two choices. It is too low by 6.5 % where losses are rare and each stands alone, for it takes every
/// period as the mean one: η RTT √p → √(3/2) as p → 0, the Markov model's 1.3098.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renewal {
    /// The number of packets the end of a period loses.
    pub loss_rule: LossRule,
    /// The length of its rounds.
    pub rtt_rule: RttRule,
}

/// The mean time from one loss to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// E\[W\]: the window when the loss comes, in packets (WS (33), (34)).
    pub window: f64,
    /// X: rounds of growth and at the limit; the period has one more (W-10).
    pub rounds: f64,
    /// V: those of them at the limit (WS (41)).
    pub plateau: f64,
    /// E\[L\]: packets lost at its end.
    pub lost: f64,
    /// P_TO: the probability that it ends in a time-out (WS (44)).
    pub timeout_probability: f64,
    /// T_EB: the mean time of the time-outs in a row, if it does, in seconds (WS (46)).
    pub backoff: f64,
    /// η: delivered packets/s (WS (55)).
    pub throughput: f64,
}

impl Renewal {
    const NAME: &'static str = "renewal";

    /// The longest curve that is made, in packets of window.
    pub const LARGEST: u32 = 1 << 24;

    /// The mean period of `path` with its window limited to `limit` packets.
    ///
    /// # Errors
    /// A parameter outside its domain; a loss of 0, with which no period ends, or of 1, with which none begins.
    pub fn period(&self, path: &PathParameters, limit: u32) -> Result<Period, ModelError> {
        LimitedPath { path: *path, limit }.check()?;
        if path.loss < f64::MIN_POSITIVE || path.loss >= 1.0 {
            let why = format!(
                "periods between losses need a loss probability above 0 and below 1, not {}",
                path.loss
            );
            return Err(ModelError::Domain { model: Renewal::NAME, why });
        }
        self.period_after(path, window::unconstrained(self.loss_rule, path.loss), limit)
    }

    /// The same, with the window that growth reaches where nothing limits it already known.
    fn period_after(&self, path: &PathParameters, grown: f64, limit: u32) -> Result<Period, ModelError> {
        let limit = f64::from(limit);
        let (window, plateau) = if grown < limit {
            (grown, 0.0)
        } else {
            (limit, window::plateau(self.loss_rule, path.loss, limit))
        };
        let lost = self.loss_rule.lost(path.loss, window);
        let timeout_probability = window::timeout_probability(path.loss, window);
        let backoff = self.rtt_rule.backoff(path, window);

        let sent = (1.0 - path.loss) / path.loss + window;
        let slow_start = self.rtt_rule.slow_start(path, window);
        let delivered = sent - lost + timeout_probability * (window - 1.0);
        let time = self.rtt_rule.rounds(path, window, plateau) + timeout_probability * (backoff + slow_start);
        let throughput = ModelError::unless_finite(Renewal::NAME, delivered / time)?;
        let rounds = window / 2.0 + 1.0 + plateau;
        Ok(Period { window, rounds, plateau, lost, timeout_probability, backoff, throughput })
    }

    /// η for limits from 1 up to `up_to`, checked before.
    fn rising(&self, path: &PathParameters, up_to: u32) -> Result<Vec<f64>, ModelError> {
        let grown = window::unconstrained(self.loss_rule, path.loss);
        let mut curve = Vec::with_capacity(up_to as usize);
        for limit in 1..=up_to {
            let throughput = self.period_after(path, grown, limit)?.throughput;
            curve.push(throughput);
            if grown < f64::from(limit) {
                // No larger limit is reached.
                curve.resize(up_to as usize, throughput);
                break;
            }
        }
        Ok(curve)
    }

    fn of_path(&self, limited: &LimitedPath) -> Result<f64, ModelError> {
        let LimitedPath { path, limit } = limited;
        limited.check()?;
        match without_period(path, *limit) {
            Some(throughput) => ModelError::unless_finite(Renewal::NAME, throughput),
            None => Ok(self.period(path, *limit)?.throughput),
        }
    }
}

/// Returns the throughput of `path` where losses are so rare that no period ends, or where every packet is lost.
fn without_period(path: &PathParameters, limit: u32) -> Option<f64> {
    let window = f64::from(limit);
    if path.loss >= 1.0 {
        Some(0.0)
    } else {
        (path.loss < f64::MIN_POSITIVE).then(|| window / path.round(window))
    }
}

impl ThroughputModel for Renewal {
    fn name(&self) -> &'static str {
        Renewal::NAME
    }

    /// Each path independently.
    fn throughput(&self, paths: &[LimitedPath]) -> Result<Vec<f64>, ModelError> {
        if paths.is_empty() {
            return Err(ModelError::NoPath);
        }
        paths.iter().map(|path| self.of_path(path)).collect()
    }
}

impl WindowModel for Renewal {
    fn curve(&self, path: &PathParameters, up_to: u32) -> Result<Vec<f64>, ModelError> {
        LimitedPath { path: *path, limit: up_to }.check()?;
        if up_to > Renewal::LARGEST {
            return Err(ModelError::TooLarge { limit: up_to, largest: Renewal::LARGEST });
        }
        if without_period(path, up_to).is_none() {
            return self.rising(path, up_to);
        }
        let values = (1..=up_to).filter_map(|limit| without_period(path, limit));
        values.map(|value| ModelError::unless_finite(Renewal::NAME, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeoutBounds;

    fn path(loss: f64) -> PathParameters {
        PathParameters { rate: 1750.0, delay: 0.04, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
    }

    #[test]
    fn a_period_is_the_golden_one() {
        // G18.
        let period = Renewal::default().period(&path(1e-3), 1000).expect("in its domain");
        assert!((period.window - 51.2817).abs() < 5e-5);
        assert!((period.rounds - 26.6408).abs() < 1e-4);
        assert!((period.timeout_probability - 0.083534).abs() < 5e-7);
    }

    #[test]
    fn rare_losses_give_the_square_root_of_three_halves() {
        let wide =
            PathParameters { rate: 1e12, delay: 0.1, loss: 1e-10, timeout: TimeoutBounds::WALLACE_SHAMI };
        let period = Renewal::default().period(&wide, u32::MAX).expect("in its domain");
        let constant = period.throughput * 0.1 * 1e-5;
        assert!((constant - 1.2247).abs() < 1e-4, "{constant}");
    }

    #[test]
    fn a_curve_is_what_each_limit_gives() {
        for loss in [0.0, 1e-4, 0.02, 0.7, 1.0] {
            for loss_rule in [LossRule::Half, LossRule::Printed62, LossRule::Conditional] {
                let model = Renewal { loss_rule, rtt_rule: RttRule::Rounds };
                let curve = model.curve(&path(loss), 200).expect("in its domain");
                let limits = 1..=200;
                let each: Vec<LimitedPath> =
                    limits.map(|limit| LimitedPath { path: path(loss), limit }).collect();
                assert_eq!(curve, model.throughput(&each).expect("in its domain"), "{loss} {loss_rule:?}");
            }
        }
    }

    #[test]
    fn without_loss_a_path_carries_its_window_or_its_rate() {
        let curve = Renewal::default().curve(&path(0.0), 300).expect("in its domain");
        assert_eq!(curve[0], 1.0 / (0.04 + 1.0 / 1750.0));
        assert_eq!(curve[299], 1750.0);
        // The smallest double above 0 has no inverse.
        assert_eq!(Renewal::default().curve(&path(5e-324), 300), Ok(curve));
    }

    #[test]
    fn what_has_no_period_is_named() {
        let said =
            |loss| Renewal::default().period(&path(loss), 9).expect_err("outside its domain").to_string();
        assert_eq!(
            said(0.0),
            "the model renewal cannot be solved here: periods between losses need a loss probability above 0 \
             and below 1, not 0"
        );
        assert!(said(1.0).ends_with("not 1"));
        assert_eq!(said(f64::NAN), "a loss probability of NaN is not between 0 and 1");
        assert_eq!(Renewal::default().period(&path(0.1), 0), Err(ModelError::NoWindow));
        assert_eq!(Renewal::default().throughput(&[]), Err(ModelError::NoPath));
        let (limit, largest) = (u32::MAX, Renewal::LARGEST);
        assert_eq!(Renewal::default().curve(&path(0.1), limit), Err(ModelError::TooLarge { limit, largest }));
    }
}
