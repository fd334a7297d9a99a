//! A point of the comparison: what is run, what is measured, and what theirs came to. It knows no table's columns.

use anabranch_sim::RunResult;

use super::judgement::{Judgement, Tolerance};
use super::tables::TableError;
use super::world::Scheme;
use crate::sample::Sample;

/// What a run is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Seconds from the first delivery of data to the last: what the set-up costs differs by a round trip.
    TransferTime,
    /// Mbit/s of user data after the warm-up.
    Goodput,
}

/// A point of theirs and how ours is had.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Which figure it belongs to.
    pub figure: String,
    /// What sets it apart within the figure, for people.
    pub label: String,
    /// Which rules the sender has.
    pub scheme: Scheme,
    /// The largest probability of loss on a path.
    pub loss: f64,
    /// What ours runs.
    pub scenario: String,
    /// What is measured.
    pub measure: Measure,
    /// Theirs, a value a seed.
    pub theirs: Vec<f64>,
    /// How near ours has to be.
    pub tolerance: Tolerance,
    /// Whether it counts, or is reported only.
    pub is_counted: bool,
}

/// A point and what it came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The point.
    pub point: Point,
    /// Ours beside theirs.
    pub judgement: Judgement,
}

impl Measure {
    /// What a run of ours came to; `None` if it did not come to an end.
    fn of(self, run: &RunResult) -> Option<f64> {
        let flow = run.flows.first()?;
        match self {
            Measure::TransferTime => Some(flow.completion?.saturating_sub(flow.first_data?).as_secs_f64()),
            Measure::Goodput => Some(flow.goodput_bps / 1e6),
        }
    }
}

impl Point {
    /// Whether anything in it is left to chance.
    pub fn is_random(&self) -> bool {
        self.loss > 0.0
    }

    /// Sets our runs beside theirs.
    ///
    /// # Errors
    /// There is nothing of theirs.
    pub fn judge(self, runs: &[RunResult]) -> Result<Judged, TableError> {
        let ours: Vec<f64> = runs.iter().filter_map(|run| self.measure.of(run)).collect();
        let theirs = Sample::of(&self.theirs).ok_or_else(|| TableError::Empty(self.label.clone()))?;
        let judgement = Judgement::of(&ours, runs.len(), theirs, self.tolerance);
        Ok(Judged { point: self, judgement })
    }
}

/// Puts rows together that differ in their seed only: those of one figure that say the same scenario.
pub fn gather(rows: impl IntoIterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for row in rows {
        let same = points.iter_mut().rev().find(|point| {
            point.scenario == row.scenario && point.figure == row.figure && point.label == row.label
        });
        match same {
            Some(point) => point.theirs.extend(row.theirs),
            None => points.push(row),
        }
    }
    points
}
