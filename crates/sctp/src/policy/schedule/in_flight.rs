//! The chunks in flight as a scheduler sees them; it may request copies of them.

use std::fmt::Debug;

use anabranch_base::{ByteCount, Time};

use crate::policy::PathId;
use crate::seq::Tsn;

/// A chunk that was sent, and is neither acknowledged nor marked lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkInFlight {
    /// The TSN.
    pub tsn: Tsn,
    /// The path on which it was sent; of several, the first one.
    pub path: PathId,
    /// When it was sent on that path.
    pub sent_at: Time,
    /// The size of an SCTP packet with only this chunk.
    pub packet: ByteCount,
    /// True if a copy of it ever left while it was in flight.
    pub was_copied: bool,
}

/// Gives access to the chunks in flight.
pub trait ChunksInFlight: Debug {
    /// The lowest chunk in flight: all chunks that arrived after it wait for it.
    fn lowest(&self) -> Option<ChunkInFlight>;

    /// The lowest chunk in flight above `tsn`. The cost is the number of chunks between that are not in flight.
    fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight>;
}

/// Of the `most` lowest chunks in flight, those that were never copied, ascending.
pub(super) fn uncopied(
    in_flight: &dyn ChunksInFlight,
    most: usize,
) -> impl Iterator<Item = ChunkInFlight> + '_ {
    let lowest = std::iter::successors(in_flight.lowest(), |chunk| in_flight.next_above(chunk.tsn));
    lowest.take(most).filter(|chunk| !chunk.was_copied)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Chunks in flight, ascending.
    #[derive(Debug)]
    pub(crate) struct Flying(pub Vec<ChunkInFlight>);

    impl ChunksInFlight for Flying {
        fn lowest(&self) -> Option<ChunkInFlight> {
            self.0.first().copied()
        }

        fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight> {
            self.0.iter().find(|chunk| tsn.is_before(chunk.tsn)).copied()
        }
    }

    /// A chunk that left `path` at the beginning.
    pub(crate) fn chunk(tsn: u32, path: usize) -> ChunkInFlight {
        ChunkInFlight {
            tsn: Tsn::new(tsn),
            path: PathId::from_index(path),
            sent_at: Time::ZERO,
            packet: ByteCount::new(1480),
            was_copied: false,
        }
    }
}
