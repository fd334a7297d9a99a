//! Runs of figures that another process makes: a batch is self-contained, and its rows are those of a folder of kept runs, so that
//! a figure is judged by the same rows wherever they were made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::measure::grid_of;
use super::run_values::RunValues;
use super::{Conduct, FigureError, FigureName};
use crate::grid::{GridPoint, Unwatched};
use crate::kept_runs::{KeptRuns, by_recorded_results};

/// Some runs of one scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureBatch {
    scenario: String,
    first_seed: u64,
    runs: u64,
}

/// Bytes that are not a batch.
#[derive(Debug, thiserror::Error)]
#[error("these bytes are not a batch of a figure: {0}")]
pub struct NotABatch(#[from] serde_json::Error);

/// The runs that a folder lacks of a figure, in batches of at most `most` runs.
///
/// # Errors
/// A record that cannot be computed.
pub fn batches(name: FigureName, conduct: &Conduct, most: u64) -> Result<Vec<FigureBatch>, FigureError> {
    let mut figure = name.record(conduct.scale)?;
    conduct.cap(&mut figure);
    let missing = conduct.kept.missing(&grid_of(&figure));
    let of_point = |point: &GridPoint| {
        let GridPoint { scenario, seeds } = point.clone();
        let (most, end) = (most.max(1), seeds.end);
        let firsts = seeds.step_by(usize::try_from(most).unwrap_or(usize::MAX));
        let batch = move |first_seed: u64| FigureBatch {
            scenario: scenario.clone(),
            first_seed,
            runs: most.min(end - first_seed),
        };
        firsts.map(batch).collect::<Vec<_>>()
    };
    Ok(missing.iter().flat_map(of_point).collect())
}

impl FigureBatch {
    /// As bytes, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A text and two numbers have a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads them.
    ///
    /// # Errors
    /// They are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<FigureBatch, NotABatch> {
        Ok(serde_json::from_slice(bytes)?)
    }

    /// How many runs it has.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Makes the runs; their rows, which [`KeptRuns::accept`] takes.
    ///
    /// # Errors
    /// A scenario that cannot be run.
    pub fn run(&self) -> Result<String, FigureError> {
        let seeds = self.first_seed..self.first_seed.saturating_add(self.runs);
        let point = GridPoint { scenario: self.scenario.clone(), seeds };
        let kept = KeptRuns::<RunValues>::named(&by_recorded_results());
        kept.watched_by(Arc::new(Unwatched)).rows(&[point])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{FigureResult, judge_default};
    use crate::scale::StudyScale;

    fn conduct() -> Conduct {
        let kept = KeptRuns::named(&by_recorded_results());
        Conduct { scale: StudyScale::Quick, at_most: Some(2), kept }
    }

    #[test]
    fn a_figure_of_batches_is_the_figure() {
        let mut elsewhere = conduct();
        let made = batches(FigureName::IyF4, &elsewhere, 3).expect("a record");
        assert!(made.len() > 10);
        for batch in made {
            let sent = FigureBatch::from_bytes(&batch.to_bytes()).expect("a batch");
            assert_eq!(sent, batch);
            elsewhere.kept.accept(&sent.run().expect("it runs")).expect("rows of this program");
        }
        assert!(batches(FigureName::IyF4, &elsewhere, 3).expect("a record").is_empty());
        let verdicts = |result: &FigureResult| -> Vec<String> {
            result.findings.iter().map(|finding| finding.measured.clone()).collect()
        };
        let there = judge_default(FigureName::IyF4, &mut elsewhere).expect("it is judged");
        assert_eq!(elsewhere.kept.counts().made, 0, "no run was made here");
        assert_eq!(
            verdicts(&there),
            verdicts(&judge_default(FigureName::IyF4, &mut conduct()).expect("it runs"))
        );
    }

    #[test]
    fn rows_of_another_simulator_and_damaged_ones_are_refused() {
        let made = batches(FigureName::IyF4, &conduct(), 1).expect("a record");
        let rows = made[0].run().expect("it runs");
        let mut other = KeptRuns::<RunValues>::named("another");
        assert!(other.accept(&rows).is_err());
        assert!(conduct().kept.accept(&rows.replace(',', ";")).is_err());
        assert!(FigureBatch::from_bytes(b"{}").is_err());
    }
}
