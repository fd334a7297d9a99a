//! The failures of sweeps, figures and recordings.

use std::path::PathBuf;

use anabranch_lab::SweepError;
use anabranch_lab::sweep::{AxisError, JournalError};
use anabranch_studies::figures::FigureError;
use anabranch_traces::TraceError;

use super::Failure;

/// The failure of a sweep, a figure or a scenario from recordings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LabFailure {
    /// A recording that cannot be read.
    #[error("cannot read the recording {file:?}: {why}")]
    NoRecording {
        /// The file.
        file: PathBuf,
        why: String,
    },
    /// Recordings from which a scenario cannot be made.
    #[error("{0}")]
    Trace(TraceError),
    /// A figure that cannot be run.
    #[error("{0}")]
    Figure(FigureError),
    /// A sweep that cannot begin or continue.
    #[error(transparent)]
    Sweep(SweepError),
}

impl LabFailure {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            LabFailure::NoRecording { .. }
            | LabFailure::Trace(_)
            | LabFailure::Figure(FigureError::Keep(_)) => 2,
            LabFailure::Figure(_) => 1,
            LabFailure::Sweep(
                SweepError::Journal(JournalError::InUse { .. } | JournalError::Access { .. })
                | SweepError::Table(_)
                | SweepError::Batch(_),
            ) => 1,
            LabFailure::Sweep(_) => 2,
        }
    }

    /// The kind of failure, for scripts.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            LabFailure::NoRecording { .. } => "no-recording",
            LabFailure::Trace(_) => "trace",
            LabFailure::Figure(_) => "figure",
            LabFailure::Sweep(error) => match error {
                SweepError::Journal(JournalError::InUse { .. }) => "in-use",
                SweepError::Journal(_) | SweepError::Table(_) => "record",
                SweepError::Axis(_) | SweepError::Grid(_) => "arguments",
                SweepError::Scenario(_)
                | SweepError::Build { .. }
                | SweepError::Seeds(_)
                | SweepError::Batch(_) => "scenario",
            },
        }
    }
}

impl From<TraceError> for Failure {
    /// An error in a recording is shown like one in a scenario.
    fn from(error: TraceError) -> Failure {
        match error {
            TraceError::Wrong(error) => Failure::Scenario(error),
            other => LabFailure::Trace(other).into(),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        match error {
            SweepError::Scenario(error) | SweepError::Axis(AxisError::Form(error)) => {
                Failure::Scenario(error)
            }
            other => LabFailure::Sweep(other).into(),
        }
    }
}

impl From<FigureError> for Failure {
    fn from(error: FigureError) -> Failure {
        if error.is_interruption() { Failure::Interrupted } else { LabFailure::Figure(error).into() }
    }
}
