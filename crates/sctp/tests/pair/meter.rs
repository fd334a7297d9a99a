//! Measures what calls into an end cost it: memory allocated, memory kept, and time, as a test reads them.

use std::ops::{Range, Sub};

use anabranch_base::Time;
use bytes::Bytes;

use super::{End, Pair, Side};

/// The resources of the calling thread, used and held.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// Allocations.
    pub(crate) allocations: u64,
    /// Bytes that they asked for.
    pub(crate) bytes: u64,
    /// Bytes that are held.
    pub(crate) held: u64,
    /// Processor time in nanoseconds; zero where the test reads no clock.
    pub(crate) nanoseconds: u64,
}

impl Sub for Reading {
    type Output = Reading;
    fn sub(self, earlier: Reading) -> Reading {
        Reading {
            allocations: self.allocations - earlier.allocations,
            bytes: self.bytes - earlier.bytes,
            held: self.held.wrapping_sub(earlier.held),
            nanoseconds: self.nanoseconds - earlier.nanoseconds,
        }
    }
}

/// One packet that arrived, and its cost.
#[derive(Clone, Debug)]
pub(crate) struct PacketCost {
    /// The end that received it.
    pub(crate) to: End,
    /// The content.
    pub(crate) bytes: Bytes,
    /// The cost of reading and answering it.
    pub(crate) cost: Reading,
    /// The lines of the log that left at once.
    pub(crate) answers: Range<usize>,
}

/// Reads before and after each call into an end.
pub(crate) struct Meter {
    read: fn() -> Reading,
    /// Bytes that each end holds by now: allocated less freed within calls.
    held: [i64; 2],
    /// Every packet that arrived, until it is taken.
    pub(crate) packet_costs: Vec<PacketCost>,
}

impl Meter {
    /// A meter that reads by `read`.
    pub(crate) fn new(read: fn() -> Reading) -> Meter {
        Meter { read, held: [0; 2], packet_costs: Vec::new() }
    }

    /// An end lost its memory.
    pub(crate) fn forget(&mut self, end: End) {
        self.held[end as usize] = 0;
    }

    /// Returns the memory of an end.
    pub(crate) fn held(&self, end: End) -> u64 {
        u64::try_from(self.held[end as usize]).unwrap_or(0)
    }
}

impl Pair {
    /// Calls into an end. Memory that counts as the end's is made and dropped within.
    pub(crate) fn within<T>(&mut self, end: End, call: impl FnOnce(&mut Side, Time) -> T) -> T {
        let (before, now) = (self.read_meter(), self.now);
        let result = call(self.side(end), now);
        let cost = self.read_meter() - before;
        if let Some(meter) = &mut self.meter {
            meter.held[end as usize] += cost.held as i64;
            self.cost.allocations += cost.allocations;
            self.cost.bytes += cost.bytes;
            self.cost.nanoseconds += cost.nanoseconds;
        }
        result
    }

    fn read_meter(&self) -> Reading {
        self.meter.as_ref().map_or_else(Reading::default, |meter| (meter.read)())
    }
}
