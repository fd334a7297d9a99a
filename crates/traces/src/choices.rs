//! The user's options for reading recordings and writing the scenario.

use anabranch_base::Duration;

/// The options; the defaults need no knowledge of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The length over which rates, delays and losses are averaged; `None` keeps every recorded step.
    pub step: Option<Duration>,
    /// The time between probes of `ping`, where its output does not give it.
    pub interval: Option<Duration>,
    /// Writes each delay of `ping` as a step, instead of the least one and a jitter.
    pub delay_steps: bool,
}
