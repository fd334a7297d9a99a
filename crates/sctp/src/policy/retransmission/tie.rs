//! Chooses among equally good paths for a lost chunk: each with equal probability (M-CMT-6).

use anabranch_base::{Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use super::LostChunk;
use crate::policy::PathId;

/// Draws among equal paths.
///
/// The time and the chunk select the position in the random stream. So the number differs at each opportunity, but is
/// the same for all calls for a chunk at one time. Otherwise a packet could be planned for one path while its chunk is
/// placed on another, and repeated calls for a waiting chunk would sooner or later return a free path.
#[derive(Debug)]
pub(super) struct Tie {
    stream: ChaCha12Rng,
}

impl Tie {
    /// Draws from the stream of `seed`.
    pub(super) fn new(seed: &Seed) -> Tie {
        Tie { stream: ChaCha12Rng::from_seed(seed.bytes()) }
    }

    /// One of `tied`; `None` if it is empty. A single path needs no draw.
    pub(super) fn pick(
        &mut self,
        tied: impl Iterator<Item = PathId> + Clone,
        lost: &LostChunk,
        now: Time,
    ) -> Option<PathId> {
        let mut choice = tied.clone();
        match tied.count() {
            0 | 1 => choice.next(),
            count => choice.nth(self.below(count, lost, now)),
        }
    }

    /// A random number below `count`.
    fn below(&mut self, count: usize, lost: &LostChunk, now: Time) -> usize {
        self.stream.set_stream(now.as_nanos());
        self.stream.set_word_pos(2 * u128::from(lost.tsn.get()));
        // The high word of the product is uniform up to a fraction of count / 2⁶⁴.
        let scaled = u128::from(self.stream.next_u64()) * count as u128;
        (scaled >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::seq::Tsn;

    fn lost(tsn: u32) -> LostChunk {
        LostChunk { tsn: Tsn::new(tsn), path: PathId::FIRST, by: LostBy::Timeout }
    }

    fn tie() -> Tie {
        Tie::new(&Seed::from_number(1).child("place"))
    }

    fn paths(count: usize) -> impl Iterator<Item = PathId> + Clone {
        (0..count).map(PathId::from_index)
    }

    #[test]
    fn every_equal_has_the_same_chance_at_other_moments_and_for_other_chunks() {
        let mut tie = tie();
        let mut times = [[0_u32; 3]; 2];
        for n in 0..3_000 {
            let picks = [(lost(7), Time::from_nanos(u64::from(n))), (lost(n), Time::ZERO)];
            for (count, (lost, now)) in times.iter_mut().zip(picks) {
                count[tie.pick(paths(3), &lost, now).expect("one of three").index()] += 1;
            }
        }
        // The expected value is 1,000 with a standard deviation of 26; five deviations are allowed.
        assert!(times.as_flattened().iter().all(|count| count.abs_diff(1_000) < 130), "{times:?}");
    }

    #[test]
    fn at_one_moment_a_chunk_is_answered_the_same_however_often_it_is_asked_about() {
        let mut tie = tie();
        let now = Time::from_nanos(5);
        let mut ask = |tsn: u32| tie.pick(paths(4), &lost(tsn), now);
        let first: Vec<_> = (0..64).map(&mut ask).collect();
        let again: Vec<_> = (0..64).rev().map(&mut ask).collect();
        assert!(first.iter().eq(again.iter().rev()));
        assert!(first.iter().any(|path| *path != first[0]), "the chunks are not drawn for together");
    }

    #[test]
    fn where_nothing_is_tied_nothing_is_drawn() {
        let mut tie = tie();
        assert_eq!(tie.pick(paths(0), &lost(1), Time::ZERO), None);
        assert_eq!(tie.pick(paths(1), &lost(1), Time::ZERO), Some(PathId::FIRST));
    }
}
