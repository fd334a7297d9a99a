//! The rate that spreads a window over a round trip.

use anabranch_base::BitRate;

use crate::policy::PathSample;

/// `N * congestion_window / smoothed_rtt` (RFC 9002 §7.7); `None` before a round trip was measured.
///
/// N is 2 in slow start, where the window doubles during the round trip over which it is spread, as in Linux
/// (`tcp_pacing_ss_ratio`). Else N is 1.25, which "ensures that variations in RTT do not result in underutilization
/// of the congestion window".
pub fn window_rate(path: &PathSample) -> Option<BitRate> {
    let quarters = if path.is_below_threshold() { 8 } else { 5 };
    (path.cwnd * quarters / 4).rate_over(path.srtt?)
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::*;
    use crate::policy::view::tests::sample;

    #[test]
    fn a_window_a_round_trip_and_a_quarter_or_as_much_again_in_slow_start() {
        let mut path = sample(0);
        (path.cwnd, path.ssthresh) = (ByteCount::new(10_000), ByteCount::new(10_000));
        assert_eq!(window_rate(&path), None);
        path.srtt = Some(Duration::from_millis(100));
        assert_eq!(window_rate(&path), Some(BitRate::from_bits_per_second(1_600_000)));
        path.ssthresh = ByteCount::new(9_999);
        assert_eq!(window_rate(&path), Some(BitRate::from_bits_per_second(1_000_000)));
    }
}
