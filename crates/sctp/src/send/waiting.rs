//! The unsent chunks. They may be sent in any order. The cost of finding the n-th is the logarithm of the number of
//! chunks sent before older ones; it does not depend on the number of unsent chunks.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

/// The positions of the unsent chunks: all from the oldest one on, except those that were sent before it. It is an
/// index of the chunks in the state [`Waiting`](super::chunk::State::Waiting).
#[derive(Debug)]
pub(super) struct Waiting {
    oldest: u64,
    /// The positions above `oldest` that were sent, ascending.
    ahead: VecDeque<u64>,
    /// Their user data.
    bytes: ByteCount,
}

impl Waiting {
    /// The set of all chunks from position `oldest` on.
    pub(super) fn new(oldest: u64) -> Waiting {
        Waiting { oldest, ahead: VecDeque::new(), bytes: ByteCount::ZERO }
    }

    /// Adds `bytes` of user data queued after all chunks.
    pub(super) fn queue(&mut self, bytes: ByteCount) {
        self.bytes += bytes;
    }

    /// Removes the chunk at `position`, with `bytes` of user data.
    #[inline]
    pub(super) fn take(&mut self, position: u64, bytes: ByteCount) {
        self.bytes -= bytes;
        if position != self.oldest {
            let at = self.ahead.partition_point(|&other| other < position);
            return self.ahead.insert(at, position);
        }
        self.oldest += 1;
        while self.ahead.front() == Some(&self.oldest) {
            self.ahead.pop_front();
            self.oldest += 1;
        }
    }

    /// The position of the oldest chunk that waits, or of the next chunk to be queued.
    pub(super) fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The position of the waiting chunk with `index` waiting chunks before it.
    pub(super) fn position(&self, index: usize) -> u64 {
        let index = index as u64;
        // The number of sent chunks below it is found by bisection: from one sent chunk to the next, the number of
        // waiting chunks below it does not decrease.
        let (mut passed, mut end) = (0, self.ahead.len());
        while passed < end {
            let middle = passed.midpoint(end);
            if self.ahead[middle] - self.oldest - middle as u64 <= index {
                passed = middle + 1;
            } else {
                end = middle;
            }
        }
        self.oldest + index + passed as u64
    }

    /// The number of unsent chunks before the chunk at `position`; `None` if it was sent.
    pub(super) fn index(&self, position: u64) -> Option<usize> {
        let passed = self.ahead.partition_point(|&other| other < position);
        if position < self.oldest || self.ahead.get(passed) == Some(&position) {
            return None;
        }
        usize::try_from(position - self.oldest).ok().map(|offset| offset - passed)
    }

    /// The number of unsent chunks below position `end`.
    pub(super) fn count(&self, end: u64) -> usize {
        (end - self.oldest) as usize - self.ahead.len()
    }

    /// The user data that waits.
    pub(super) fn bytes(&self) -> ByteCount {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        /// Some of forty chunks are sent, each time the chunk with `index` waiting chunks before it.
        #[test]
        fn chunks_are_found_whatever_the_order_in_which_others_left(
            indexes in proptest::collection::vec(0_usize..40, 0..40),
        ) {
            let mut waiting = Waiting::new(7);
            waiting.queue(ByteCount::new(400));
            let mut expected: Vec<u64> = (7..47).collect();
            for index in indexes {
                let index = index % expected.len();
                prop_assert_eq!(waiting.position(index), expected[index]);
                waiting.take(expected.remove(index), ByteCount::new(10));
                prop_assert_eq!(waiting.bytes().get(), 10 * expected.len() as u64);
                prop_assert_eq!(waiting.count(47), expected.len());
                prop_assert_eq!(waiting.oldest(), expected.first().copied().unwrap_or(47));
                for position in 0..47 {
                    let index = expected.iter().position(|&other| other == position);
                    prop_assert_eq!(waiting.index(position), index);
                }
                if expected.is_empty() {
                    break;
                }
            }
        }
    }
}
