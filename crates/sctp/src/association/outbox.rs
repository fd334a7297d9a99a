//! Control chunks that wait to leave.

use std::fmt;

use crate::policy::PathId;
use crate::wire::EncodeChunk;

/// A control chunk that waits to leave.
pub struct Control {
    /// On which path.
    pub path: PathId,
    /// Whether it may leave on a path that is not verified (RFC 9260 §5.4: only HEARTBEATs and their
    /// answers, and what is bundled with them).
    pub is_probe: bool,
    /// The chunk.
    pub chunk: Box<dyn EncodeChunk + Send>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a chunk of {} bytes for {}", self.chunk.encoded_len(), self.path)
    }
}
