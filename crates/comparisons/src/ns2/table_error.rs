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
    #[error("a row has the invalid value {what}")]
    Strange {
        /// The value.
        what: String,
    },
    /// A point without a value.
    #[error("ns-2 has no result for {0}")]
    Empty(String),
}
