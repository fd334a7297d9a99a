//! What can be wrong with a model's parameters. It knows no place in any file.

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
    /// A window limit of no packet.
    #[error("a window limit of 0 packets lets nothing out")]
    NoWindow,
    /// More than the model's tables may hold.
    #[error("a window limit of {limit} packets is beyond what this model is solved for, {largest} packets")]
    TooLarge {
        /// The limit asked for.
        limit: u32,
        /// The largest that is solved.
        largest: u32,
    },
    /// No path at all.
    #[error("there is no path")]
    NoPath,
    /// The model says nothing for these values.
    #[error("{model} has no answer here: {why}")]
    Domain {
        /// The model's name.
        model: &'static str,
        /// What its equations do not cover.
        why: String,
    },
}
