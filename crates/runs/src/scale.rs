//! The two scales at which a study can be run.

use clap::ValueEnum;

/// The scale of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyScale {
    /// A tenth of the data or time, five seeds, tolerances twice as wide: it finds what broke, and judges no paper.
    Quick,
    /// The papers' sizes and run counts, or our defaults where they give none.
    Full,
}

impl StudyScale {
    /// The number of seeds for a point that has `full` at full scale; a point without randomness has one.
    pub fn seeds(self, full: u64) -> u64 {
        match self {
            StudyScale::Quick => full.min(5),
            StudyScale::Full => full,
        }
    }

    /// A tolerance that is `full` at full scale.
    pub fn tolerance(self, full: f64) -> f64 {
        match self {
            StudyScale::Quick => 2.0 * full,
            StudyScale::Full => full,
        }
    }
}
