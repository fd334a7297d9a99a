//! Sweeps: hands out batches and accepts their rows; the package runs the batches.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anabranch_lab::sweep::{
    Axis, Batch, BatchError, Combination, Design, Rows, Sweep as Core, SweepError, run_here,
};
use anabranch_lab::table::schema;
use anabranch_lab::{Loaded, Origin};
use anabranch_scenario::Assignment;
use anabranch_sim::Watcher;
use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::clock::since_start;
use crate::errors::{contradiction, not_kept, wrong_scenario};
use crate::policies::registry;
use crate::scenario::Parsed;
use crate::table::Batches;
use crate::unlocked::{locked, unlocked, unlocked_with};

/// A sweep in progress.
#[pyclass(frozen, module = "anabranch._native")]
pub struct Sweep {
    core: Arc<Mutex<Core>>,
    /// The folder of the table.
    folder: Option<PathBuf>,
}

/// The values of an axis: one by one, or in the form of the command line.
#[derive(FromPyObject)]
pub(crate) enum AxisValues {
    /// `"0.001..0.1:5 log"`.
    Text(String),
    /// Each as written in a setting.
    List(Vec<String>),
}

#[pymethods]
impl Sweep {
    /// Reads every point, and loads the runs that `folder` has of them.
    #[new]
    fn new(
        py: Python<'_>,
        scenario: &Parsed,
        axes: Vec<(String, AxisValues)>,
        is_zip: bool,
        until: Option<f64>,
        folder: Option<PathBuf>,
    ) -> PyResult<Sweep> {
        let axes = axes.into_iter().map(|(key, values)| match values {
            AxisValues::Text(text) => Axis::parse(&format!("{key}={text}")),
            AxisValues::List(values) => Axis::new(&key, values),
        });
        let axes = axes.collect::<Result<Vec<_>, _>>().map_err(|error| wrong_sweep(&error.into()))?;
        let Loaded { text, name, source, folder: beside, settings, .. } = &*scenario.loaded();
        let design = Design {
            text: text.clone(),
            origin: Origin { name: name.clone(), source: source.clone(), folder: beside.clone() },
            changes: settings.iter().map(Assignment::text).map(str::to_owned).collect(),
            axes,
            combination: if is_zip { Combination::Zip } else { Combination::Product },
            until,
            registry: registry(),
        };
        let (files, out) = (scenario.kept_files(), folder.clone());
        let core = unlocked(py, None, move || Core::open_with(design, Box::new(files), out.as_deref()))?;
        let core = core.map_err(|error| wrong_sweep(&error))?;
        Ok(Sweep { core: Arc::new(Mutex::new(core)), folder })
    }

    /// The number of points.
    #[getter]
    fn points(&self) -> usize {
        locked(&self.core).points()
    }

    /// The number of runs done, and the expected number of all runs.
    #[getter]
    fn progress(&self) -> (u64, u64) {
        let progress = locked(&self.core).progress();
        (progress.done, progress.expected)
    }

    /// Returns true if every point has enough runs.
    #[getter]
    fn is_complete(&self) -> bool {
        locked(&self.core).is_complete()
    }

    /// A batch for any process with this package; None if there is nothing to hand out now.
    fn take<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let batch = py.detach(|| locked(&self.core).take().map(|batch| batch.to_bytes()));
        batch.map(|batch| PyBytes::new(py, &batch))
    }

    /// Keeps the rows of a batch.
    fn accept(&self, py: Python<'_>, rows: &[u8]) -> PyResult<()> {
        let kept = py.detach(|| {
            let rows = Rows::from_bytes(rows)?;
            locked(&self.core).accept(&[rows])
        });
        kept.map_err(|error| wrong_sweep(&error))
    }

    /// Makes the missing runs on threads of this process. `on_tick` is called periodically with the progress.
    fn run_here(&self, py: Python<'_>, threads: Option<usize>, on_tick: &Bound<'_, PyAny>) -> PyResult<()> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = threads.and_then(NonZeroUsize::new).unwrap_or(cores);
        let watcher = Arc::new(Watcher::new(since_start));
        let shown = Arc::new(Mutex::new(self.progress()));
        let work = {
            let (core, watcher, shown) = (self.core.clone(), watcher.clone(), shown.clone());
            move || {
                let mut core = locked(&core);
                run_here(&mut core, threads, &watcher, |progress| {
                    *locked(&shown) = (progress.done, progress.expected);
                })
            }
        };
        let tick = |_: Python<'_>| {
            let (done, expected) = *locked(&shown);
            on_tick.call1((done, expected)).map(drop)
        };
        unlocked_with(py, Some(&watcher), tick, work)?.map_err(|error| wrong_sweep(&error))?;
        let (done, expected) = self.progress();
        on_tick.call1((done, expected)).map(drop)
    }

    /// The rows so far, in the order of points and seeds.
    fn table(&self, py: Python<'_>) -> PyResult<Batches> {
        let (schema, batches) = py.detach(|| {
            let core = locked(&self.core);
            let batches: Result<Vec<RecordBatch>, SweepError> = core.record_batches().collect();
            (schema(&core.columns()), batches)
        });
        Ok(Batches::new(schema, batches.map_err(|error| wrong_sweep(&error))?))
    }

    /// Writes the table into the folder and returns its files.
    fn write(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        if self.folder.is_none() {
            return Ok(Vec::new());
        }
        let written = py.detach(|| locked(&self.core).write_table(|_| {}));
        Ok(written.map_err(|error| wrong_sweep(&error))?.files)
    }
}

/// Runs a batch and returns its rows, for the process of the sweep.
#[pyfunction]
pub(crate) fn run_batch<'py>(py: Python<'py>, batch: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let batch = Batch::from_bytes(batch).map_err(|error| wrong_batch(&error))?.with_policies(registry());
    let watcher = Arc::new(Watcher::new(since_start));
    let work = {
        let watcher = watcher.clone();
        move || batch.run(&watcher).map(|rows| rows.to_bytes())
    };
    let rows = unlocked(py, Some(&watcher), work)?.map_err(|error| wrong_batch(&error))?;
    Ok(PyBytes::new(py, &rows))
}

fn wrong_sweep(error: &SweepError) -> PyErr {
    match error {
        SweepError::Scenario(error) => wrong_scenario(error),
        SweepError::Build { .. } | SweepError::Seeds(_) => {
            crate::errors::without_place("scenario", &error.to_string())
        }
        SweepError::Axis(_) | SweepError::Grid(_) => PyValueError::new_err(error.to_string()),
        SweepError::Batch(error) => wrong_batch(error),
        SweepError::Journal(_) | SweepError::Table(_) => not_kept(&error.to_string()),
    }
}

fn wrong_batch(error: &BatchError) -> PyErr {
    match error {
        BatchError::Scenario(error) => wrong_scenario(error),
        BatchError::Build(error) => contradiction(error),
        BatchError::Bytes { .. } | BatchError::OtherProgram => not_kept(&error.to_string()),
    }
}
