//! The observations of one direction of a link.

use anabranch_base::{BitRate, Duration, Time};

use crate::series::{Series, Share};

/// The rate, delay and losses of one direction, as far as observed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observations {
    pub rate: Option<ObservedRate>,
    pub delay: Option<ObservedDelay>,
    pub loss: Option<ObservedLoss>,
}

/// A rate over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ObservedRate {
    /// The moments at which [`OPPORTUNITY`] bytes may pass, from a trace that a scenario may name.
    Opportunities(Vec<Time>),
    /// Steps of the rate.
    Steps {
        /// The rates including headers.
        steps: Series<BitRate>,
        /// The measurement in words.
        how: String,
    },
}

/// A one-way delay.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedDelay {
    pub form: DelayForm,
    /// The measurement in words.
    pub how: String,
}

/// The form in which a delay is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DelayForm {
    /// A delay from each moment on.
    Steps(Series<Duration>),
    /// The delays of single probes.
    Probes(Series<Duration>),
    /// The least and the mean delay of probes.
    Summary { least: Duration, mean: Duration },
    /// The least delay; the others include queueing.
    Least(Duration),
}

/// A share of lost packets over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedLoss {
    pub steps: Series<Share>,
    /// The measurement in words.
    pub how: String,
}

impl ObservedRate {
    /// The mean over the recording.
    pub(crate) fn mean(&self) -> BitRate {
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
    pub(crate) fn least(&self) -> Duration {
        match self {
            DelayForm::Steps(steps) | DelayForm::Probes(steps) => steps.least(),
            DelayForm::Summary { least, .. } | DelayForm::Least(least) => *least,
        }
    }
}

/// The number of bytes that may pass at each moment of a Mahimahi trace.
pub(crate) const OPPORTUNITY: u64 = 1_504;
