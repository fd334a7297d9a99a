//! What is outstanding on one path: its lowest and highest chunks, and all of its flight.

use anabranch_base::Time;

use super::buffer::SendBuffer;
use super::chunk::State;
use super::lowest::Lowest;
use super::standing::Standing;
use crate::policy::PathId;
use crate::seq::Tsn;

/// The chunks that were sent on a path, as far as they may be its lowest.
#[derive(Debug, Default)]
pub(super) struct PathLowest {
    /// Those sent once.
    pub once: Lowest,
    /// Those sent more than once, or on several paths.
    pub again: Lowest,
    /// The chunks that the window update waits for, by a rule of ns-2's module.
    pub standing: Standing,
}

impl PathLowest {
    /// The chunks sent on the path `again`, or once, ascending; some are not there any more.
    pub fn positions(&self, again: bool) -> impl Iterator<Item = u64> {
        if again { &self.again } else { &self.once }.iter()
    }
}

impl SendBuffer {
    /// The chunks in flight on `path`, ascending, except that revoked ones come last.
    pub fn in_flight_on(&self, path: PathId) -> Vec<Tsn> {
        let lists = &self.paths[path.index()];
        let once = lists.once.iter().filter(|&position| self.is_on(position, path, false));
        let again = lists.again.iter().filter(|&position| self.is_on(position, path, true));
        let revoked = self.revoked.iter().copied().filter(|&position| self.chunk(position).path == path);
        let mut positions: Vec<u64> = once.chain(again).chain(revoked).collect();
        positions.sort_unstable();
        positions.into_iter().map(|position| self.tsn(position)).collect()
    }

    /// The chunks in flight on `path` that left before `time`.
    pub fn in_flight_from_before(&self, path: PathId, time: Time) -> Vec<Tsn> {
        let mut chunks = self.in_flight_on(path);
        chunks.retain(|&tsn| self.chunk(self.position(tsn)).sent_at < time);
        chunks
    }

    /// The lowest outstanding chunk of `path`.
    pub fn lowest_on(&mut self, path: PathId) -> Option<Tsn> {
        let (once, again) = self.lowest_positions(path);
        once.into_iter().chain(again).min().map(|position| self.tsn(position))
    }

    /// When the lowest outstanding chunk of `path` left there.
    pub fn lowest_left_at(&mut self, path: PathId) -> Option<Time> {
        let (once, again) = self.lowest_positions(path);
        once.into_iter().chain(again).min().map(|position| self.chunk(position).sent_at)
    }

    /// The highest outstanding chunk of `path`.
    pub fn highest_on(&self, path: PathId) -> Option<Tsn> {
        let lists = &self.paths[path.index()];
        let once = lists.once.last(|position| self.is_on(position, path, false));
        let again = lists.again.last(|position| self.is_on(position, path, true));
        once.into_iter().chain(again).max().map(|position| self.tsn(position))
    }

    /// The lowest chunk last sent on `path` that is not acknowledged, in flight or marked.
    pub fn lowest_unacked_on(&mut self, path: PathId) -> Option<Tsn> {
        let (once, again) = self.lowest_positions(path);
        let marked = self.marked.iter().copied().find(|&position| self.chunk(position).path == path);
        once.into_iter().chain(again).chain(marked).min().map(|position| self.tsn(position))
    }

    pub(super) fn lowest_positions(&mut self, path: PathId) -> (Option<u64>, Option<u64>) {
        let mut lists = std::mem::take(&mut self.paths[path.index()]);
        let once = lists.once.first(|position| self.is_on(position, path, false));
        let again = lists.again.first(|position| self.is_on(position, path, true));
        self.paths[path.index()] = lists;
        (once, again)
    }

    /// Whether the chunk is in flight on `path` and was never acknowledged; `again` selects chunks sent more than
    /// once, or only once.
    fn is_on(&self, position: u64, path: PathId, again: bool) -> bool {
        position >= self.first && {
            let chunk = self.chunk(position);
            let is_in_flight = chunk.state == State::InFlight && !chunk.was_acked;
            let is_there = chunk.path == path || chunk.was_copied && self.copies.is_on(position, path);
            is_in_flight && chunk.was_sent_again == again && is_there
        }
    }
}
