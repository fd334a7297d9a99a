//! The load of the receive buffer: weight against the window, and memory.

use std::ops::{Add, AddAssign};

use anabranch_base::ByteCount;

/// What one or more held chunks cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLoad {
    /// What they weigh against the advertised window (M-SCTP-18 `rwnd_charge`).
    pub charge: ByteCount,
    /// The memory that they take, with what surrounds their user data.
    pub memory: ByteCount,
}

impl MemoryLoad {
    /// Nothing.
    pub const NONE: MemoryLoad = MemoryLoad { charge: ByteCount::ZERO, memory: ByteCount::ZERO };

    /// What a chunk costs besides its user data where it is held by itself: the message, run or bundle that it
    /// stands in and the allocator's part.
    pub const OVERHEAD: ByteCount = ByteCount::new(256);

    /// One chunk of this weight, with `length` bytes of user data, held separately.
    pub const fn of_chunk(charge: ByteCount, length: usize) -> MemoryLoad {
        MemoryLoad { charge, memory: ByteCount::new(MemoryLoad::OVERHEAD.get() + length as u64) }
    }

    /// This less `other`; none where `other` is more.
    #[must_use]
    pub const fn saturating_sub(self, other: MemoryLoad) -> MemoryLoad {
        MemoryLoad {
            charge: self.charge.saturating_sub(other.charge),
            memory: self.memory.saturating_sub(other.memory),
        }
    }
}

impl Add for MemoryLoad {
    type Output = MemoryLoad;

    fn add(self, other: MemoryLoad) -> MemoryLoad {
        MemoryLoad { charge: self.charge + other.charge, memory: self.memory + other.memory }
    }
}

impl AddAssign for MemoryLoad {
    fn add_assign(&mut self, other: MemoryLoad) {
        *self = *self + other;
    }
}
