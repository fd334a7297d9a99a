//! What a scheduler sees of the chunks in flight, of which it may have copies sent.

use std::fmt::Debug;

use anabranch_base::ByteCount;

use crate::policy::PathId;
use crate::seq::Tsn;

/// A chunk that was sent, and is not known to have arrived or to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkInFlight {
    /// Its TSN.
    pub tsn: Tsn,
    /// Where it was sent; of several paths the first one.
    pub path: PathId,
    /// The size of an SCTP packet that has this chunk alone.
    pub packet: ByteCount,
    /// Whether a copy of it ever left while it was in flight.
    pub was_copied: bool,
}

/// The chunks in flight, where they are kept.
pub trait ChunksInFlight: Debug {
    /// The lowest chunk in flight: all that arrived behind it waits for it.
    fn lowest(&self) -> Option<ChunkInFlight>;

    /// The lowest chunk in flight above `tsn`. Costs as much as there are chunks between that are not in flight.
    fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight>;
}
