//! The chunks marked for retransmission, and their weight against the peer's receive window.

use std::collections::BTreeSet;

use anabranch_base::ByteCount;

/// The chunks that are marked for retransmission: an index of those in the states
/// [`Lost`](super::chunk::State::Lost) and [`RevokedLost`](super::chunk::State::RevokedLost).
#[derive(Debug, Default)]
pub(super) struct Marked {
    positions: BTreeSet<u64>,
    /// Their weight against the peer's receive window.
    rwnd: ByteCount,
}

impl Marked {
    /// Adds the lost chunk at `position`, with its weight against the peer's receive window.
    pub(super) fn add(&mut self, position: u64, rwnd_weight: ByteCount) {
        if self.positions.insert(position) {
            self.rwnd += rwnd_weight;
        }
    }

    /// Removes the chunk at `position`, which was sent again or acknowledged.
    #[inline]
    pub(super) fn remove(&mut self, position: u64, rwnd_weight: ByteCount) {
        if self.positions.remove(&position) {
            self.rwnd -= rwnd_weight;
        }
    }

    /// The positions, ascending.
    pub(super) fn positions(&self) -> impl Iterator<Item = u64> {
        self.positions.iter().copied()
    }

    /// Returns true if no chunk is marked.
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Their weight against the peer's receive window.
    pub(crate) fn rwnd(&self) -> ByteCount {
        self.rwnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_chunks_ascend_and_each_weighs_once() {
        let mut marked = Marked::default();
        let weight = ByteCount::new(100);
        [7, 3, 7].into_iter().for_each(|position| marked.add(position, weight));
        assert_eq!((marked.positions().collect::<Vec<_>>(), marked.rwnd().get()), (vec![3, 7], 200));
        [3, 3, 4].into_iter().for_each(|position| marked.remove(position, weight));
        assert_eq!((marked.is_empty(), marked.rwnd().get()), (false, 100));
    }
}
