//! Replications of a scenario.

use std::num::NonZeroUsize;
use std::sync::Arc;

use anabranch_base::Duration;
use anabranch_lab::Loaded;
use anabranch_lab::table::results_batch;
use anabranch_observe::results;
use anabranch_scenario::Scenario;
use anabranch_sim::{Plan, Replications, Stop, Summary, Watcher, replicate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{contradiction, same_names};
use crate::scenario::Parsed;
use crate::table::Batches;
use crate::unlocked::unlocked;

/// The results of replications.
#[pyclass(frozen, module = "anabranch._native")]
pub struct Replicated {
    loaded: Arc<Loaded>,
    replications: Replications,
}

/// Runs `scenario` with its number of replications, or until the 95 % interval of every flow's goodput is within
/// `until` of its mean.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Parsed,
    until: Option<f64>,
    threads: Option<usize>,
) -> PyResult<Replicated> {
    let loaded = scenario.loaded();
    let plan = plan(&loaded.scenario, until, threads)?;
    // The running time is in no result.
    let watcher = Arc::new(Watcher::new(|| Duration::ZERO));
    let work = {
        let (loaded, watcher) = (loaded.clone(), watcher.clone());
        move || replicate(&loaded.scenario, plan, &watcher)
    };
    let replications = unlocked(py, Some(&watcher), work)?;
    let replications = replications.map_err(|error| contradiction(&error))?;
    Ok(Replicated { loaded, replications })
}

#[pymethods]
impl Replicated {
    fn __len__(&self) -> usize {
        self.replications.runs.len()
    }

    /// The document of `sim --json`.
    fn document(&self) -> String {
        let Loaded { scenario, sha256, .. } = &*self.loaded;
        let body = results(scenario, scenario.run.seed, &self.replications);
        body.about(sha256.clone()).value(None).to_string()
    }

    /// One row for each run.
    fn table(&self) -> PyResult<Batches> {
        results_batch(&self.replications.runs).map(Batches::of).map_err(|error| same_names(&error))
    }
}

/// Mean, standard deviation and half the 95 % confidence interval of `values`, by Student's t.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "pyo3 gives lists as vectors")]
pub(crate) fn estimate(values: Vec<f64>) -> Option<(usize, f64, Option<f64>, Option<f64>)> {
    let estimate = values.into_iter().collect::<Summary>().estimate()?;
    Some((estimate.n, estimate.mean, estimate.sd, estimate.ci95))
}

fn plan(scenario: &Scenario, until: Option<f64>, threads: Option<usize>) -> PyResult<Plan> {
    let stop = match until {
        None => Stop::After(scenario.run.runs),
        Some(error) if error > 0.0 && error < 1.0 => {
            Stop::Until { error, least: scenario.run.runs.max(Stop::LEAST), most: Stop::MOST }
        }
        Some(error) => {
            let message = format!("until is a fraction of the mean, above 0 and below 1, not {error}");
            return Err(PyValueError::new_err(message));
        }
    };
    Ok(Plan { seed: scenario.run.seed, stop, threads: threads.and_then(NonZeroUsize::new) })
}
