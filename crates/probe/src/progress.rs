//! The progress of a measurement, for its user.

use std::fmt;

use anabranch_base::Duration;

/// The present phase of a measurement, and the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// The lane that is filled, in the order of the recording.
    pub lane: Option<usize>,
    /// True if it is filled from this end to the other.
    pub is_forward: Option<bool>,
    /// The time left.
    pub left: Duration,
    /// The time of the whole measurement; the first progress, before the first test packet, announces it.
    pub total: Duration,
    /// True if the total has grown, because a deep queue or rare losses need longer.
    pub is_longer: bool,
}

/// A phase of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Packets of all sizes: what arrives at all.
    Sizes,
    /// Small packets at equal distances.
    Rest,
    /// Trains of packets back to back.
    Trains,
    /// One lane is filled in one direction.
    Fill,
    /// Many small packets, for losses by chance.
    Chance,
    /// Every lane is filled in one direction.
    Together,
    /// The ends exchange their reports.
    End,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Sizes => "sizes",
            Phase::Rest => "rest",
            Phase::Trains => "trains",
            Phase::Fill => "fill",
            Phase::Chance => "chance",
            Phase::Together => "together",
            Phase::End => "end",
        })
    }
}
