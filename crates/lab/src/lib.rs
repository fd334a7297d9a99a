//! Scenarios that are run many times: loading them, their results as rows of named columns, and sweeps over grids.
//!
//! It parses no arguments and prints nothing. The command line and the Python package stand on it.

mod cell;
pub mod columns;
mod digest;
pub mod load;
pub mod sweep;
pub mod table;

pub use cell::{Cell, CellKind};
pub use columns::ColumnInfo;
pub use load::{LoadError, Loaded, Origin, Purpose, load, load_bytes, load_with};
pub use sweep::{Design, Sweep, SweepError};

/// Program and version, as tables name what made a row.
pub const PROGRAM: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
