//! The PFTK formulas: what a TCP sender sends over one path (Padhye, Firoiu, Towsley, Kurose: *Modeling TCP Reno
//! Performance*, IEEE/ACM Transactions on Networking 8 (2), 2000).

use crate::error::{check_first_timeout, check_loss, check_round_trip};
use crate::{LimitedPath, ModelError, ThroughputModel};

/// The model: a **send rate**, which counts lost packets as well as those that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pftk {
    /// Which of the two formulas.
    pub form: PftkForm,
    /// a: data packets per acknowledgement; 1 or more.
    pub acks: u32,
}

/// The paper's two formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PftkForm {
    /// With the window's limit inside the model.
    #[default]
    Full,
    /// The approximation with the limit as a bound outside.
    Simple,
}

/// The path as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PftkParameters {
    /// p: the probability that a packet is lost, 0 to 1.
    pub loss: f64,
    /// R: the round-trip time, in seconds; above 0.
    pub round_trip: f64,
    /// t0: the first time-out after a loss, in seconds; above 0.
    pub timeout: f64,
    /// w_m: the largest window, in packets; 1 or more.
    pub limit: u32,
}

impl Default for Pftk {
    /// The full formula with an acknowledgement of each packet.
    fn default() -> Pftk {
        Pftk { form: PftkForm::Full, acks: 1 }
    }
}

impl PftkParameters {
    /// Returns true if every value is in its domain.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), ModelError> {
        check_loss(self.loss)?;
        check_round_trip(self.round_trip)?;
        check_first_timeout(self.timeout)?;
        if self.limit == 0 { Err(ModelError::NoWindow) } else { Ok(()) }
    }
}

impl Pftk {
    const NAME: &'static str = "pftk";

    /// The send rate, in packets/s.
    ///
    /// # Errors
    /// A parameter outside its domain.
    pub fn send_rate(&self, parameters: &PftkParameters) -> Result<f64, ModelError> {
        parameters.check()?;
        if self.acks == 0 {
            return Err(ModelError::NoAcknowledged);
        }
        // A loss probability that has no inverse counts as 0.
        let rate = if parameters.loss < f64::MIN_POSITIVE {
            f64::from(parameters.limit) / parameters.round_trip
        } else {
            match self.form {
                PftkForm::Full => self.full(parameters),
                PftkForm::Simple => self.simple(parameters),
            }
        };
        ModelError::unless_finite(Pftk::NAME, rate)
    }

    /// Numerator and denominator are those printed, times 1 − p: so they hold for p = 1, too.
    fn full(&self, parameters: &PftkParameters) -> f64 {
        let PftkParameters { loss, round_trip, timeout, limit } = *parameters;
        let (acks, limit, through) = (f64::from(self.acks), f64::from(limit), 1.0 - loss);
        let between = through / loss;
        let constant = (2.0 + acks) / (3.0 * acks);
        let grown = constant + (8.0 / 3.0 * between / acks + constant * constant).sqrt();

        let (window, rounds) = if grown < limit {
            (grown, acks * grown / 2.0 + 1.0)
        } else {
            (limit, acks * limit / 8.0 + between / limit + 2.0)
        };
        let timeouts = timeout_probability(loss, window);
        let sent = (between + window) * through + timeouts;
        let time = round_trip * rounds * through + timeouts * backoff(loss) * timeout;
        sent / time
    }

    fn simple(&self, parameters: &PftkParameters) -> f64 {
        let PftkParameters { loss, round_trip, timeout, limit } = *parameters;
        let acks = f64::from(self.acks);
        let recovering = round_trip * (2.0 / 3.0 * acks * loss).sqrt();
        let timeouts = (3.0 * (3.0 / 8.0 * acks * loss).sqrt()).min(1.0);
        let waiting = timeout * timeouts * loss * (1.0 + 32.0 * loss * loss);
        (f64::from(limit) / round_trip).min(1.0 / (recovering + waiting))
    }
}

/// Q(w): the probability that a loss in a window of `window` packets ends in a time-out, with three duplicate
/// acknowledgements to a fast retransmit.
fn timeout_probability(loss: f64, window: f64) -> f64 {
    if window <= 3.0 {
        return 1.0;
    }
    let decay = libm::log1p(-loss);
    let lost_of_three = -libm::expm1(3.0 * decay);
    let lost_after_three = -libm::expm1((window - 3.0) * decay);
    let lost_of_all = -libm::expm1(window * decay);
    (lost_of_three * (1.0 + libm::exp(3.0 * decay) * lost_after_three) / lost_of_all).min(1.0)
}

/// f(p) = 1 + p + 2 p² + 4 p³ + … + 32 p⁶: the time-outs in a row, six doublings at most, in first ones, times 1 − p.
fn backoff(loss: f64) -> f64 {
    1.0 + [32.0, 16.0, 8.0, 4.0, 2.0, 1.0].iter().fold(0.0, |sum, factor| (sum + factor) * loss)
}

impl ThroughputModel for Pftk {
    fn name(&self) -> &'static str {
        Pftk::NAME
    }

    /// The send rate of each path by itself with R = d + 1/b and t0 = 3 R between the path's bounds; never above b,
    /// which the formulas do not contain.
    fn throughput(&self, paths: &[LimitedPath]) -> Result<Vec<f64>, ModelError> {
        if paths.is_empty() {
            return Err(ModelError::NoPath);
        }
        let rate_of = |limited: &LimitedPath| {
            limited.check()?;
            let LimitedPath { path, limit } = *limited;
            let (round_trip, timeout) = (path.round(1.0), path.timeout(1.0));
            let parameters = PftkParameters { loss: path.loss, round_trip, timeout, limit };
            Ok(self.send_rate(&parameters)?.min(path.rate))
        };
        paths.iter().map(rate_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PathParameters, TimeoutBounds};

    const USUAL: PftkParameters = PftkParameters { loss: 0.01, round_trip: 0.1, timeout: 1.0, limit: 1000 };
    const FORMS: [PftkForm; 2] = [PftkForm::Full, PftkForm::Simple];

    #[test]
    fn without_loss_a_window_goes_out_each_round_trip() {
        for form in FORMS {
            for loss in [0.0, 5e-324] {
                let parameters = PftkParameters { loss, ..USUAL };
                assert_eq!(Pftk { form, acks: 1 }.send_rate(&parameters), Ok(1000.0 / 0.1), "{form:?}");
            }
        }
    }

    #[test]
    fn with_nothing_but_loss_one_packet_goes_out_each_longest_time_out() {
        let parameters = PftkParameters { loss: 1.0, ..USUAL };
        assert_eq!(Pftk::default().send_rate(&parameters), Ok(1.0 / 64.0));
    }

    #[test]
    fn rare_losses_leave_the_square_root_rule() {
        for form in FORMS {
            for acks in [1, 2] {
                let parameters = PftkParameters { loss: 1e-12, limit: u32::MAX, ..USUAL };
                let rate = Pftk { form, acks }.send_rate(&parameters).expect("in its domain");
                let constant = rate * 0.1 * 1e-6 * f64::from(acks).sqrt();
                assert!((constant / 1.5_f64.sqrt() - 1.0).abs() < 1e-4, "{form:?} {acks}: {constant}");
            }
        }
    }

    #[test]
    fn a_path_never_carries_more_than_its_rate() {
        let timeout = TimeoutBounds::WALLACE_SHAMI;
        let path = PathParameters { rate: 100.0, delay: 0.01, loss: 1e-4, timeout };
        assert_eq!(Pftk::default().throughput(&[LimitedPath { path, limit: 500 }]), Ok(vec![100.0]));
    }

    #[test]
    fn each_wrong_value_is_named() {
        let said = |parameters| Pftk::default().send_rate(&parameters).expect_err("it is wrong").to_string();
        assert_eq!(
            said(PftkParameters { round_trip: 0.0, ..USUAL }),
            "a round-trip time of 0 s is not a finite number above 0"
        );
        assert_eq!(
            said(PftkParameters { timeout: f64::INFINITY, ..USUAL }),
            "a time-out of inf s is not a finite number above 0"
        );
        assert_eq!(
            said(PftkParameters { limit: 0, ..USUAL }),
            "a window limit of 0 packets allows no packet"
        );
        assert_eq!(
            said(PftkParameters { loss: -0.1, ..USUAL }),
            "a loss probability of -0.1 is not between 0 and 1"
        );
        let silent = Pftk { form: PftkForm::Full, acks: 0 };
        assert_eq!(silent.send_rate(&USUAL), Err(ModelError::NoAcknowledged));
        assert_eq!(Pftk::default().throughput(&[]), Err(ModelError::NoPath));
    }
}
