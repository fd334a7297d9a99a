//! The outstanding chunks of one path: the lowest, the highest, and the whole flight.

use anabranch_base::Time;

use super::super::chunk::{Sends, State};
use super::super::chunks::Chunks;
use super::super::copies::Copies;
use super::SendBuffer;
use crate::policy::PathId;
use crate::seq::Tsn;

impl SendBuffer {
    /// The chunks in flight on `path`, ascending.
    pub(crate) fn in_flight_on(&self, path: PathId) -> Vec<Tsn> {
        let fresh = self.in_flight.on(path, |position| sends_on(&self.chunks, &self.copies, position, path));
        let is_here = |position: &u64| self.chunks.at(*position).path() == path;
        let revoked = self.in_flight.revoked().filter(is_here);
        let mut positions: Vec<u64> = fresh.chain(revoked).collect();
        positions.sort_unstable();
        positions.into_iter().map(|position| self.chunks.tsn(position)).collect()
    }

    /// The chunks in flight on `path` that were sent before `time`.
    pub(crate) fn in_flight_from_before(&self, path: PathId, time: Time) -> Vec<Tsn> {
        let mut chunks = self.in_flight_on(path);
        chunks.retain(|&tsn| self.chunks.at(self.chunks.position(tsn)).last().sent_at < time);
        chunks
    }

    /// The lowest outstanding chunk of `path`.
    pub(crate) fn lowest_on(&mut self, path: PathId) -> Option<Tsn> {
        self.lowest_position(path).map(|position| self.chunks.tsn(position))
    }

    /// The sending time of the lowest outstanding chunk of `path`.
    pub(crate) fn lowest_left_at(&mut self, path: PathId) -> Option<Time> {
        self.lowest_position(path).map(|position| self.chunks.at(position).last().sent_at)
    }

    /// The highest outstanding chunk of `path`.
    pub(crate) fn highest_on(&self, path: PathId) -> Option<Tsn> {
        let there = |position| sends_on(&self.chunks, &self.copies, position, path);
        self.in_flight.highest(path, there).map(|position| self.chunks.tsn(position))
    }

    /// The lowest chunk last sent on `path` that is not acknowledged, in flight or marked.
    pub(crate) fn lowest_unacked_on(&mut self, path: PathId) -> Option<Tsn> {
        let in_flight = self.lowest_position(path);
        let marked = self.marked.positions().find(|&position| self.chunks.at(position).path() == path);
        in_flight.into_iter().chain(marked).min().map(|position| self.chunks.tsn(position))
    }

    fn lowest_position(&mut self, path: PathId) -> Option<u64> {
        let there = |position| sends_on(&self.chunks, &self.copies, position, path);
        let (once, again) = self.in_flight.lowest(path, there);
        once.into_iter().chain(again).min()
    }
}

/// The number of transmissions of the chunk at `position`, if it is in flight on `path`, itself or as a copy, and was
/// never acknowledged.
#[inline]
pub(super) fn sends_on(chunks: &Chunks, copies: &Copies, position: u64, path: PathId) -> Option<Sends> {
    let chunk = chunks.held(position).filter(|chunk| chunk.state() == State::InFlight)?;
    let sends = chunk.sends();
    let is_there = chunk.path() == path || sends == Sends::Copied && copies.is_on(position, path);
    is_there.then_some(sends)
}
