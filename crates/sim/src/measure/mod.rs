//! What is measured during a run: at applications, and over several runs. It knows numbers, no network.

mod meter;
mod summary;

pub use meter::{Meter, per_second};
pub use summary::{Estimate, Summary};
