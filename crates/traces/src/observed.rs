//! What a recording says of one direction of a link.

use anabranch_base::{BitRate, Duration, Time};

use crate::series::{Series, Share};

/// Rate, delay and losses of one direction, as far as they were observed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observations {
    pub rate: Option<ObservedRate>,
    pub delay: Option<ObservedDelay>,
    pub loss: Option<ObservedLoss>,
}

/// A rate over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ObservedRate {
    /// The moments at which [`OPPORTUNITY`] bytes may pass, from a file that a scenario may name.
    Opportunities(Vec<Time>),
    /// A rate from each moment on.
    Steps {
        /// The rates of whole packets.
        steps: Series<BitRate>,
        /// How it was measured, in words.
        how: String,
    },
}

/// A delay of one way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedDelay {
    pub form: DelayForm,
    /// How it was measured, in words.
    pub how: String,
}

/// How a delay is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DelayForm {
    /// From each moment on.
    Steps(Series<Duration>),
    /// Of single probes.
    Probes(Series<Duration>),
    /// The least one and the mean of probes.
    Summary { least: Duration, mean: Duration },
    /// The least one: all others have a queue in them.
    Least(Duration),
}

/// A share of lost packets over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedLoss {
    pub steps: Series<Share>,
    /// How it was measured, in words.
    pub how: String,
}

impl ObservedRate {
    /// The mean over the recording.
    pub fn mean(&self) -> BitRate {
        match self {
            ObservedRate::Steps { steps, .. } => steps.mean(),
            ObservedRate::Opportunities(moments) => {
                let span = moments.last().map_or(Duration::ZERO, |last| last.since(Time::ZERO));
                let bits = (moments.len() as u64).saturating_mul(8 * OPPORTUNITY) as f64;
                BitRate::from_bits_per_second((bits / span.as_secs_f64().max(1e-3)) as u64)
            }
        }
    }
}

impl DelayForm {
    /// The delay that all packets have.
    pub fn least(&self) -> Duration {
        match self {
            DelayForm::Steps(steps) | DelayForm::Probes(steps) => steps.least(),
            DelayForm::Summary { least, .. } | DelayForm::Least(least) => *least,
        }
    }
}

/// The number of bytes that may pass at each moment of a Mahimahi trace.
pub(crate) const OPPORTUNITY: u64 = 1_504;
