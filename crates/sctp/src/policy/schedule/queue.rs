//! The chunks that wait to be sent for the first time, as a scheduler sees them. They are read from the send buffer
//! without copies.

use std::fmt::Debug;

use anabranch_base::ByteCount;

use crate::seq::Tsn;

/// The position of a chunk among those that wait to be sent for the first time; 0 is the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index(pub usize);

impl Index {
    /// The oldest waiting chunk.
    pub const OLDEST: Index = Index(0);
}

/// A chunk that waits to be sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingChunk {
    /// The TSN, which identifies it while its [`Index`] changes when chunks before it leave. The TSN means another
    /// chunk only after waiting chunks are cut into smaller ones, because packets became smaller.
    pub tsn: Tsn,
    /// The size of an SCTP packet with only this chunk.
    pub packet: ByteCount,
}

/// Gives access to the chunks that wait to be sent for the first time.
pub trait WaitingChunks: Debug {
    /// The chunk at `index`.
    fn chunk(&self, index: Index) -> Option<WaitingChunk>;

    /// The position of the chunk with this `tsn`; `None` if it was sent, or is not queued yet.
    fn index_of(&self, tsn: Tsn) -> Option<Index>;
}

/// The chunks that wait to be sent for the first time.
#[derive(Clone, Copy, Debug)]
pub struct QueueView<'a> {
    /// Their number.
    pub chunks: usize,
    /// The TSN of the oldest one.
    pub first_tsn: Tsn,
    /// The size of the SCTP packet that the oldest chunk needs.
    pub oldest: ByteCount,
    /// The size of the largest packet that any path carries. A chunk that needs more goes alone in a packet that the
    /// network may fragment.
    pub widest: ByteCount,
    /// The chunks themselves.
    pub waiting: &'a dyn WaitingChunks,
}

impl QueueView<'_> {
    /// The chunk at `index`. The cost is the logarithm of the number of chunks that left before older ones.
    pub fn chunk(&self, index: Index) -> Option<WaitingChunk> {
        let chunk = self.waiting.chunk(index)?;
        Some(WaitingChunk { packet: chunk.packet.min(self.widest), ..chunk })
    }

    /// The position of the chunk with this `tsn`; `None` if it was sent, or is not queued yet. The cost is the same.
    pub fn index_of(&self, tsn: Tsn) -> Option<Index> {
        self.waiting.index_of(tsn)
    }
}
