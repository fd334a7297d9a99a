//! The models' predictions for a scenario, and the planner's limits, as the documents of the program.

use anabranch_base::Duration;
use anabranch_models::RoundLoss;
use anabranch_planner::{Method, PlanError, StepSet};
use anabranch_sim::predict::{LimitModel, Model, ModelFlow, PlanQuestion, PlanReport, forecasts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{no_answer, wrong_scenario};
use crate::scenario::Parsed;
use crate::unlocked::unlocked;

/// The document of `predict --json`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "pyo3 gives lists as vectors")]
pub(crate) fn predict(
    py: Python<'_>,
    scenario: &Parsed,
    models: Vec<String>,
    loss_model: &str,
) -> PyResult<String> {
    let named: Vec<Model> =
        models.iter().map(|name| named("model", name, &Model::ALL, Model::name)).collect::<PyResult<_>>()?;
    let wanted: Vec<Model> =
        Model::ALL.into_iter().filter(|model| named.is_empty() || named.contains(model)).collect();
    let loss = loss(loss_model)?;
    let loaded = scenario.loaded();
    unlocked(py, None, move || {
        let said = forecasts(&loaded.scenario, &wanted, loss);
        let body = anabranch_observe::predictions(&loaded.scenario, loss, &said);
        body.about(loaded.sha256.clone()).value(None).to_string()
    })
}

/// The document of `plan --json`.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    scenario: &Parsed,
    method: &str,
    step: Option<u32>,
    model: &str,
    loss_model: &str,
) -> PyResult<String> {
    let question = PlanQuestion {
        method: method_named(method, step)?,
        model: named("model", model, &LimitModel::ALL, LimitModel::name)?,
        loss: loss(loss_model)?,
    };
    let loaded = scenario.loaded();
    let name = loaded.scenario.flows[ModelFlow::first_index(&loaded.scenario)].name.clone();
    let flow = ModelFlow::first(&loaded.scenario)
        .map_err(|why| no_answer(&format!("cannot plan for flow {name:?}: {why}")))?;
    let work = {
        let loaded = loaded.clone();
        move || {
            // The documents of this package have no running time.
            let report = PlanReport::of(flow, question, || Duration::ZERO)?;
            let body = anabranch_observe::plan(&loaded.scenario, &report);
            Ok(body.about(loaded.sha256.clone()).value(None).to_string())
        }
    };
    let planned: Result<String, PlanError> = unlocked(py, None, work)?;
    planned.map_err(|error| match error {
        PlanError::BufferTooSmall { .. } => {
            wrong_scenario(&loaded.complaint(&name, "receive_buffer", &error.to_string()))
        }
        other => no_answer(&other.to_string()),
    })
}

fn method_named(method: &str, step: Option<u32>) -> PyResult<Method> {
    let refuse = |what: &str| Err(PyValueError::new_err(what.to_owned()));
    match (method, step) {
        ("step", None | Some(0)) => refuse("method \"step\" needs step, a number of packets from 1"),
        ("step", Some(step)) => Ok(Method::Step { step, set: StepSet::default() }),
        (_, Some(_)) => refuse("step is for method \"step\" alone"),
        (other, None) => {
            named("method", other, &[Method::Exact, Method::BruteForce, Method::Hull], Method::name)
        }
    }
}

fn loss(name: &str) -> PyResult<RoundLoss> {
    named("loss_model", name, &RoundLoss::ALL, RoundLoss::name)
}

/// The one of `all` with this name.
fn named<T: Copy>(what: &str, wanted: &str, all: &[T], name: impl Fn(T) -> &'static str) -> PyResult<T> {
    all.iter().copied().find(|one| name(*one) == wanted).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        PyValueError::new_err(format!("{what} is one of {}, not {wanted:?}", names.join(", ")))
    })
}
