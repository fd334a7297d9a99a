//! The queue of control chunks.

use std::fmt;

use crate::policy::PathId;
use crate::wire::EncodeChunk;

/// A queued control chunk.
pub struct Control {
    /// The path on which it leaves.
    pub path: PathId,
    /// Whether it may leave on an unverified path (RFC 9260 §5.4: only HEARTBEATs, their answers, and chunks bundled
    /// with them).
    pub is_probe: bool,
    /// The chunk.
    pub chunk: Box<dyn EncodeChunk + Send>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a chunk of {} bytes for {}", self.chunk.encoded_len(), self.path)
    }
}
