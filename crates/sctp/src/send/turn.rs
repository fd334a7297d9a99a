//! The next part of a message to get TSNs.

use super::fragmentation::Outgoing;

/// A message that gets its TSNs next, or a part of it.
#[derive(Debug)]
pub(super) struct Turn {
    /// The number of the message.
    pub number: u64,
    /// The FSN of the part's first fragment.
    pub fsn: u32,
    /// True if it begins, or ends, its message.
    pub begins: bool,
    pub ends: bool,
    pub part: Outgoing,
}
