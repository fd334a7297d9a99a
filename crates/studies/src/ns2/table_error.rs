//! Why a table of the other simulator is of no use.

/// A table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The table.
        path: String,
        /// Why.
        source: csv::Error,
    },
    /// A row has a value that has no meaning here.
    #[error("a row has {what}, which has no meaning here")]
    Strange {
        /// The value.
        what: String,
    },
    /// A point without a value.
    #[error("nothing of theirs is known of {0}")]
    Empty(String),
}
