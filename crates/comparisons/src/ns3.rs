//! Compares our TCP with ns-3's under random loss, row by row (tests/oracle/ns3; docs/oracle.md).

mod report;
mod row;

pub(crate) use report::csv_text;
pub use report::{lines, summary};
pub use row::{Ns3Row, RowError, rows};

use anabranch_runs::grid::{self, GridError, GridPoint};

use crate::sample::Sample;

/// Which rows are compared, and how thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSelection {
    /// The number of seeds for a row.
    pub seeds: u64,
    /// Only each `every`-th row, beginning with the first.
    pub every: usize,
    /// The measured time in seconds, after a warm-up of 20 s.
    pub seconds: u64,
}

/// A row of theirs with ours beside it.
#[derive(Clone, Debug)]
pub struct JudgedRow {
    /// Theirs.
    pub row: Ns3Row,
    /// Ours, in Mbit/s of user data.
    pub ours: Sample,
    /// The number of time-outs ours had in a run.
    pub timeouts: f64,
}

/// A comparison that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Ns3Error {
    /// The table.
    #[error(transparent)]
    Table(#[from] RowError),
    /// A scenario.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// The share of rows that is to hold.
pub const GOAL: f64 = 0.9;

/// Ours may be this part of theirs away, and their interval more: what the table's README suggests.
const TOLERANCE: f64 = 0.1;

impl JudgedRow {
    /// Returns true if ours is within the tolerance.
    pub fn holds(&self) -> bool {
        (self.ours.mean - self.row.goodput_mbps).abs()
            <= TOLERANCE * self.row.goodput_mbps + self.row.ci95_mbps
    }

    /// Ours as a multiple of theirs.
    pub fn ratio(&self) -> f64 {
        self.ours.mean / self.row.goodput_mbps
    }
}

/// The share of the rows that hold.
pub fn share(judged: &[JudgedRow]) -> f64 {
    judged.iter().filter(|row| row.holds()).count() as f64 / judged.len().max(1) as f64
}

/// Runs ours for the rows, and compares.
///
/// # Errors
/// The table cannot be read, or a row cannot be run.
pub fn compare(selection: RowSelection) -> Result<Vec<JudgedRow>, Ns3Error> {
    let rows: Vec<Ns3Row> = rows()?.into_iter().step_by(selection.every.max(1)).collect();
    let point =
        |row: &Ns3Row| GridPoint { scenario: row.scenario(selection.seconds), seeds: 1..selection.seeds + 1 };
    let results = grid::run(&rows.iter().map(point).collect::<Vec<_>>())?;
    let judged = rows.into_iter().zip(results).filter_map(|(row, runs)| {
        let flows = || runs.iter().flat_map(|run| &run.flows);
        let goodput: Vec<f64> = flows().map(|flow| flow.goodput_bps / 1e6).collect();
        let timeouts: u64 = flows().flat_map(|flow| &flow.paths).map(|path| path.counters.timeouts).sum();
        let timeouts = timeouts as f64 / runs.len() as f64;
        Some(JudgedRow { row, ours: Sample::of(&goodput)?, timeouts })
    });
    Ok(judged.collect())
}
