//! A test packet that waits to be sent.

use crate::policy::PathId;
use crate::wire::Test;

/// A queued test packet. It needs no allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedTest {
    path: PathId,
    len: usize,
    body: [u8; Test::MOST_BODY],
    body_len: usize,
}

impl QueuedTest {
    /// An SCTP packet of `len` bytes, a multiple of four, with a valid `test`.
    pub(super) fn new(path: PathId, test: &Test<'_>, len: usize) -> QueuedTest {
        let mut body = [0; Test::MOST_BODY];
        body[..test.body.len()].copy_from_slice(test.body);
        QueuedTest { path, len, body, body_len: test.body.len() }
    }

    /// The path.
    pub(super) fn path(&self) -> PathId {
        self.path
    }

    /// The length of the SCTP packet.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The TEST chunk.
    pub(super) fn chunk(&self) -> Test<'_> {
        Test { body: &self.body[..self.body_len] }
    }

    /// Returns true if both packets have the same path and length, so that they may leave together.
    pub(super) fn is_like(&self, other: &QueuedTest) -> bool {
        (self.path, self.len) == (other.path, other.len)
    }
}
