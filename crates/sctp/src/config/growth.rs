//! The limits of automatic growth of a receive buffer.

use anabranch_base::ByteCount;

/// The bounds of a receive buffer that tunes itself. It starts with the size in
/// [`Config::receive_buffer`](super::Config).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The largest size of one association's buffer.
    pub limit: ByteCount,
    /// The maximum total growth of all associations of an endpoint, so that many associations cannot exhaust the
    /// memory.
    pub endpoint: ByteCount,
}

impl Growth {
    /// Growth up to `limit`, and for all associations together up to four times `limit`.
    pub const fn to(limit: ByteCount) -> Growth {
        Growth { limit, endpoint: ByteCount::new(limit.get().saturating_mul(4)) }
    }
}
