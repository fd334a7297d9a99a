//! The chunks that are in flight on more than one path at once, and the requested copies. The record of a chunk has its
//! transmission on the first of these paths; this table has the others.

use std::collections::BTreeMap;

use super::chunk::Transmission;
use crate::policy::PathId;

/// The copies of all chunks, by the chunk's position.
#[derive(Debug, Default)]
pub(super) struct Copies {
    in_flight: BTreeMap<u64, Vec<Transmission>>,
    due: BTreeMap<u64, PathId>,
}

impl Copies {
    /// Returns true if no chunk has a copy, in flight or requested.
    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.due.is_empty()
    }

    /// Adds a sent copy of the chunk at `position`.
    pub(super) fn add(&mut self, position: u64, copy: Transmission) {
        self.in_flight.entry(position).or_default().push(copy);
        self.due.remove(&position);
    }

    /// Returns true if a copy of the chunk at `position` is in flight on `path`.
    pub(super) fn is_on(&self, position: u64, path: PathId) -> bool {
        self.in_flight.get(&position).is_some_and(|copies| copies.iter().any(|copy| copy.path == path))
    }

    /// Removes the copy on `path`, and returns it if there was one.
    pub(super) fn remove(&mut self, position: u64, path: PathId) -> Option<Transmission> {
        let copies = self.in_flight.get_mut(&position)?;
        let removed = copies.iter().position(|copy| copy.path == path).map(|index| copies.remove(index));
        if copies.is_empty() {
            self.in_flight.remove(&position);
        }
        removed
    }

    /// Removes the copy that was sent first, and returns it.
    pub(crate) fn take_first(&mut self, position: u64) -> Option<Transmission> {
        let first = *self.in_flight.get(&position)?.first()?;
        self.remove(position, first.path);
        Some(first)
    }

    /// Removes all copies of the chunk at `position`, in flight or requested, because it is acknowledged. Returns those
    /// in flight.
    pub(super) fn take_all(&mut self, position: u64) -> Vec<Transmission> {
        self.due.remove(&position);
        self.in_flight.remove(&position).unwrap_or_default()
    }

    /// Requests a copy of the chunk at `position` on `path`.
    pub(crate) fn want(&mut self, position: u64, path: PathId) {
        self.due.insert(position, path);
    }

    /// Cancels the requested copy of the chunk at `position`.
    pub(super) fn cancel(&mut self, position: u64) {
        self.due.remove(&position);
    }

    /// Cancels all requested copies on `path`.
    pub(crate) fn cancel_on(&mut self, path: PathId) {
        self.due.retain(|_, wanted| *wanted != path);
    }

    /// The chunks with a requested copy, ascending, each with the copy's path.
    pub(super) fn due(&self) -> impl Iterator<Item = (u64, PathId)> {
        self.due.iter().map(|(&position, &path)| (position, path))
    }

    /// Returns true if any copy is requested.
    pub(crate) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::*;

    fn on(path: PathId) -> Transmission {
        Transmission { path, round: 0, departure: 1 + path.index() as u64, sent_at: Time::ZERO }
    }

    #[test]
    fn the_copies_of_a_chunk_are_lost_one_by_one_or_taken_all_at_once() {
        let [one, two, three] = [0, 1, 2].map(PathId::from_index);
        let mut copies = Copies::default();
        for path in [two, three, one] {
            copies.add(7, on(path));
        }
        assert!(copies.is_on(7, three) && !copies.is_on(8, three));
        assert_eq!((copies.take_first(7), copies.remove(7, two)), (Some(on(two)), None));
        assert_eq!(copies.take_all(7), [on(three), on(one)]);
        assert!(copies.is_empty() && copies.take_first(7).is_none());
    }

    #[test]
    fn a_copy_that_is_due_leaves_or_is_called_off() {
        let [one, two] = [0, 1].map(PathId::from_index);
        let mut copies = Copies::default();
        for position in [9, 7, 8] {
            copies.want(position, two);
        }
        copies.want(6, one);
        copies.add(7, on(two));
        copies.cancel(8);
        assert_eq!(copies.due().collect::<Vec<_>>(), [(6, one), (9, two)]);
        copies.cancel_on(two);
        assert!(copies.has_due() && !copies.is_empty());
        assert_eq!((copies.take_all(6), copies.has_due()), (vec![], false), "it arrived");
    }
}
