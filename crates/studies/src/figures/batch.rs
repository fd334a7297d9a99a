//! Runs of figures that another process makes: a batch is self-contained, and its rows are those of a folder of kept runs, so that
//! a figure is judged by the same rows wherever they were made.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::measure::grid_of;
use super::run_values::RunValues;
use super::selection::Selection;
use super::{FigureError, RunOptions};
use crate::grid::{GridError, GridPoint, Unwatched};
use crate::kept_runs::{KeptRuns, by_recorded_results};
use crate::stopwatch;

/// Some runs, about a second of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureBatch(Vec<BatchPart>);

/// Runs of one scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BatchPart {
    scenario: String,
    seeds: Range<u64>,
}

/// Bytes that are not a batch.
#[derive(Debug, thiserror::Error)]
#[error("these bytes are not a batch of a figure: {0}")]
pub struct NotABatch(#[from] serde_json::Error);

/// The runs that are missing of a figure, in batches of about `seconds` of one processor. One run is made and kept here, to see
/// how long they take.
///
/// # Errors
/// A record that cannot be computed, or a run that cannot be made or kept.
pub fn batches(
    selection: &Selection,
    options: &mut RunOptions,
    seconds: f64,
) -> Result<Vec<FigureBatch>, FigureError> {
    let mut figure = selection.record(options.scale)?;
    options.cap(&mut figure);
    let grid = grid_of(&figure);
    let missing = options.kept.missing(&grid);
    // The middle of the grid: often, its ends are the cheapest and the dearest.
    let Some(tried) = missing.get(missing.len() / 2) else { return Ok(Vec::new()) };
    let seeds = tried.seeds.start..tried.seeds.start + 1;
    let begun = stopwatch::now();
    options.kept.values::<FigureError>(&[GridPoint { seeds, ..tried.clone() }])?;
    let elapsed = stopwatch::now().since(begun).processor;
    // At most as many as nothing is lost by when a worker dies; the cast saturates.
    let most = (seconds / elapsed.max(1e-9)).clamp(1.0, MOST_RUNS) as u64;
    Ok(packed(&options.kept.missing(&grid), most))
}

/// The runs of the points, in their order, `most` a batch.
fn packed(points: &[GridPoint], most: u64) -> Vec<FigureBatch> {
    let mut batches: Vec<FigureBatch> = Vec::new();
    for GridPoint { scenario, seeds } in points {
        let mut first = seeds.start;
        while first < seeds.end {
            let room = batches.last().map_or(0, |batch| most.saturating_sub(batch.runs()));
            if room == 0 {
                batches.push(FigureBatch(Vec::new()));
                continue;
            }
            let end = seeds.end.min(first + room);
            if let Some(batch) = batches.last_mut() {
                batch.0.push(BatchPart { scenario: scenario.clone(), seeds: first..end });
            }
            first = end;
        }
    }
    batches
}

/// The runs of a batch are few enough that the death of a worker costs little.
const MOST_RUNS: f64 = 1_000.0;

impl FigureBatch {
    /// As bytes, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Texts and numbers have a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads them.
    ///
    /// # Errors
    /// They are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<FigureBatch, NotABatch> {
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The number of runs it has.
    pub fn runs(&self) -> u64 {
        self.0.iter().map(|part| part.seeds.end.saturating_sub(part.seeds.start)).sum()
    }

    /// Makes the runs, on one processor: a pool has a worker for each. Their rows, which [`KeptRuns::accept`] takes.
    ///
    /// # Errors
    /// A scenario that cannot be run, or no thread to run it.
    pub fn run(&self) -> Result<String, FigureError> {
        let of_part =
            |part: &BatchPart| GridPoint { scenario: part.scenario.clone(), seeds: part.seeds.clone() };
        let points: Vec<GridPoint> = self.0.iter().map(of_part).collect();
        let kept = KeptRuns::<RunValues>::named(&by_recorded_results());
        let mut kept = kept.watched_by(Arc::new(Unwatched));
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        alone.map_err(GridError::from)?.install(|| kept.rows(&points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::iy::zero_loss;
    use crate::figures::{FigureResult, judge_default};
    use crate::scale::StudyScale;

    fn options() -> RunOptions {
        let kept = KeptRuns::named(&by_recorded_results());
        RunOptions { scale: StudyScale::Quick, at_most: Some(2), kept }
    }

    #[test]
    fn a_figure_of_batches_is_the_figure() {
        let mut elsewhere = options();
        let made = batches(&Selection::whole(&zero_loss::ENTRY), &mut elsewhere, 0.0).expect("a record");
        assert!(made.len() > 10);
        for batch in made {
            let sent = FigureBatch::from_bytes(&batch.to_bytes()).expect("a batch");
            assert_eq!(sent, batch);
            elsewhere.kept.accept(&sent.run().expect("it runs")).expect("rows of this program");
        }
        assert!(
            batches(&Selection::whole(&zero_loss::ENTRY), &mut elsewhere, 1.0).expect("a record").is_empty()
        );
        let tried = elsewhere.kept.counts().made;
        assert_eq!(tried, 1, "one run shows how long they take");
        let verdicts = |result: &FigureResult| -> Vec<String> {
            result.findings.iter().map(|finding| finding.measured.clone()).collect()
        };
        let there = judge_default(&zero_loss::ENTRY, &mut elsewhere).expect("it is judged");
        assert_eq!(elsewhere.kept.counts().made, tried, "no other run was made here");
        assert_eq!(
            verdicts(&there),
            verdicts(&judge_default(&zero_loss::ENTRY, &mut options()).expect("it runs"))
        );
    }

    #[test]
    fn batches_have_every_run_once_and_are_full_but_for_the_last() {
        let point = |scenario: &str, seeds| GridPoint { scenario: scenario.to_owned(), seeds };
        let points = [point("a", 1..6), point("b", 1..2), point("c", 3..6)];
        for most in 1..12 {
            let made = packed(&points, most);
            let runs: Vec<u64> = made.iter().map(FigureBatch::runs).collect();
            assert_eq!(runs.iter().sum::<u64>(), 9);
            assert!(runs[..runs.len() - 1].iter().all(|runs| *runs == most) && runs[runs.len() - 1] > 0);
            let parts = made.iter().flat_map(|batch| &batch.0);
            let all = parts.flat_map(|part| part.seeds.clone().map(|seed| (part.scenario.as_str(), seed)));
            let selection: Vec<(&str, u64)> = points
                .iter()
                .flat_map(|point| point.seeds.clone().map(|seed| (point.scenario.as_str(), seed)))
                .collect();
            assert_eq!(all.collect::<Vec<_>>(), selection, "{most}");
        }
    }

    #[test]
    fn rows_of_another_simulator_and_damaged_ones_are_refused() {
        let made = batches(&Selection::whole(&zero_loss::ENTRY), &mut options(), 0.0).expect("a record");
        let rows = made[0].run().expect("it runs");
        let mut other = KeptRuns::<RunValues>::named("another");
        assert!(other.accept(&rows).is_err());
        assert!(options().kept.accept(&rows.replace(',', ";")).is_err());
        assert!(FigureBatch::from_bytes(b"{}").is_err());
    }
}
