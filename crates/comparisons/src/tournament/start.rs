//! The data that the best start can have carried by then on one path, if it doubles its window each round trip.
//!
//! The window is ten packets in the first round trip (RFC 6928) and twice the last one in each further. It leaves at the
//! path's rate, so that after k round trips and a part of the next at most Σⱼ min(10 · 2ʲ packets, what the path carries in
//! round trip j) have left, and what has left is there after the delay and one packet's time. No handshake is in it.

use super::bound::PAYLOAD_BYTES;

/// A path from its start on.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The shares of the bound in Mbit/s, from when to when in seconds; in order, without gaps.
    pub rates: Vec<(f64, f64, f64)>,
    /// The time a packet takes there, in seconds.
    pub arrival_s: f64,
    /// The time a packet and its SACK take, in seconds.
    pub round_trip_s: f64,
}

impl Start {
    /// Returns the data that arrived by the time `at`, in Mbit of user data.
    pub(crate) fn carried_mbit(&self, at: f64) -> f64 {
        self.sent_mbit(at - self.arrival_s)
    }

    /// Returns the data that left by the time `until`.
    pub(crate) fn sent_mbit(&self, until: f64) -> f64 {
        let (mut sent, mut from, mut window) = (0.0, 0.0, INITIAL_WINDOW_MBIT);
        let greatest = self.rates.iter().map(|rate| rate.2).fold(0.0, f64::max);
        while from < until && window < greatest * self.round_trip_s {
            let to = (from + self.round_trip_s).min(until);
            sent += self.possible_mbit(from, to).min(window);
            from += self.round_trip_s;
            window *= 2.0;
        }
        if from < until { sent + self.possible_mbit(from, until) } else { sent }
    }

    /// Returns the data that the path carries from one moment to another.
    fn possible_mbit(&self, from: f64, to: f64) -> f64 {
        let overlap = |(begin, end, rate): &(f64, f64, f64)| (end.min(to) - begin.max(from)).max(0.0) * rate;
        self.rates.iter().map(overlap).sum()
    }
}

/// The first window, ten full packets.
const INITIAL_WINDOW_MBIT: f64 = 10.0 * PAYLOAD_BYTES * 8.0 / 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    /// 14.52 Mbit/s are 125 packets in a round trip of 100 ms.
    fn start() -> Start {
        Start { rates: vec![(0.0, 100.0, 14.52)], arrival_s: 0.05, round_trip_s: 0.1 }
    }

    fn packets(start: &Start, at: f64) -> f64 {
        start.carried_mbit(at) / (PAYLOAD_BYTES * 8.0 / 1e6)
    }

    #[test]
    fn windows_double_until_the_path_is_full() {
        let after = |seconds: f64, expected: f64| {
            let found = packets(&start(), 0.05 + seconds);
            assert!((found - expected).abs() < 1e-6, "{found} packets after {seconds} s");
        };
        after(-0.05, 0.0);
        after(0.0, 0.0);
        after(0.004, 5.0);
        after(0.05, 10.0);
        after(0.1, 10.0);
        after(0.2, 30.0);
        after(0.4, 150.0);
        after(0.5, 275.0);
        after(10.4, 150.0 + 12_500.0);
    }

    #[test]
    fn a_window_that_a_path_does_not_carry_is_lost_time() {
        // Half the rate from 0.2 s on: 62.5 packets in a round trip.
        let start = Start { rates: vec![(0.0, 0.2, 14.52), (0.2, 100.0, 7.26)], ..start() };
        assert!((packets(&start, 0.35) - 70.0).abs() < 1e-6);
        assert!((packets(&start, 0.45) - 132.5).abs() < 1e-6);
    }
}
