//! The streams that a request names: some, or all of a direction.

use std::collections::BTreeSet;

use super::StreamId;

/// A set of streams of one direction. On the wire an empty list means all of them (RFC 6525 §4.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamSet {
    has_all: bool,
    listed: BTreeSet<StreamId>,
}

impl StreamSet {
    /// A set of all streams.
    pub(crate) fn all() -> StreamSet {
        StreamSet { has_all: true, listed: BTreeSet::new() }
    }

    /// The streams of a list; all if it is empty.
    pub(crate) fn of_list(streams: impl Iterator<Item = StreamId>) -> StreamSet {
        let listed: BTreeSet<StreamId> = streams.collect();
        StreamSet { has_all: listed.is_empty(), listed }
    }

    /// Adds the streams of `other`.
    pub(crate) fn add(&mut self, other: &StreamSet) {
        self.has_all |= other.has_all;
        self.listed.extend(&other.listed);
    }

    /// Removes the streams of `other`, which may be all.
    pub(crate) fn remove(&mut self, other: &StreamSet) {
        if other.has_all {
            *self = StreamSet::default();
        } else {
            self.listed.retain(|stream| !other.listed.contains(stream));
        }
    }

    /// Takes all streams, or up to `most` listed ones.
    pub(crate) fn take_some(&mut self, most: usize) -> StreamSet {
        if self.has_all {
            return std::mem::take(self);
        }
        let rest = self.listed.iter().nth(most).copied().map(|next| self.listed.split_off(&next));
        let taken = std::mem::replace(&mut self.listed, rest.unwrap_or_default());
        StreamSet { has_all: false, listed: taken }
    }

    /// Returns true if `stream` is in the set.
    pub(crate) fn contains(&self, stream: StreamId) -> bool {
        self.has_all || self.listed.contains(&stream)
    }

    /// Returns true if the two sets have a stream in common.
    pub(crate) fn meets(&self, other: &StreamSet) -> bool {
        let has_one_of = |one: &StreamSet, other: &StreamSet| one.has_all && !other.is_empty();
        has_one_of(self, other) || has_one_of(other, self) || !self.listed.is_disjoint(&other.listed)
    }

    /// Returns true if the set has no stream.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_all && self.listed.is_empty()
    }

    /// Returns true if the set has all streams.
    pub(crate) fn is_all(&self) -> bool {
        self.has_all
    }

    /// The highest listed stream.
    pub(crate) fn highest(&self) -> Option<StreamId> {
        self.listed.last().copied()
    }

    /// The list of the streams; empty for all.
    pub(crate) fn to_list(&self) -> Vec<StreamId> {
        if self.has_all { Vec::new() } else { self.listed.iter().copied().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(streams: &[u16]) -> StreamSet {
        StreamSet::of_list(streams.iter().copied().map(StreamId::new))
    }

    #[test]
    fn an_empty_list_means_all_streams() {
        assert!(set(&[]).is_all() && set(&[]).contains(StreamId::new(9)));
        assert_eq!(set(&[3, 1, 3]).to_list(), [1, 3].map(StreamId::new));
        assert_eq!(StreamSet::all().to_list(), []);
        assert!(!StreamSet::all().is_empty() && StreamSet::default().is_empty());
        assert!(set(&[]).meets(&set(&[1])) && set(&[1, 2]).meets(&set(&[2])) && !set(&[1]).meets(&set(&[2])));
        assert!(!set(&[]).meets(&StreamSet::default()));
    }

    #[test]
    fn streams_are_taken_in_parts_and_all_at_once() {
        let mut listed = set(&[5, 1, 9]);
        assert_eq!((listed.take_some(2), listed.clone()), (set(&[1, 5]), set(&[9])));
        assert_eq!((listed.take_some(2), listed.is_empty()), (set(&[9]), true));
        let mut all = set(&[]);
        assert_eq!((all.take_some(2), all.is_empty()), (StreamSet::all(), true));
        let mut both = set(&[1, 2]);
        both.add(&set(&[4]));
        both.remove(&set(&[2]));
        assert_eq!(both, set(&[1, 4]));
        both.remove(&StreamSet::all());
        assert!(both.is_empty());
    }
}
