//! Scenarios that are run many times: loading them, their results as rows of named columns, and sweeps over grids.
//!
//! It parses no arguments and prints nothing. The command line and the Python package stand on it.

#[cfg(feature = "tables")]
mod cell;
#[cfg(feature = "tables")]
pub mod columns;
mod digest;
pub mod load;
#[cfg(feature = "tables")]
pub mod sweep;
#[cfg(feature = "tables")]
pub mod table;

#[cfg(feature = "tables")]
pub use cell::{Cell, CellKind};
#[cfg(feature = "tables")]
pub use columns::ColumnInfo;
pub use load::{LoadError, Loaded, Origin, Purpose, load, load_bytes, load_with};
#[cfg(feature = "tables")]
pub use sweep::{Design, Sweep, SweepError};

/// Program and version, as tables name what made a row.
pub const PROGRAM: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
