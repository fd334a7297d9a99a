//! The papers' figures: missing runs, verdicts, and curves.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use anabranch_studies::figures::batch::{FigureBatch, batches};
use anabranch_studies::figures::catalogue::panels;
use anabranch_studies::figures::selection::{Selection, selection};
use anabranch_studies::figures::session::{self, Members};
use anabranch_studies::figures::{FIGURES, FigureEntry, FigureError, PanelEntry, RunOptions, document};
use anabranch_studies::grid::RunWatch;
use anabranch_studies::kept_runs::{KeptRuns, by_recorded_results};
use anabranch_studies::scale::StudyScale;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::not_kept;
use crate::unlocked::{locked, unlocked, unlocked_with};

/// A study of figures.
#[pyclass(frozen, module = "anabranch._native")]
pub struct FigureStudy {
    selection: Vec<Selection>,
    options: Arc<Mutex<RunOptions>>,
    watch: Arc<Watch>,
}

/// The progress of the runs, and their cancellation.
#[derive(Debug, Default)]
struct Watch {
    expected: AtomicU64,
    done: AtomicU64,
    is_interrupted: AtomicBool,
}

impl RunWatch for Watch {
    fn begin(&self, runs: u64) {
        self.expected.fetch_add(runs, Ordering::Relaxed);
    }

    fn on_run(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

#[pymethods]
impl FigureStudy {
    /// A study of figures or panels of these names, with the runs in `folder`.
    #[new]
    #[allow(clippy::needless_pass_by_value, reason = "pyo3 gives lists as vectors")]
    fn new(
        ids: Vec<String>,
        folder: Option<PathBuf>,
        is_quick: bool,
        seeds: Option<u64>,
    ) -> PyResult<FigureStudy> {
        let selection = wanted_of(&ids)?;
        let behaviour = by_recorded_results();
        let kept = match &folder {
            Some(folder) => {
                KeptRuns::in_folder(folder, &behaviour).map_err(|error| not_kept(&error.to_string()))?
            }
            None => KeptRuns::named(&behaviour),
        };
        let watch = Arc::new(Watch::default());
        let options = RunOptions {
            scale: if is_quick { StudyScale::Quick } else { StudyScale::Full },
            at_most: seeds,
            kept: kept.watched_by(watch.clone()),
        };
        Ok(FigureStudy { selection, options: Arc::new(Mutex::new(options)), watch })
    }

    /// The missing runs, in batches of about this many seconds for any process with this package.
    fn batches<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let made = py.detach(|| {
            let mut options = locked(&self.options);
            let of_figure = |one: &Selection| batches(one, &mut options, seconds);
            self.selection.iter().map(of_figure).collect::<Result<Vec<_>, FigureError>>()
        });
        let made = made.map_err(|error| failed(&error))?;
        Ok(made.iter().flatten().map(|batch| PyBytes::new(py, &batch.to_bytes())).collect())
    }

    /// The number of missing runs.
    fn lacks(&self, py: Python<'_>) -> PyResult<usize> {
        let lacks = py.detach(|| {
            let options = locked(&self.options);
            self.selection.iter().map(|one| session::lacks(one, &options)).sum::<Result<usize, FigureError>>()
        });
        lacks.map_err(|error| failed(&error))
    }

    /// Keeps the rows of a batch.
    fn accept(&self, py: Python<'_>, rows: &str) -> PyResult<()> {
        let kept = py.detach(|| locked(&self.options).kept.accept(rows));
        kept.map_err(|error| not_kept(&error.to_string()))
    }

    /// Makes the missing runs, judges them, and returns a JSON document for each figure: its verdicts and its curves.
    fn judge(&self, py: Python<'_>, on_tick: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
        let work = {
            let (selection, options) = (self.selection.clone(), self.options.clone());
            move || {
                let mut options = locked(&options);
                let judged = selection.iter().map(|one| {
                    let result = session::judged(one, &mut options, Members::None)?.headline;
                    let verdicts = document::figure(one, &result, &[]).to_string();
                    Ok((verdicts, document::curves(&result).to_string()))
                });
                judged.collect::<Result<Vec<_>, FigureError>>()
            }
        };
        let tick = |_: Python<'_>| {
            let (done, expected) = (&self.watch.done, &self.watch.expected);
            on_tick.call1((done.load(Ordering::Relaxed), expected.load(Ordering::Relaxed))).map(drop)
        };
        let judged = unlocked_with(py, None, tick, work);
        if judged.is_err() {
            // The runs in progress end on their own thread; finished ones are kept.
            self.watch.is_interrupted.store(true, Ordering::Relaxed);
        }
        judged?.map_err(|error| failed(&error))
    }
}

/// Runs a batch and returns its rows, for the process of the study.
#[pyfunction]
pub(crate) fn run_figure_batch(py: Python<'_>, batch: &[u8]) -> PyResult<String> {
    let batch = FigureBatch::from_bytes(batch).map_err(|error| not_kept(&error.to_string()))?;
    unlocked(py, None, move || batch.run())?.map_err(|error| failed(&error))
}

/// Every panel: its name, its description, the figure that runs it, and the verdict at full scale.
#[pyfunction]
pub(crate) fn figure_panels() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let panel = |(figure, entry): (&'static FigureEntry, &'static PanelEntry)| {
        (entry.id, entry.title, figure.id, entry.verdict.word().to_owned())
    };
    panels().map(panel).collect()
}

/// The panels of figures at full scale without their curves, a JSON document for each figure; all figures if none is
/// named.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "pyo3 gives lists as vectors")]
pub(crate) fn figure_outlines(py: Python<'_>, ids: Vec<String>) -> PyResult<Vec<(&'static str, String)>> {
    let selection = match &ids[..] {
        [] => FIGURES.iter().map(|figure| Selection::whole(figure)).collect(),
        ids => wanted_of(ids)?,
    };
    let outline = |one: &Selection| {
        let record = one.record(StudyScale::Full)?;
        Ok((one.figure().id, document::outline(&record).to_string()))
    };
    unlocked(py, None, move || selection.iter().map(outline).collect::<Result<Vec<_>, FigureError>>())?
        .map_err(|error| failed(&error))
}

/// The figures or panels of these names, each once.
fn wanted_of(ids: &[String]) -> PyResult<Vec<Selection>> {
    selection(ids.iter().map(String::as_str)).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn failed(error: &FigureError) -> PyErr {
    not_kept(&error.to_string())
}
