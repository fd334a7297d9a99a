//! How much is held of something: its weight against the window and its number of chunks. It knows nothing
//! of what is held.

use std::ops::{Add, AddAssign};

use anabranch_base::ByteCount;

/// What one or more held chunks cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// What they weigh against the advertised window (M-SCTP-18 `rwnd_charge`).
    pub charge: ByteCount,
    /// How many chunks they are.
    pub chunks: u64,
}

impl Load {
    /// Nothing.
    pub const NONE: Load = Load { charge: ByteCount::ZERO, chunks: 0 };

    /// One chunk of this weight.
    pub const fn of_chunk(charge: ByteCount) -> Load {
        Load { charge, chunks: 1 }
    }

    /// This less `other`; none where `other` is more.
    #[must_use]
    pub const fn saturating_sub(self, other: Load) -> Load {
        Load {
            charge: self.charge.saturating_sub(other.charge),
            chunks: self.chunks.saturating_sub(other.chunks),
        }
    }
}

impl Add for Load {
    type Output = Load;
    fn add(self, other: Load) -> Load {
        Load { charge: self.charge + other.charge, chunks: self.chunks.saturating_add(other.chunks) }
    }
}

impl AddAssign for Load {
    fn add_assign(&mut self, other: Load) {
        *self = *self + other;
    }
}
