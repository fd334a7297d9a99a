//! The module `anabranch._native`: the core's functions for the Python package. One file for each subject; the package
//! in `python/anabranch` adds types and documentation.
//!
//! A crate with its own policies makes a module with [`add_to`], which replaces this one
//! (`examples/own-policy-python`).

mod clock;
mod errors;
mod figures;
mod models;
mod policies;
mod run;
mod scenario;
mod settings;
mod sweep;
mod table;
mod trace;
mod unlocked;

use anabranch_planner::live;
use pyo3::prelude::*;
use pyo3::wrap_pyfunction;

pub use anabranch_scenario::Registry;

/// The native part of the package `anabranch`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_to(module, shipped_policies())
}

/// The policies of anabranch, to which others may be added.
pub fn shipped_policies() -> Registry {
    live::registry()
}

/// Adds to a module everything that the package needs of its native part. Scenarios may use the policies of `registry`
/// by name.
///
/// # Errors
/// An exception of Python.
pub fn add_to(module: &Bound<'_, PyModule>, registry: Registry) -> PyResult<()> {
    policies::choose(registry);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<figures::FigureStudy>()?;
    module.add_class::<run::Replicated>()?;
    module.add_class::<scenario::Parsed>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<table::Batches>()?;
    module.add_function(wrap_pyfunction!(figures::figure_outlines, module)?)?;
    module.add_function(wrap_pyfunction!(figures::figure_panels, module)?)?;
    module.add_function(wrap_pyfunction!(figures::run_figure_batch, module)?)?;
    module.add_function(wrap_pyfunction!(models::plan, module)?)?;
    module.add_function(wrap_pyfunction!(models::predict, module)?)?;
    module.add_function(wrap_pyfunction!(run::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(settings::settings, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::run_batch, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace, module)?)
}
