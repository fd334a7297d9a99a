//! Records chunks as lost on a path, and marks them for retransmission unless a copy is in flight on another path.

use anabranch_base::ByteCount;

use super::super::chunk::{Sends, Transmission};
use super::{Left, SendBuffer};
use crate::policy::PathId;
use crate::policy::retransmission::{LostBy, LostChunk};
use crate::seq::Tsn;

impl SendBuffer {
    /// Declares a chunk in flight on `path` lost there. It leaves the flight of `path` at once, and is marked for
    /// retransmission unless a copy of it is in flight on another path. `None` if the chunk is not, or no longer, in
    /// flight on `path`.
    pub(crate) fn mark(&mut self, tsn: Tsn, path: PathId, by: LostBy) -> Option<Left> {
        let position = self.chunks.position_if_held(tsn)?;
        if let Some(left) = self.lose_one_of_several(position, path) {
            return Some(left);
        }
        let chunk = self.chunks.at_mut(position);
        if chunk.path() != path || !chunk.lose(by) {
            return None;
        }
        let (lost, length) = (chunk.last(), chunk.length());
        let rwnd_weight = self.rwnd_charge.weigh(length);
        self.in_flight.leave(position, rwnd_weight);
        self.marked.add(position, rwnd_weight);
        self.copies.cancel(position);
        let head = self.chunks.at(position).head();
        if head.is_limited() {
            self.limited.on_lost(head.key(), position);
        }
        if by == LostBy::Timeout {
            self.credit.earn();
        }
        Some(self.left(lost, length, rwnd_weight))
    }

    /// Returns true if chunks are marked for retransmission, or copies are requested.
    pub(crate) fn has_retransmissions(&self) -> bool {
        self.has_marked() || self.copies.has_due()
    }

    /// Returns true if chunks are marked for retransmission.
    pub(crate) fn has_marked(&self) -> bool {
        !self.marked.is_empty()
    }

    /// The chunks marked for retransmission, ascending.
    pub(crate) fn marked(&self) -> impl Iterator<Item = LostChunk> {
        let chunks = &self.chunks;
        self.marked.positions().filter_map(|position| chunks.at(position).lost(chunks.tsn(position)))
    }

    /// The chunks marked for retransmission, weighed against the peer's receive window.
    pub(crate) fn rwnd_marked(&self) -> ByteCount {
        self.marked.rwnd()
    }

    /// Declares a chunk that is in flight on several paths lost on `path`: only the flight of `path` changes. `None` if
    /// the chunk is not in flight on several paths, or not on `path`.
    fn lose_one_of_several(&mut self, position: u64, path: PathId) -> Option<Left> {
        let chunk = self.chunks.at(position);
        if chunk.sends() != Sends::Copied || !chunk.is_in_flight() {
            return None;
        }
        let (first, length) = (chunk.path(), chunk.length());
        let lost = if path == first {
            let copy = self.copies.take_first(position)?;
            self.held.on_sent(copy.path, Some(first), length);
            self.log.insert(position, copy.path, copy.departure);
            self.chunks.at_mut(position).go_on_as(copy)
        } else {
            self.copies.remove(position, path)?
        };
        Some(self.left(lost, length, ByteCount::ZERO))
    }

    /// The transmission `lost` of a chunk with `length` bytes of user data as one that left its path's flight.
    pub(super) fn left(&self, lost: Transmission, length: usize, rwnd_weight: ByteCount) -> Left {
        let Transmission { path, departure, sent_at, round: _ } = lost;
        Left { path, weight: self.charge.weigh(length), rwnd_weight, departure, sent_at }
    }
}
