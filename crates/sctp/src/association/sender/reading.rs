//! The content of one SACK and its consequences for each path, passed from step to step while the SACK is processed.

use anabranch_base::{ByteCount, Duration, Time};

use crate::policy::PathId;
use crate::policy::loss_detection::{SackFindings, SackNews};

/// One SACK while it is processed. The memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct SackReading {
    pub news: SackNews,
    pub progress: SackFindings,
    /// The sums by path index.
    pub tally: Vec<NewlyAcked>,
}

/// The newly acknowledged chunks of one path in one SACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NewlyAcked {
    pub bytes: ByteCount,
    pub rtt: Option<Duration>,
    /// The last packet among those whose chunks were sent only once: its number and sending time.
    pub newest: Option<(u64, Time)>,
    /// True if at least one chunk was sent only once, and so arrived on this path.
    pub is_certain: bool,
    /// True if it ends the path's round.
    pub ends_round: bool,
}

impl SackReading {
    /// Returns true if the SACK acknowledged a chunk that was sent on `path` and on no other path.
    pub(crate) fn has_delivered(&self, path: PathId) -> bool {
        self.tally.get(path.index()).is_some_and(|tally| tally.is_certain)
    }

    /// The number of paths with newly acknowledged chunks.
    #[inline]
    pub(crate) fn acked_paths(&self) -> usize {
        self.tally.iter().filter(|tally| !tally.bytes.is_zero()).count()
    }
}
