//! Limits the rate over all paths together: computes when the next piece may be sent.

use crate::protocol::MAX_PIECE;
use anabranch_base::{BitRate, ByteCount, Duration, Time};

use anabranch_net::Clock;

/// Spreads pieces over time, so that no more is sent in any time than the rate allows in it and in [`BURST`].
#[derive(Debug)]
pub(crate) struct Limit {
    rate: Option<BitRate>,
    clock: Clock,
    due: Time,
}

impl Limit {
    /// A limit of `rate`, or none.
    pub(crate) fn new(rate: Option<BitRate>) -> Limit {
        Limit { rate, clock: Clock::start(), due: Time::ZERO }
    }

    /// The time for which `size` must wait from now. It counts as sent even if the caller does not wait.
    pub(crate) fn reserve(&mut self, size: ByteCount) -> Duration {
        self.reserve_at(self.clock.now(), size)
    }

    /// The largest useful piece at `rate`: what is sent in [`BURST`], so that a slow sender sends evenly.
    pub(crate) fn piece(rate: Option<BitRate>) -> usize {
        let bytes = rate.map_or(u128::MAX, |rate| {
            u128::from(rate.bits_per_second()) * u128::from(BURST.as_nanos()) / 8_000_000_000
        });
        usize::try_from(bytes).unwrap_or(MAX_PIECE).clamp(LEAST_PIECE, MAX_PIECE)
    }

    fn reserve_at(&mut self, now: Time, size: ByteCount) -> Duration {
        let Some(takes) = self.rate.and_then(|rate| rate.time_for(size)) else { return Duration::ZERO };
        // A sender delayed by the network catches up by at most one burst.
        let begins = self.due.max(now - BURST);
        self.due = begins + takes;
        begins.since(now)
    }
}

/// The largest burst after a pause, as the time it takes at the rate.
const BURST: Duration = Duration::from_millis(100);
/// The smallest piece: smaller ones would be mostly headers.
const LEAST_PIECE: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_leaves_than_the_rate_allows_whatever_the_pieces() {
        for piece in [1_000, 10_000, 65_536] {
            let mut limit = Limit::new(Some(BitRate::from_mbps(8)));
            let mut now = Time::ZERO + Duration::from_secs(5);
            let began = now;
            let mut sent = 0;
            while sent < 3_000_000 {
                now += limit.reserve_at(now, ByteCount::new(piece));
                sent += piece;
            }
            // 8 Mbit/s is a byte a microsecond; the last piece leaves at the beginning of its time.
            let took = now.since(began);
            let least = Duration::from_micros(sent - piece).saturating_sub(BURST);
            assert_eq!(took, least, "pieces of {piece}");
        }
    }

    #[test]
    fn a_pause_is_not_made_up_for() {
        let mut limit = Limit::new(Some(BitRate::from_mbps(8)));
        limit.reserve_at(Time::ZERO, ByteCount::new(1_000_000));
        let later = Time::ZERO + Duration::from_secs(60);
        assert_eq!(limit.reserve_at(later, ByteCount::new(200_000)), Duration::ZERO);
        assert_eq!(limit.reserve_at(later, ByteCount::new(1)), Duration::from_millis(100));
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut limit = Limit::new(None);
        assert_eq!(limit.reserve_at(Time::ZERO, ByteCount::new(u64::MAX)), Duration::ZERO);
        assert_eq!(Limit::piece(None), MAX_PIECE);
    }

    #[test]
    fn a_slow_sender_sends_small_pieces() {
        let piece = |kilobits: u64| Limit::piece(Some(BitRate::from_bits_per_second(kilobits * 1_000)));
        assert_eq!([8, 800, 4_000, 100_000].map(piece), [LEAST_PIECE, 10_000, 50_000, MAX_PIECE]);
    }
}
