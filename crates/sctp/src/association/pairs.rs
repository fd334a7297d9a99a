//! The pairs of addresses that may become paths if others do not answer.

use crate::path::PathAddresses;

/// The pairs of addresses that are not paths.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub untried: Vec<PathAddresses>,
    /// Whether some pairs were tried: then a path that never worked may be a wrong guess.
    pub were_tried: bool,
}
