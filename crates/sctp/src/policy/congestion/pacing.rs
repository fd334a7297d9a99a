//! The rate that spreads a window over a round trip.

use anabranch_base::{BitRate, Duration};

use crate::policy::PathSample;

/// N in congestion avoidance, in quarters. RFC 9002 §7.7: it "ensures that variations in RTT do not result in
/// underutilization of the congestion window".
pub(crate) const AVOIDANCE: u64 = 5;
/// N in a slow start in which the window doubles during the round trip over which it is spread, as in Linux
/// (`tcp_pacing_ss_ratio`).
pub(crate) const DOUBLING: u64 = 8;
/// N in a slow start in which it grows by half.
pub(crate) const GROWING_BY_HALF: u64 = 6;

/// A shorter round trip cannot be divided by timers, whose resolution is a millisecond: on it, acknowledgements alone
/// decide when packets leave. The smoothed round trip may be longer, because hosts handle packets in batches.
const SHORTEST_ROUND_TRIP: Duration = Duration::from_millis(1);

/// `N * congestion_window / smoothed_rtt` (RFC 9002 §7.7), where `quarters` is four times N; `None` before a round trip
/// was measured, and if one took less than a millisecond.
pub(crate) fn window_rate(path: &PathSample, quarters: u64) -> Option<BitRate> {
    path.min_rtt.filter(|least| *least >= SHORTEST_ROUND_TRIP)?;
    (path.cwnd * quarters / 4).rate_over(path.srtt?)
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::testing::sample;

    #[test]
    fn a_window_and_what_it_grows_by_leave_in_a_round_trip() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(10_000);
        assert_eq!(window_rate(&path, AVOIDANCE), None);
        (path.srtt, path.min_rtt) = (Some(Duration::from_millis(100)), Some(Duration::from_millis(50)));
        let rates = [AVOIDANCE, DOUBLING, GROWING_BY_HALF].map(|quarters| window_rate(&path, quarters));
        assert_eq!(
            rates,
            [1_000_000, 1_600_000, 1_200_000].map(|rate| Some(BitRate::from_bits_per_second(rate)))
        );
    }

    #[test]
    fn a_round_trip_that_timers_cannot_divide_is_not_paced() {
        let mut path = sample(0);
        (path.srtt, path.min_rtt) = (Some(Duration::from_millis(4)), Some(Duration::from_micros(999)));
        assert_eq!(window_rate(&path, AVOIDANCE), None);
    }
}
