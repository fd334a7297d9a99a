//! Runs scenarios many times: loads them, makes their results rows of named columns, and sweeps over grids.
//!
//! The crate parses no arguments and prints nothing. The command line and the Python package are built on it.

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

/// Program and version, as recorded with each row.
pub const PROGRAM: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
