//! The observations of one run as tables.

use std::sync::Arc;

use anabranch_base::Duration;
use anabranch_observe::trace::MemorySink;
use anabranch_scenario::Scenario;
use anabranch_sim::{BuildError, Run, RunProgress, Watcher};
use pyo3::prelude::*;

use crate::errors::{contradiction, same_names};
use crate::scenario::Parsed;
use crate::table::Batches;
use crate::unlocked::unlocked;

/// The tables of one run by their names: `paths`, `links`, `packets` and `frames`.
#[pyfunction]
pub(crate) fn trace(py: Python<'_>, scenario: &Parsed) -> PyResult<Vec<(&'static str, Batches)>> {
    let loaded = scenario.loaded();
    let watcher = Arc::new(Watcher::new(|| Duration::ZERO));
    let work = {
        let watcher = watcher.clone();
        move || traced(&loaded.scenario, &watcher)
    };
    let sink = unlocked(py, Some(&watcher), work)?.map_err(|error| contradiction(&error))?;
    let tables = py.detach(|| sink.finish()).map_err(|error| same_names(&error))?;
    Ok(tables.into_iter().map(|(name, batch)| (name, Batches::of(batch))).collect())
}

fn traced(scenario: &Scenario, watcher: &Watcher) -> Result<MemorySink, BuildError> {
    let mut run = Run::new(scenario, scenario.run.seed, MemorySink::WATCH)?;
    let mut sink = MemorySink::new(scenario);
    let mut progress = RunProgress::Running;
    while progress == RunProgress::Running && !watcher.is_called_off() {
        progress = run.advance(SLICE);
        run.take_observations().into_iter().for_each(|observation| sink.take(observation));
    }
    Ok(sink)
}

/// The simulated time observed together, which bounds the memory of observations not yet in the tables.
const SLICE: Duration = Duration::from_millis(50);
