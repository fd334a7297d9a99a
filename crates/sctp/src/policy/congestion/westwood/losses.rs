//! How much of a path is lost without a queue.

use anabranch_base::{ByteCount, Time};

use crate::policy::PathSample;

/// The share of what left one path that was lost while nothing waited, of the last eight windows or 128 packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChanceLosses {
    share: f64,
    /// Until then losses are still those of slow start, which filled the queue.
    excused_until: Time,
}

impl ChanceLosses {
    /// The share, 0 to 1.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// So much was acknowledged.
    pub fn on_acked(&mut self, bytes: ByteCount, sample: &PathSample) {
        self.share *= 1.0 - weight(bytes, sample);
    }

    /// So much was lost, while nothing was seen to wait.
    pub fn on_lost(&mut self, bytes: ByteCount, sample: &PathSample, now: Time) {
        if now >= self.excused_until {
            self.share += (1.0 - self.share) * weight(bytes, sample);
        }
    }

    /// A cut ended slow start.
    pub fn on_slow_start_cut(&mut self, sample: &PathSample, now: Time) {
        let excused_until = now + sample.srtt.unwrap_or(sample.rto) * EXCUSED;
        *self = ChanceLosses { share: 0.0, excused_until };
    }
}

fn weight(bytes: ByteCount, sample: &PathSample) -> f64 {
    let memory = (sample.unit * PACKETS).max(sample.cwnd * WINDOWS);
    (bytes.get() as f64 / memory.get().max(1) as f64).min(1.0)
}

const PACKETS: u64 = 128;
const WINDOWS: u64 = 8;
/// Round trips.
const EXCUSED: u64 = 4;
