//! The reference of settings, from the core's table.

use anabranch_scenario::reference;
use pyo3::prelude::*;

use crate::policies::registry;

/// Every key that a scenario's settings have: key, which values it takes, its default, its meaning.
#[pyfunction]
pub fn settings() -> Vec<(String, String, String, &'static str)> {
    let registry = registry();
    let known = reference::known(&registry).into_iter();
    known
        .map(|known| (known.key, reference::values(&known.kind, &registry), known.default, known.doc))
        .collect()
}
