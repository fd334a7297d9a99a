//! A profile for real networks beside RFC 9260's: what it gains and what it costs.

mod queues;
mod shipped;
mod suspicion;
mod tally;

use anabranch_runs::grid::GridError;
use anabranch_runs::scale::StudyScale;

/// The subject of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Pacing and drop-tail queues.
    Queues,
    /// The shipped scenarios.
    Shipped,
    /// Paths that are left although they work.
    Suspicion,
}

/// Runs one for `profile`: the table as Markdown. Five seeds at full scale, otherwise one.
///
/// # Errors
/// A scenario that cannot be run.
pub fn table(subject: Subject, profile: &str, scale: StudyScale) -> Result<String, GridError> {
    let seeds = if scale == StudyScale::Full { 5 } else { 1 };
    match subject {
        Subject::Queues => queues::table(profile, seeds),
        Subject::Shipped => shipped::table(profile, seeds),
        Subject::Suspicion => suspicion::table(profile, seeds),
    }
}
