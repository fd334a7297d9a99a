//! The cost of a transfer: processor time and allocations, for each byte and each packet.

use anabranch_base::ByteCount;
use rustix::time::{ClockId, clock_gettime};

use crate::counting::{Allocated, allocated};

/// The cost of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// User data that arrived.
    pub(crate) payload: ByteCount,
    /// Processor time of both ends.
    pub(crate) seconds: f64,
    /// Packets of both ends.
    pub(crate) packets: u64,
    /// Allocations of both ends.
    pub(crate) allocated: Allocated,
}

impl Cost {
    /// The cost of `transfer`, which returns its payload and its number of packets.
    pub(crate) fn of(transfer: impl FnOnce() -> (ByteCount, u64)) -> Cost {
        let (time, memory) = (processor_seconds(), allocated());
        let (payload, packets) = transfer();
        let (seconds, allocated) = (processor_seconds() - time, allocated() - memory);
        Cost { payload, seconds, packets, allocated }
    }

    /// Seconds of processor time for 10⁹ bytes of user data.
    pub(crate) fn seconds_per_gigabyte(&self) -> f64 {
        self.seconds * 1e9 / self.payload.get() as f64
    }

    /// Microseconds of processor time for a packet.
    pub(crate) fn microseconds_per_packet(&self) -> f64 {
        self.seconds * 1e6 / self.packets as f64
    }

    /// Bytes allocated for a packet.
    pub(crate) fn bytes_per_packet(&self) -> f64 {
        self.allocated.bytes as f64 / self.packets as f64
    }

    /// Allocations for a packet.
    pub(crate) fn times_per_packet(&self) -> f64 {
        self.allocated.times as f64 / self.packets as f64
    }
}

/// The repeat whose time lies in the middle.
pub(crate) fn median(mut repeats: Vec<Cost>) -> Cost {
    repeats.sort_by(|a, b| a.seconds_per_gigabyte().total_cmp(&b.seconds_per_gigabyte()));
    repeats[repeats.len() / 2]
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
