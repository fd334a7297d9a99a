//! Errors in a model's parameters.

/// A parameter that is outside a model's domain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A path's rate.
    #[error("a path's rate of {0} packets/s is not a number above 0")]
    Rate(f64),
    /// A path's delay.
    #[error("a path's delay of {0} s is not a finite number from 0 up")]
    Delay(f64),
    /// A loss probability.
    #[error("a loss probability of {0} is not between 0 and 1")]
    Loss(f64),
    /// The bounds of the time-out.
    #[error(
        "time-outs between {min} s and {max} s: the least must be 0 or more, the most above 0 and no less"
    )]
    Timeout {
        /// Tmin, in seconds.
        min: f64,
        /// Tmax, in seconds.
        max: f64,
    },
    /// A window limit of 0 packets.
    #[error("a window limit of 0 packets allows no packet")]
    NoWindow,
    /// A receive buffer of 0 packets.
    #[error("a receive buffer of 0 packets holds no packet")]
    NoBuffer,
    /// An acknowledgement of 0 packets.
    #[error("an acknowledgement must cover at least 1 packet, not 0")]
    NoAcknowledged,
    /// A round-trip time.
    #[error("a round-trip time of {0} s is not a finite number above 0")]
    RoundTrip(f64),
    /// The first time-out after a loss.
    #[error("a time-out of {0} s is not a finite number above 0")]
    FirstTimeout(f64),
    /// More than the model's tables may hold.
    #[error("a window limit of {limit} packets is beyond what this model is solved for, {largest} packets")]
    TooLarge {
        /// The limit asked for.
        limit: u32,
        /// The largest that is solved.
        largest: u32,
    },
    /// An empty list of paths.
    #[error("there is no path")]
    NoPath,
    /// The model has no answer for these values.
    #[error("the model {model} cannot be solved here: {why}")]
    Domain {
        /// The model's name.
        model: &'static str,
        /// The case that its equations do not cover.
        why: String,
    },
}

impl ModelError {
    /// `value`, unless the sums that made it left the range of numbers.
    ///
    /// # Errors
    /// The value is infinite or not a number.
    pub(crate) fn unless_finite(model: &'static str, value: f64) -> Result<f64, ModelError> {
        if value.is_finite() {
            Ok(value)
        } else {
            let why = "values this large or small overflow its sums".to_owned();
            Err(ModelError::Domain { model, why })
        }
    }
}

/// Checks a round-trip time, in seconds.
pub(crate) fn check_round_trip(round_trip: f64) -> Result<(), ModelError> {
    let is_one = round_trip.is_finite() && round_trip > 0.0;
    if is_one { Ok(()) } else { Err(ModelError::RoundTrip(round_trip)) }
}

/// Checks a first time-out, in seconds.
pub(crate) fn check_first_timeout(timeout: f64) -> Result<(), ModelError> {
    let is_one = timeout.is_finite() && timeout > 0.0;
    if is_one { Ok(()) } else { Err(ModelError::FirstTimeout(timeout)) }
}

/// Checks that a loss probability lies between 0 and 1.
pub(crate) fn check_loss(loss: f64) -> Result<(), ModelError> {
    if (0.0..=1.0).contains(&loss) { Ok(()) } else { Err(ModelError::Loss(loss)) }
}
