//! Rows as tables that other programs read.

mod arrow;

pub use arrow::{program_column, results_batch, schema, seed_column};
