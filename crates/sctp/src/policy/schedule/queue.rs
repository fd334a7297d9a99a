//! What a scheduler sees of the chunks that wait to be sent for the first time. The chunks are looked up in the send
//! buffer, and none is copied.

use std::fmt::Debug;

use anabranch_base::ByteCount;

use crate::seq::Tsn;

/// The place of a chunk among those that wait to be sent for the first time; 0 is the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index(pub usize);

impl Index {
    /// The oldest waiting chunk.
    pub const OLDEST: Index = Index(0);
}

/// A chunk that waits to be sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingChunk {
    /// Its TSN, by which it is known while its [`Index`] shifts with what leaves before it. It gets another chunk's TSN
    /// only if it is cut to smaller ones, because packets have become smaller.
    pub tsn: Tsn,
    /// The size of an SCTP packet that has this chunk alone.
    pub packet: ByteCount,
}

/// The chunks that wait to be sent for the first time, where they are kept.
pub trait WaitingChunks: Debug {
    /// The chunk at `index`.
    fn chunk(&self, index: Index) -> Option<WaitingChunk>;

    /// Where the chunk with this TSN waits; `None` if it was sent, or is not queued yet.
    fn index_of(&self, tsn: Tsn) -> Option<Index>;
}

/// What waits to be sent for the first time.
#[derive(Clone, Copy, Debug)]
pub struct QueueView<'a> {
    /// How many chunks.
    pub chunks: usize,
    /// The TSN of the oldest one.
    pub first_tsn: Tsn,
    /// The size of the SCTP packet that the oldest one needs.
    pub oldest: ByteCount,
    /// The size of the largest packet that any path carries: a chunk that needs more goes alone in one that the
    /// network may cut.
    pub widest: ByteCount,
    /// The chunks themselves.
    pub waiting: &'a dyn WaitingChunks,
}

impl QueueView<'_> {
    /// The chunk at `index`. Costs the logarithm of how many chunks left before older ones.
    pub fn chunk(&self, index: Index) -> Option<WaitingChunk> {
        let chunk = self.waiting.chunk(index)?;
        Some(WaitingChunk { packet: chunk.packet.min(self.widest), ..chunk })
    }

    /// Where the chunk with this TSN waits; `None` if it was sent, or is not queued yet. Costs as much.
    pub fn index_of(&self, tsn: Tsn) -> Option<Index> {
        self.waiting.index_of(tsn)
    }
}
