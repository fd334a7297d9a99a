//! Chunks that leave on a second path while they are in flight on the first, and what becomes of them when one of the
//! two is lost.

use anabranch_base::ByteCount;

use super::buffer::{Left, SendBuffer, Sent};
use super::chunk::State;
use super::copies::CopyInFlight;
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

impl SendBuffer {
    /// A copy of the chunk `tsn`, which is in flight, left on `path`, in the round `round` of the path's window. A
    /// copy has no weight against the peer's receive window, which holds the chunk once.
    pub fn on_copied(&mut self, tsn: Tsn, path: PathId, round: u64) -> Sent {
        let (position, charge) = (self.position(tsn), self.charge);
        let (departure, sent_at) = (self.log.packet, self.log.packet_at);
        let chunk = self.chunk_mut(position);
        let departures = (departure, chunk.departure);
        (chunk.was_sent_again, chunk.was_copied) = (true, true);
        let (first, length) = (chunk.path, chunk.payload.len());
        self.copies.add(position, CopyInFlight { path, round, departure, sent_at });
        for there in [first, path] {
            self.paths[there.index()].again.insert(position);
        }
        Sent {
            weight: charge.weigh(length),
            rwnd_weight: ByteCount::ZERO,
            payload: ByteCount::of_len(length),
            previous: Some(first),
            departures,
            is_lowest_again: false,
        }
    }

    /// Whether a copy of the chunk `tsn` may leave on `path`: the chunk is in flight, but not on `path`. A chunk
    /// whose acknowledgement was taken back is not copied.
    pub fn may_copy(&self, tsn: Tsn, path: PathId) -> bool {
        self.position_if_held(tsn).is_some_and(|position| {
            let chunk = self.chunk(position);
            let is_in_flight = chunk.state == State::InFlight && !chunk.was_acked;
            is_in_flight && chunk.path != path && !self.copies.is_on(position, path)
        })
    }

    /// Requests that a copy of the chunk `tsn` leaves on `path` as soon as the path has room.
    pub fn want_copy(&mut self, tsn: Tsn, path: PathId) {
        self.copies.want(self.position(tsn), path);
    }

    /// Cancels all copies that are to leave on `path`.
    pub fn call_off_copies(&mut self, path: PathId) {
        self.copies.call_off_on(path);
    }

    /// The chunks of which a copy is to leave, ascending, each with the copy's path.
    pub fn due_copies(&self) -> impl Iterator<Item = (Tsn, PathId)> {
        self.copies.due().map(|(position, path)| (self.tsn(position), path))
    }

    /// A chunk that is in flight on several paths is lost on `path`: only the flight of `path` changes. `None` if the
    /// chunk is not in flight on several paths, or not on `path`.
    pub(super) fn lose_one_of_several(&mut self, position: u64, path: PathId) -> Option<Left> {
        let (charge, chunk) = (self.charge, self.chunk(position));
        if !chunk.was_copied || chunk.state != State::InFlight {
            return None;
        }
        let (length, first, mut departure) = (chunk.payload.len(), chunk.path, chunk.departure);
        let mut sent_at = chunk.sent_at;
        if path != first {
            let copy = self.copies.remove(position, path)?;
            (departure, sent_at) = (copy.departure, copy.sent_at);
        } else {
            let copy = self.copies.take_first(position)?;
            let chunk = self.chunk_mut(position);
            (chunk.path, chunk.round) = (copy.path, copy.round);
            (chunk.departure, chunk.sent_at) = (copy.departure, copy.sent_at);
            // The TSN does not tell when the copy left: the timer of the copy's path handles it.
            chunk.losses.add(LostBy::MissingReports);
            chunk.missing_reports = 0;
            self.held_by_path.on_sent(copy.path, Some(first), length);
            self.on_departed(position, copy.path, copy.departure);
        }
        Some(Left { path, weight: charge.weigh(length), rwnd_weight: ByteCount::ZERO, departure, sent_at })
    }
}
