//! The pairs of addresses that may become paths where others do not answer.

use crate::path::PathAddresses;

/// The pairs of addresses beside those that are paths.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub untried: Vec<PathAddresses>,
    /// Whether some were tried: then a path that never worked may be a wrong guess.
    pub were_tried: bool,
}
