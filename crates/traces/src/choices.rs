//! What a user may choose about the reading of recordings and the writing of the scenario.

use anabranch_base::Duration;

/// The choices; the default ones need no knowledge of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Rates, delays and losses are averaged over spans of this length; `None` keeps every recorded step.
    pub step: Option<Duration>,
    /// The time between probes of `ping`, where its output does not say it.
    pub interval: Option<Duration>,
    /// Delays of `ping` one by one, instead of the least one and a jitter.
    pub delay_steps: bool,
}
