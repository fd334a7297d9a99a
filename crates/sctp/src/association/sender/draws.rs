//! The random times of the paths' timers. Each path has its own stream, so that events on one path do not change the
//! draws of other paths.

use anabranch_base::{Duration, Seed};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use crate::policy::PathId;

/// The streams of one association.
#[derive(Debug)]
pub(super) struct TimerDraws {
    seed: Seed,
    /// The streams by path index; `None` if nothing was drawn yet.
    streams: Vec<Option<ChaCha12Rng>>,
}

impl TimerDraws {
    /// Streams that are children of `seed`.
    pub(super) fn new(seed: Seed) -> TimerDraws {
        TimerDraws { seed, streams: Vec::new() }
    }

    /// A time between `low` and `high` inclusive, drawn with uniform probability from the stream of `path`.
    pub(super) fn between(&mut self, low: Duration, high: Duration, path: PathId) -> Duration {
        let index = path.index();
        self.streams.resize_with(self.streams.len().max(index + 1), || None);
        let seed = &self.seed;
        let stream = self.streams[index]
            .get_or_insert_with(|| ChaCha12Rng::from_seed(seed.child(&index.to_string()).bytes()));
        let span = high.saturating_sub(low).as_nanos();
        // The high word of the product is uniform up to a fraction of span / 2⁶⁴.
        let scaled = (u128::from(stream.next_u64()) * (u128::from(span) + 1)) >> 64;
        low + Duration::from_nanos(u64::try_from(scaled).unwrap_or(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> TimerDraws {
        TimerDraws::new(Seed::from_number(1))
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn draws_are_spread_between_the_bounds() {
        let mut draws = draws();
        let drawn: Vec<Duration> =
            (0..1_000).map(|_| draws.between(ms(100), ms(200), PathId::FIRST)).collect();
        assert!(drawn.iter().all(|time| (ms(100)..=ms(200)).contains(time)));
        let lower = drawn.iter().filter(|time| **time < ms(150)).count();
        // The expected value is 500 with a standard deviation of 16; five deviations are allowed.
        assert!(lower.abs_diff(500) < 80, "{lower}");
        assert_eq!(draws.between(ms(7), ms(7), PathId::FIRST), ms(7));
    }

    #[test]
    fn a_path_draws_the_same_whatever_others_draw() {
        let (mut alone, mut beside) = (draws(), draws());
        let second = PathId::from_index(1);
        for _ in 0..8 {
            beside.between(ms(0), ms(9), PathId::FIRST);
            assert_eq!(alone.between(ms(0), ms(9), second), beside.between(ms(0), ms(9), second));
        }
    }
}
