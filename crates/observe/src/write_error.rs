//! The error for a record that cannot be written, shared by all kinds of records.

use std::io;
use std::path::{Path, PathBuf};

/// A record that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path:?}: {source}")]
pub struct CannotWrite {
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

/// Converts an error at `path` into one that names it.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> CannotWrite {
    move |source| CannotWrite { path: path.to_owned(), source }
}
