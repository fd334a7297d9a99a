//! Compares ours with ns-2's CMT module, point by point (tests/oracle/ns2; docs/oracle.md).

mod curves;
mod differences;
mod judgement;
mod one_path;
mod point;
mod report;
mod rules;
mod table_error;
mod tables;
mod world;

pub use curves::{Ns2Curve, Ns2Transfers, chains, string};
pub use differences::Difference;
pub use judgement::{Judgement, PointVerdict, Tolerance};
pub use one_path::{Ns2Losses, OnePathPoint, one_path};
pub use point::{ComparedPoint, Judged, Measure};
pub(crate) use report::csv_text;
pub use report::{HoldingShare, outside, summary, verbose};
pub(crate) use rules::by_rule;
pub use table_error::TableError;
pub use tables::Set;

use anabranch_runs::grid::{self, GridError};

/// Which points are compared, and how thoroughly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Which figures; empty for all.
    pub figures: Vec<String>,
    /// The number of seeds for a point with randomness.
    pub seeds: u64,
    /// Only each `every`-th point, beginning with the first.
    pub every: usize,
    /// Which of the rules in which ns-2's CMT differs replace ours, by their numbers in docs/oracle.md.
    pub rules: Vec<u32>,
}

/// A comparison that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Ns2Error {
    /// A table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A scenario.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// Runs ours for the points of a set, and compares the results with theirs.
///
/// # Errors
/// The table cannot be read, or one of its points cannot be run.
pub fn compare(set: Set, selection: &Selection) -> Result<Vec<Judged>, Ns2Error> {
    let mut points = set.points(&tables::directory(), &selection.rules)?;
    let figures = &selection.figures;
    points.retain(|point| figures.is_empty() || figures.contains(&point.figure));
    judge(points.into_iter().step_by(selection.every.max(1)).collect(), selection.seeds)
}

/// Runs ours for these points, with `seeds` seeds where they are random, and compares.
fn judge(points: Vec<ComparedPoint>, seeds: u64) -> Result<Vec<Judged>, Ns2Error> {
    let runs: Vec<grid::GridPoint> = points
        .iter()
        .map(|point| grid::GridPoint {
            scenario: point.scenario.clone(),
            seeds: 1..if point.is_random() { seeds + 1 } else { 2 },
        })
        .collect();
    let results = grid::run(&runs)?;
    let judged = points.into_iter().zip(&results).map(|(point, runs)| point.judge(runs));
    Ok(judged.collect::<Result<_, TableError>>()?)
}
