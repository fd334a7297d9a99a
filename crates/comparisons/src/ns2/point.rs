//! A point of the comparison: its scenario, its measure, and ns-2's results.

use anabranch_sim::RunResult;

use super::judgement::{Judgement, Tolerance};
use super::table_error::TableError;
use super::world::Scheme;
use crate::sample::Sample;

/// The measure by which a run is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Seconds from the first delivery of data to the last: what the set-up costs differs by a round trip.
    TransferTime,
    /// Mbit/s of user data after the warm-up.
    Goodput,
}

/// A point of theirs, and the scenario that gives ours.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedPoint {
    /// Which figure it belongs to.
    pub figure: String,
    /// The label of the point within the figure, for readers.
    pub label: String,
    /// Which rules the sender has.
    pub scheme: Scheme,
    /// The largest probability of loss on a path.
    pub loss: f64,
    /// The scenario of our run.
    pub scenario: String,
    /// The measure.
    pub measure: Measure,
    /// Theirs, a value a seed.
    pub theirs: Vec<f64>,
    /// The tolerance.
    pub tolerance: Tolerance,
    /// True if the point counts; false if it is reported only.
    pub is_counted: bool,
}

/// A point with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The point.
    pub point: ComparedPoint,
    /// Ours beside theirs.
    pub judgement: Judgement,
}

impl Measure {
    /// The measure of a run of ours; `None` if it did not complete.
    fn of(self, run: &RunResult) -> Option<f64> {
        let flow = run.flows.first()?;
        match self {
            Measure::TransferTime => Some(flow.completion?.saturating_sub(flow.first_data?).as_secs_f64()),
            Measure::Goodput => Some(flow.goodput_bps / 1e6),
        }
    }
}

impl ComparedPoint {
    /// Returns true if anything in it is random.
    pub fn is_random(&self) -> bool {
        self.loss > 0.0
    }

    /// Compares our runs with theirs.
    ///
    /// # Errors
    /// The point has no value of theirs.
    pub fn judge(self, runs: &[RunResult]) -> Result<Judged, TableError> {
        let ours: Vec<f64> = runs.iter().filter_map(|run| self.measure.of(run)).collect();
        let theirs = Sample::of(&self.theirs).ok_or_else(|| TableError::Empty(self.label.clone()))?;
        let judgement = Judgement::of(&ours, runs.len(), theirs, self.tolerance);
        Ok(Judged { point: self, judgement })
    }
}

/// Joins rows that differ only in their seed: those of one figure with the same scenario.
pub(crate) fn gather(rows: impl IntoIterator<Item = ComparedPoint>) -> Vec<ComparedPoint> {
    let mut points: Vec<ComparedPoint> = Vec::new();
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
