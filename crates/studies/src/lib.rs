//! The studies of the simulator: the papers' figures, and tables of our own questions.
//!
//! Each study fixes its parameters and its tolerances before it runs, and prints the results. `anabranch figures` runs the
//! papers' figures; the other studies, and the comparisons with other programs, are a tool for the project's own people, the
//! program of this crate.

pub mod blocking;
pub mod failover;
pub mod figures;
pub mod small;

use anabranch_runs::stopwatch;
pub use anabranch_runs::{grid, kept_runs, scale};
