//! The outstanding chunks of each path: the lowest, the highest, and the whole flight.

use std::collections::BTreeSet;

use anabranch_base::ByteCount;

use super::chunk::Sends;
use super::lowest::Lowest;
use crate::policy::PathId;

/// The chunks in flight: for each path, those that were never acknowledged; for all paths, those whose acknowledgement
/// was taken back.
///
/// The lists of the paths contain outdated entries, which are dropped when they reach the front. The parameter `there`
/// identifies them: it returns the number of transmissions of a chunk that is still in flight on the path and was never
/// acknowledged, else `None`.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    paths: Vec<PathLowest>,
    /// An index of the chunks in the state [`Revoked`](super::chunk::State::Revoked).
    revoked: BTreeSet<u64>,
    /// The weight of all against the peer's receive window.
    rwnd: ByteCount,
    /// Each path's lowest chunks when a SACK arrived.
    before: Vec<LowestTwo>,
}

/// The lowest chunks of a path: of those sent once, and of the others.
pub(super) type LowestTwo = (Option<u64>, Option<u64>);

/// The chunks that were sent on a path, as far as they may be its lowest.
#[derive(Debug, Default)]
struct PathLowest {
    /// Those sent once.
    once: Lowest,
    /// Those sent more than once, or on several paths.
    again: Lowest,
}

impl InFlight {
    /// Makes room for `path`.
    pub(super) fn add_path(&mut self, path: PathId) {
        self.paths.resize_with(self.paths.len().max(path.index() + 1), PathLowest::default);
    }

    /// Adds the chunk at `position`, with its number of transmissions, or a copy of it, sent on `path`. The chunk
    /// itself weighs `rwnd_weight` against the peer's receive window, and a copy nothing.
    #[inline]
    pub(super) fn enter(&mut self, position: u64, path: PathId, sends: Sends, rwnd_weight: ByteCount) {
        self.rwnd += rwnd_weight;
        let lists = &mut self.paths[path.index()];
        match sends {
            Sends::Once => lists.once.insert(position),
            Sends::Resend | Sends::Copied => lists.again.insert(position),
        }
    }

    /// Adds the chunk at `position`, whose acknowledgement was taken back, or which was sent again after that.
    pub(crate) fn revoke(&mut self, position: u64, rwnd_weight: ByteCount) {
        self.rwnd += rwnd_weight;
        self.revoked.insert(position);
    }

    /// Removes the chunk at `position`, which is lost or acknowledged on all paths.
    #[inline]
    pub(super) fn leave(&mut self, position: u64, rwnd_weight: ByteCount) {
        self.rwnd -= rwnd_weight;
        self.revoked.remove(&position);
    }

    /// The lowest chunks of `path`.
    pub(super) fn lowest(&mut self, path: PathId, there: impl Fn(u64) -> Option<Sends>) -> LowestTwo {
        let lists = &mut self.paths[path.index()];
        let once = lists.once.first(|position| is_once(there(position)));
        let again = lists.again.first(|position| is_again(there(position)));
        (once, again)
    }

    /// Notes the lowest chunks of each path before a SACK is read.
    pub(crate) fn note_lowest(&mut self, there: impl Fn(u64, PathId) -> Option<Sends>) {
        self.before.clear();
        for index in 0..self.paths.len() {
            let path = PathId::from_index(index);
            let lowest = self.lowest(path, |position| there(position, path));
            self.before.push(lowest);
        }
    }

    /// Compares the SACK with `once` in place of the lowest chunk of `path` that was sent once.
    pub(crate) fn compare_with(&mut self, path: PathId, once: Option<u64>) {
        self.before[path.index()].0 = once;
    }

    /// The lowest chunks of each path before the SACK.
    pub(crate) fn lowest_before(&self) -> &[LowestTwo] {
        &self.before
    }

    /// The highest chunk of `path`.
    pub(super) fn highest(&self, path: PathId, there: impl Fn(u64) -> Option<Sends>) -> Option<u64> {
        let lists = &self.paths[path.index()];
        let once = lists.once.last(|position| is_once(there(position)));
        let again = lists.again.last(|position| is_again(there(position)));
        once.into_iter().chain(again).max()
    }

    /// The chunks of `path` that were never acknowledged, in no order.
    pub(super) fn on(&self, path: PathId, there: impl Fn(u64) -> Option<Sends>) -> impl Iterator<Item = u64> {
        let lists = &self.paths[path.index()];
        let listed = lists.once.iter().map(|position| (position, true));
        let listed = listed.chain(lists.again.iter().map(|position| (position, false)));
        listed.filter_map(move |(position, once)| {
            let sends = there(position);
            (if once { is_once(sends) } else { is_again(sends) }).then_some(position)
        })
    }

    /// The chunks whose acknowledgement was taken back, ascending.
    pub(crate) fn revoked(&self) -> impl Iterator<Item = u64> {
        self.revoked.iter().copied()
    }

    /// The chunks that were sent once on `path`, or `again`, ascending; some entries are outdated.
    pub(super) fn listed(&self, path: PathId, sends: Sends) -> impl Iterator<Item = u64> {
        let lists = &self.paths[path.index()];
        match sends {
            Sends::Once => &lists.once,
            Sends::Resend | Sends::Copied => &lists.again,
        }
        .iter()
    }

    /// The number of paths.
    pub(super) fn paths(&self) -> usize {
        self.paths.len()
    }

    /// The weight of all chunks in flight against the peer's receive window.
    pub(crate) fn rwnd(&self) -> ByteCount {
        self.rwnd
    }
}

fn is_once(sends: Option<Sends>) -> bool {
    sends == Some(Sends::Once)
}

fn is_again(sends: Option<Sends>) -> bool {
    matches!(sends, Some(Sends::Resend | Sends::Copied))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: PathId = PathId::FIRST;
    const WEIGHT: ByteCount = ByteCount::new(100);

    /// Chunks 1 to 4 were sent on the first path, and the first two were sent there again.
    fn in_flight() -> InFlight {
        let mut in_flight = InFlight::default();
        in_flight.add_path(ONE);
        [1, 2, 3, 4].into_iter().for_each(|position| in_flight.enter(position, ONE, Sends::Once, WEIGHT));
        [1, 2].into_iter().for_each(|position| in_flight.leave(position, WEIGHT));
        [1, 2].into_iter().for_each(|position| in_flight.enter(position, ONE, Sends::Resend, WEIGHT));
        in_flight
    }

    fn there(position: u64) -> Option<Sends> {
        Some(if position <= 2 { Sends::Resend } else { Sends::Once })
    }

    #[test]
    fn the_lowest_and_the_highest_are_in_flight_and_sent_as_their_list_says() {
        let mut in_flight = in_flight();
        assert_eq!(in_flight.lowest(ONE, there), (Some(3), Some(1)));
        assert_eq!(in_flight.highest(ONE, there), Some(4));
        let above = |least| move |position| there(position).filter(|_| position >= least);
        assert_eq!(in_flight.lowest(ONE, above(4)), (Some(4), None));
        assert_eq!(in_flight.highest(ONE, above(5)), None);
        in_flight.note_lowest(|position, _| there(position));
        assert_eq!(
            in_flight.lowest_before(),
            [(Some(4), None)],
            "entries that were dropped do not come back"
        );
    }

    #[test]
    fn each_chunk_in_flight_is_there_once_and_weighs_until_it_leaves() {
        let mut in_flight = in_flight();
        let mut on: Vec<u64> = in_flight.on(ONE, there).collect();
        on.sort_unstable();
        assert_eq!((on, in_flight.rwnd().get()), (vec![1, 2, 3, 4], 400));
        in_flight.leave(3, WEIGHT);
        in_flight.revoke(3, WEIGHT);
        assert_eq!((in_flight.revoked().collect::<Vec<_>>(), in_flight.rwnd().get()), (vec![3], 400));
        in_flight.leave(3, WEIGHT);
        assert_eq!((in_flight.revoked().count(), in_flight.rwnd().get()), (0, 300));
    }
}
