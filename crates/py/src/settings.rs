//! The reference of settings, from the core's tables.

use anabranch_scenario::reference;
use pyo3::prelude::*;

use crate::policies::registry;

/// Every key of a scenario: key, values, default, meaning.
#[pyfunction]
pub(crate) fn settings() -> Vec<(String, String, String, &'static str)> {
    let registry = registry();
    let known = reference::known(&registry).into_iter();
    known
        .map(|known| (known.key, reference::values(&known.kind, &registry), known.default, known.doc))
        .collect()
}
