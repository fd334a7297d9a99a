//! The counters of a station.

use anabranch_base::Duration;

use crate::frame::FrameKind;

/// The counters of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationCounters {
    /// Frames sent, by kind in the order of [`FrameKind::ALL`].
    pub frames: [u64; 7],
    /// RTSs without a CTS.
    pub rts_failures: u64,
    /// Data frames without an ACK.
    pub data_failures: u64,
    /// Frames given up after their last attempt.
    pub retry_drops: u64,
    /// Packets and DSR messages that the queue refused.
    pub queue_drops: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// Frames in reception range that the station did not receive because others overlapped them or it sent itself.
    pub collisions: u64,
    /// The time for which it sent.
    pub airtime: Duration,
    /// Frames given up to a next hop, which DSR takes for broken links.
    pub link_failures: u64,
    /// Discoveries begun.
    pub discoveries: u64,
    /// Route requests received, copies included.
    pub requests_received: u64,
    /// Route replies received, to forward or to use.
    pub replies_received: u64,
    /// Route errors received, to forward or to use.
    pub errors_received: u64,
}

impl StationCounters {
    /// Frames of this kind sent, attempts included.
    pub fn sent(&self, kind: FrameKind) -> u64 {
        self.frames[kind as usize]
    }
}
