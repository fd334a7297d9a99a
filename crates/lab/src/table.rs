//! Tables for other programs: in memory as Arrow columns, and as files.

mod arrow;
mod parquet;
mod writer;

pub(crate) use arrow::{Places, RowBatch, column};
pub(crate) use arrow::{program_column, seed_column};
pub use arrow::{results_batch, schema};
pub(crate) use writer::rows_of_a_group;
pub use writer::{FILES, TableError, TableWriter};
