//! The read access of the association to single chunks and to the whole buffer.

use anabranch_base::ByteCount;

use super::super::chunk::State;
use super::super::held::Held;
use super::SendBuffer;
use crate::policy::PathId;
use crate::policy::schedule::{ChunkInFlight, ChunksInFlight};
use crate::seq::Tsn;
use crate::wire::{CommonHeader, UserData};

impl SendBuffer {
    /// The chunk with this TSN in wire format.
    #[inline]
    pub(crate) fn data(&self, tsn: Tsn) -> UserData<'_> {
        self.chunks.at(self.chunks.position(tsn)).data(tsn, self.interleaves)
    }

    /// The size of an SCTP packet with only this chunk.
    #[inline]
    pub(crate) fn packet_with(&self, tsn: Tsn) -> ByteCount {
        let chunk = self.chunks.at(self.chunks.position(tsn));
        ByteCount::of_len(CommonHeader::LEN + UserData::padded_len(self.interleaves, chunk.length()))
    }

    /// The weight of the chunk against the peer's receive window.
    #[inline]
    pub(crate) fn rwnd_weight(&self, tsn: Tsn) -> ByteCount {
        self.rwnd_charge.weigh(self.chunks.at(self.chunks.position(tsn)).length())
    }

    /// The weight of the chunk against a path's window.
    pub(crate) fn weight(&self, tsn: Tsn) -> ByteCount {
        self.charge.weigh(self.chunks.at(self.chunks.position(tsn)).length())
    }

    /// Returns true if the chunk is acknowledged, cumulatively or by a gap block.
    pub(crate) fn is_acked(&self, tsn: Tsn) -> bool {
        self.chunks.position_if_held(tsn).is_none_or(|position| self.chunks.is_acked(position))
    }

    /// The path on which a chunk was last sent; `None` for a chunk that is not kept, or was never sent.
    pub(crate) fn path_of(&self, tsn: Tsn) -> Option<PathId> {
        let chunk = self.chunks.at(self.chunks.position_if_held(tsn)?);
        (chunk.state() != State::Waiting).then_some(chunk.path())
    }

    /// The user data that is acknowledged neither cumulatively nor for good.
    pub(crate) fn held_bytes(&self) -> ByteCount {
        self.held.total()
    }

    /// The user data last sent on `path` that is acknowledged neither cumulatively nor for good.
    pub(crate) fn held_on(&self, path: PathId) -> Held {
        self.held.of(path)
    }

    /// The flight on all paths, weighed against the peer's receive window.
    pub(crate) fn rwnd_flight(&self) -> ByteCount {
        self.in_flight.rwnd()
    }

    /// Returns true if everything is cumulatively acknowledged.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_settled() && self.on_hold.count() == 0
    }

    /// Returns true if a chunk was sent that is not cumulatively acknowledged.
    pub(crate) fn has_outstanding(&self) -> bool {
        self.chunks.sent_end() > self.chunks.first()
    }

    /// The number of the current packet, or of the last one.
    pub(crate) fn departure(&self) -> u64 {
        self.log.packet()
    }

    /// The highest TSN that was ever sent.
    pub(crate) fn highest_sent(&self) -> Tsn {
        self.chunks.tsn(self.chunks.sent_end()).previous()
    }

    /// The cumulative TSN ack point.
    pub(crate) fn ack_point(&self) -> Tsn {
        self.chunks.ack_point()
    }

    /// The lowest chunk in flight at position `from` or above.
    fn in_flight_from(&self, from: u64) -> Option<ChunkInFlight> {
        let position = self.chunks.in_flight_from(from)?;
        let tsn = self.chunks.tsn(position);
        self.chunks.at(position).in_flight(tsn, self.packet_with(tsn))
    }
}

impl ChunksInFlight for SendBuffer {
    fn lowest(&self) -> Option<ChunkInFlight> {
        self.in_flight_from(self.chunks.first())
    }

    fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight> {
        let is_below = self.chunks.is_passed(tsn);
        self.in_flight_from(if is_below { self.chunks.first() } else { self.chunks.position(tsn) + 1 })
    }
}
