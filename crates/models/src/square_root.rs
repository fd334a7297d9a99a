//! The square-root law: the throughput, at rare losses, of any sender that halves its window.

use crate::ModelError;
use crate::error::{check_loss, check_round_trip};

/// √(2/p) / RTT with a factor before it (IY §4.1: throughput ∝ 1 / (RTT √p)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquareRoot {
    /// 1 in LIU (1); √3 / 2 for a sender that grows by one packet a round trip and halves, on average over the sawtooth.
    pub factor: f64,
}

/// The parameters of a path in the law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquareRootParameters {
    /// p: the probability that a packet is lost; above 0, at most 1.
    pub loss: f64,
    /// RTT, in seconds; above 0.
    pub round_trip: f64,
}

impl Default for SquareRoot {
    /// As in LIU (1).
    fn default() -> SquareRoot {
        SquareRoot { factor: 1.0 }
    }
}

impl SquareRoot {
    const NAME: &'static str = "square-root";

    /// The throughput of one path, in packets/s.
    ///
    /// # Errors
    /// A parameter outside its domain; no loss, for which the law has no bound.
    pub fn throughput(&self, path: &SquareRootParameters) -> Result<f64, ModelError> {
        check_loss(path.loss)?;
        check_round_trip(path.round_trip)?;
        if !(self.factor.is_finite() && self.factor > 0.0) {
            let why = format!("its factor of {} is not a finite number above 0", self.factor);
            return Err(ModelError::Domain { model: SquareRoot::NAME, why });
        }
        if path.loss == 0.0 {
            let why = "without loss the model has no bound".to_owned();
            return Err(ModelError::Domain { model: SquareRoot::NAME, why });
        }
        // √2 / √p: 2 / p itself may be too large for a double.
        let rate = self.factor * std::f64::consts::SQRT_2 / path.loss.sqrt() / path.round_trip;
        ModelError::unless_finite(SquareRoot::NAME, rate)
    }

    /// The throughput of a whole multipath connection, in packets/s: that of its best path alone (LIU (1)).
    ///
    /// # Errors
    /// An empty list, or the first wrong parameter of a path.
    pub fn connection(&self, paths: &[SquareRootParameters]) -> Result<f64, ModelError> {
        if paths.is_empty() {
            return Err(ModelError::NoPath);
        }
        paths.iter().try_fold(0.0, |best: f64, path| Ok(best.max(self.throughput(path)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: SquareRootParameters = SquareRootParameters { loss: 0.02, round_trip: 0.1 };

    fn carried(path: SquareRootParameters) -> f64 {
        SquareRoot::default().throughput(&path).expect("in its domain")
    }

    #[test]
    fn two_packets_in_a_hundred_lost_leave_ten_a_round_trip() {
        assert!((carried(PATH) - 100.0).abs() < 1e-12);
    }

    #[test]
    fn two_equal_paths_by_themselves_carry_twice_what_one_does() {
        // M-MOD-9: the law holds for each path, and so for the sum; LIU (1) gives both together no more than one.
        assert_eq!([PATH, PATH].map(carried).iter().sum::<f64>(), 2.0 * carried(PATH));
        assert_eq!(SquareRoot::default().connection(&[PATH, PATH]), Ok(carried(PATH)));
    }

    #[test]
    fn four_times_the_loss_and_twice_the_time_each_halve_it() {
        let lossier = SquareRootParameters { loss: 0.08, ..PATH };
        let longer = SquareRootParameters { round_trip: 0.2, ..PATH };
        assert!((carried(lossier) - 50.0).abs() < 1e-12 && (carried(longer) - 50.0).abs() < 1e-12);
        assert_eq!(SquareRoot::default().connection(&[lossier, PATH, longer]), Ok(carried(PATH)));
    }

    #[test]
    fn what_it_cannot_say_is_an_error() {
        let rule = SquareRoot::default();
        assert_eq!(rule.connection(&[]), Err(ModelError::NoPath));
        let said =
            rule.throughput(&SquareRootParameters { loss: 0.0, ..PATH }).expect_err("no loss").to_string();
        assert_eq!(said, "the model square-root cannot be solved here: without loss the model has no bound");
        let still = SquareRootParameters { round_trip: 0.0, ..PATH };
        assert_eq!(rule.throughput(&still), Err(ModelError::RoundTrip(0.0)));
        assert!(SquareRoot { factor: f64::NAN }.throughput(&PATH).is_err());
    }
}
