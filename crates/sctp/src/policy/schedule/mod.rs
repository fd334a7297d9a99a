//! Which path carries the next new chunk, and which chunk that is (M-SCH-0, M-SCH-1, M-CMT-1).

pub mod fill;
pub mod lowest_rtt;
pub mod primary;
pub mod round_robin;

use std::fmt::Debug;

use anabranch_base::ByteCount;

use super::{PathId, PathSample, View};

/// The place of a chunk among those that wait to be sent for the first time; 0 is the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index(pub usize);

impl Index {
    /// The oldest waiting chunk.
    pub const OLDEST: Index = Index(0);
}

/// What waits to be sent for the first time.
#[derive(Clone, Copy, Debug)]
pub struct QueueView {
    /// How many chunks.
    pub chunks: usize,
    /// The size of the SCTP packet that the oldest one needs.
    pub oldest: ByteCount,
}

/// A rule that spreads new data.
pub trait Scheduler: Debug + Send {
    /// Chunks were queued.
    fn on_queued(&mut self, _queue: &QueueView, _view: &View<'_>) {}

    /// An opportunity to send begins: a packet, a time-out or the application changed something.
    fn on_opportunity(&mut self) {}

    /// The next chunk to send and where; `None` to wait for room. Only asked while something waits, and
    /// names only a path that [`may_carry`] the chunk.
    fn pick(&mut self, queue: &QueueView, view: &View<'_>) -> Option<(PathId, Index)>;

    /// Whether new data may go to `path` as things are, whatever its window: for reports of what held it back.
    fn may_use(&self, _path: PathId, _view: &View<'_>) -> bool {
        true
    }
}

/// Whether `path` has room and is wide enough for the oldest waiting chunk.
pub fn may_carry(path: &PathSample, queue: &QueueView) -> bool {
    path.may_send() && queue.oldest <= path.packet_limit
}
