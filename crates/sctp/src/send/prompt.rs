//! The chunks that leave before all others that wait: those of short messages on streams that send little, which bulk data
//! must not delay.

use std::collections::VecDeque;
use std::ops::Range;

use super::waiting::Waiting;

/// The positions of these chunks, ascending; some may have been sent or given up since.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    chunks: VecDeque<u64>,
}

impl Prompt {
    /// Adds the chunks at these positions, which are above all others.
    pub(super) fn add(&mut self, positions: Range<u64>) {
        self.chunks.extend(positions);
    }

    /// Returns true if there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The first of them that still waits, as its position and the number of waiting chunks before it.
    pub(super) fn first(&mut self, waiting: &Waiting) -> Option<(u64, usize)> {
        while let Some(&position) = self.chunks.front() {
            if let Some(index) = waiting.index(position) {
                return Some((position, index));
            }
            self.chunks.pop_front();
        }
        None
    }

    /// Returns true if the chunk at `position` is one of them.
    pub(super) fn has(&self, position: u64) -> bool {
        self.chunks.binary_search(&position).is_ok()
    }

    /// Forgets all: the positions of chunks have changed.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_left_are_forgotten_and_the_next_one_is_found() {
        let mut waiting = Waiting::new(10);
        let mut prompt = Prompt::default();
        prompt.add(12..14);
        prompt.add(20..21);
        assert_eq!((prompt.has(13), prompt.has(14)), (true, false));
        assert_eq!(prompt.first(&waiting), Some((12, 2)));
        [12, 10, 13].into_iter().for_each(|position| waiting.take(position, anabranch_base::ByteCount::ZERO));
        assert_eq!(prompt.first(&waiting), Some((20, 7)));
        prompt.clear();
        assert_eq!(prompt.first(&waiting), None);
    }
}
