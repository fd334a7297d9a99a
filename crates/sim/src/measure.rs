//! Measurements during a run: at applications, and over several runs.

mod meter;
mod summary;

pub(crate) use meter::{Meter, per_second};
pub use summary::{Estimate, Summary};
