//! The content of one SACK and its consequences for each path, passed from step to step while the SACK is processed.

use anabranch_base::{ByteCount, Duration, Time};

use crate::policy::PathId;
use crate::policy::loss_detection::{SackFindings, SackNews};

/// One SACK while it is processed. The memory is used again for the next one.
#[derive(Debug, Default)]
pub(super) struct SackReading {
    pub news: SackNews,
    pub progress: SackFindings,
    /// By the path's index.
    pub tally: Vec<NewlyAcked>,
}

/// What one SACK newly acknowledged on one path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NewlyAcked {
    pub bytes: ByteCount,
    pub rtt: Option<Duration>,
    /// The last packet of those that were sent only once: its number, and when it left.
    pub newest: Option<(u64, Time)>,
    /// At least one of the chunks was sent only once, so it arrived on this path.
    pub is_certain: bool,
    /// It ended the path's round of packets.
    pub ends_round: bool,
}

impl SackReading {
    /// Returns true if the SACK acknowledged a chunk that was sent on `path` and on no other path.
    pub fn has_delivered(&self, path: PathId) -> bool {
        self.tally.get(path.index()).is_some_and(|tally| tally.is_certain)
    }

    /// On how many paths the SACK newly acknowledged something.
    pub fn acked_paths(&self) -> usize {
        self.tally.iter().filter(|tally| !tally.bytes.is_zero()).count()
    }
}
