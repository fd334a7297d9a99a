//! How far a receive buffer may grow by itself.

use anabranch_base::ByteCount;

/// The bounds of a receive buffer that tunes itself. It begins with what [`Config::receive_buffer`](super::Config) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// No association's buffer is ever larger.
    pub limit: ByteCount,
    /// All associations of an endpoint together grow by no more than this, so that many cannot take all memory.
    pub endpoint: ByteCount,
}

impl Growth {
    /// Up to `limit`, and for all associations together as much as four at their limits.
    pub const fn to(limit: ByteCount) -> Growth {
        Growth { limit, endpoint: ByteCount::new(limit.get().saturating_mul(4)) }
    }
}
