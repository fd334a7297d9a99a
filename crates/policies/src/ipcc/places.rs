//! Where each chunk was sent last: its path, and its number there. A SACK names TSNs, so that it is read through this
//! table.

use std::collections::VecDeque;

use super::records::Psn;
use anabranch_sctp::policy::PathId;
use anabranch_sctp::seq::Tsn;

/// Where a chunk was sent, and how often it was found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The path and its number there; `None` if it was not sent yet, or is about to move.
    pub current: Option<(PathId, Psn)>,
    /// A SACK reports it.
    pub is_acked: bool,
    /// The paths on which missing reports marked it.
    pub used: PathSet,
    /// The paths that it left and that wait for it nevertheless.
    pub awaited_on: PathSet,
}

/// A set of paths. Paths with high ids share a bit: of those, what is said of one counts for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PathSet(u64);

/// The places of all chunks from the lowest unacknowledged TSN on.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The TSN of the first place.
    first: Tsn,
    places: VecDeque<Place>,
}

impl Places {
    /// The place of the chunk `tsn`, which was sent before.
    pub(crate) fn place_mut(&mut self, tsn: Tsn) -> Option<&mut Place> {
        if tsn.is_before(self.first) {
            return None;
        }
        self.places.get_mut(tsn.distance_from(self.first) as usize)
    }

    /// The same, to be read.
    pub(super) fn place(&self, tsn: Tsn) -> Option<&Place> {
        let index = tsn.distance_from(self.first) as usize;
        self.places.get(index).filter(|_| !tsn.is_before(self.first))
    }

    /// The place of the chunk `tsn`, which is sent.
    pub(super) fn entry(&mut self, tsn: Tsn) -> &mut Place {
        if self.places.is_empty() {
            self.first = tsn;
        }
        // A scheduler may send a chunk before those with lower TSNs.
        while tsn.is_before(self.first) {
            self.places.push_front(Place::default());
            self.first = self.first.previous();
        }
        let index = tsn.distance_from(self.first) as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, Place::default());
        }
        &mut self.places[index]
    }

    /// Everything up to `cumulative` is acknowledged.
    pub(crate) fn drop_acked(&mut self, cumulative: Tsn) {
        while !self.places.is_empty() && !self.first.is_after(cumulative) {
            self.places.pop_front();
            self.first = self.first.next();
        }
        if self.places.is_empty() {
            self.places.shrink_to(KEPT_PLACES);
        }
    }

    /// Returns true if the chunk `tsn`, which was sent, is acknowledged.
    pub(super) fn is_acked(&self, tsn: Tsn) -> bool {
        let index = tsn.distance_from(self.first) as usize;
        tsn.is_before(self.first) || self.places.get(index).is_none_or(|place| place.is_acked)
    }
}

impl PathSet {
    pub(super) fn insert(&mut self, path: PathId) {
        self.0 |= PathSet::bit(path);
    }

    pub(super) fn contains(self, path: PathId) -> bool {
        self.0 & PathSet::bit(path) != 0
    }

    fn bit(path: PathId) -> u64 {
        1 << path.index().min(63)
    }
}

/// The number of places for which memory is kept when there are none.
const KEPT_PLACES: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(places: &mut Places, tsn: Tsn) {
        places.entry(tsn).current = Some((PathId::FIRST, Psn::new(1)));
    }

    #[test]
    fn places_wrap_with_tsns_and_fill_downwards_too() {
        let mut places = Places::default();
        let tsn = |offset: u32| Tsn::new(u32::MAX - 1).plus(offset);
        for offset in [3, 0, 5] {
            sent(&mut places, tsn(offset));
        }
        let was_sent = |places: &mut Places| {
            (0..7)
                .map(|offset| places.place_mut(tsn(offset)).is_some_and(|place| place.current.is_some()))
                .collect::<Vec<_>>()
        };
        assert_eq!(was_sent(&mut places), [true, false, false, true, false, true, false]);
        places.place_mut(tsn(5)).expect("it was sent").is_acked = true;
        places.drop_acked(tsn(3));
        assert_eq!(was_sent(&mut places), [false, false, false, false, false, true, false]);
        assert_eq!([3, 4, 5].map(|offset| places.is_acked(tsn(offset))), [true, false, true]);
        places.drop_acked(tsn(5));
        assert!(places.is_acked(tsn(5)) && places.places.is_empty());
    }

    #[test]
    fn paths_with_high_ids_count_as_one() {
        let mut set = PathSet::default();
        set.insert(PathId::from_index(80));
        assert!(set.contains(PathId::from_index(63)) && set.contains(PathId::from_index(200)));
        assert!(!set.contains(PathId::from_index(62)));
    }
}
