//! Converts the core's errors to the exceptions that the package defines in Python.

use anabranch_scenario::{Location, ScenarioError as WrongScenario, Style};
use anabranch_sim::BuildError;
use arrow_schema::ArrowError;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

pyo3::import_exception!(anabranch.errors, AnabranchError);
pyo3::import_exception!(anabranch.errors, ModelError);
pyo3::import_exception!(anabranch.errors, ScenarioError);

/// The error for an invalid scenario, with its place and the line drawn.
pub(crate) fn wrong_scenario(error: &WrongScenario) -> PyErr {
    let setting = match error.place() {
        Location::Setting(text) => Some(text.clone()),
        Location::File { .. } => None,
    };
    let shown = error.show(Style::Plain).trim_end().to_owned();
    ScenarioError::new_err((
        shown,
        error.kind().name(),
        error.message().to_owned(),
        error.file().map(str::to_owned),
        error.line(),
        error.column(),
        error.expected().map(str::to_owned),
        error.nearest().map(str::to_owned),
        setting,
    ))
}

/// The error for a scenario whose values contradict one another.
pub(crate) fn contradiction(error: &BuildError) -> PyErr {
    without_place("scenario", &error.to_string())
}

/// The error for a table with two columns of one name, from two flows or links of one name.
pub(crate) fn same_names(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error for runs or rows that cannot be kept, or are of another version.
pub(crate) fn not_kept(message: &str) -> PyErr {
    AnabranchError::new_err(message.to_owned())
}

/// The error where models and planner have no answer.
pub(crate) fn no_answer(message: &str) -> PyErr {
    ModelError::new_err(message.to_owned())
}

/// An error in a scenario without a single place.
pub(crate) fn without_place(kind: &'static str, message: &str) -> PyErr {
    let none = None::<String>;
    let nowhere = None::<usize>;
    ScenarioError::new_err((
        message.to_owned(),
        kind,
        message.to_owned(),
        none.clone(),
        nowhere,
        nowhere,
        none.clone(),
        none.clone(),
        none,
    ))
}
