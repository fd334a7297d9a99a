//! The load of the receive buffer: weight against the window, and memory.

use std::ops::{Add, AddAssign};

use anabranch_base::ByteCount;

/// The cost of one or more chunks in the receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLoad {
    /// Their weight against the advertised window (M-SCTP-18 `rwnd_charge`).
    pub charge: ByteCount,
    /// The memory that they take, including the structures around their user data.
    pub memory: ByteCount,
}

impl MemoryLoad {
    /// No cost.
    pub const NONE: MemoryLoad = MemoryLoad { charge: ByteCount::ZERO, memory: ByteCount::ZERO };

    /// The memory of a separate chunk besides its user data: the message, run or bundle that contains it, and the
    /// allocator's overhead.
    pub const OVERHEAD: ByteCount = ByteCount::new(256);

    /// The cost of one separate chunk of weight `charge`, with `length` bytes of user data.
    pub(crate) const fn of_chunk(charge: ByteCount, length: usize) -> MemoryLoad {
        MemoryLoad { charge, memory: ByteCount::new(MemoryLoad::OVERHEAD.get() + length as u64) }
    }

    /// This minus `other`; zero where `other` is more.
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
