//! The profile `tuned-1` beside RFC 9260's: what it gains and what it costs.

mod queues;
mod shipped;
mod suspicion;
mod tally;

use crate::grid::GridError;
use crate::scale::StudyScale;

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

/// Runs one: the table as Markdown. Five seeds at full scale, otherwise one.
///
/// # Errors
/// A scenario that cannot be run.
pub fn table(subject: Subject, scale: StudyScale) -> Result<String, GridError> {
    let seeds = if scale == StudyScale::Full { 5 } else { 1 };
    match subject {
        Subject::Queues => queues::table(seeds),
        Subject::Shipped => shipped::table(seeds),
        Subject::Suspicion => suspicion::table(seeds),
    }
}
