//! The module `anabranch._native`: what the Python package has from the core. One file a subject; the package in
//! `python/anabranch` gives it its shape, its types and its documentation.

mod clock;
mod errors;
mod figures;
mod models;
mod run;
mod scenario;
mod settings;
mod sweep;
mod table;
mod trace;
mod unlocked;

use pyo3::prelude::*;

/// The native part of the package `anabranch`.
#[pymodule]
mod _native {
    /// That of the program.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's own name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::figures::{FigureStudy, figure_panels, run_figure_batch};
    #[pymodule_export]
    use crate::models::{plan, predict};
    #[pymodule_export]
    use crate::run::{Replicated, estimate, run};
    #[pymodule_export]
    use crate::scenario::Parsed;
    #[pymodule_export]
    use crate::settings::settings;
    #[pymodule_export]
    use crate::sweep::{Sweep, run_batch};
    #[pymodule_export]
    use crate::table::Batches;
    #[pymodule_export]
    use crate::trace::trace;
}
