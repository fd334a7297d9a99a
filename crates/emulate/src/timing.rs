//! Measures how late packets leave: the timing error of the relay.

use anabranch_base::Duration;
use hdrhistogram::Histogram;

/// The time from the moment that a packet is to leave to the moment that the system has taken it, of all packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimingError {
    /// Packets that left.
    pub packets: u64,
    /// Half were no later.
    pub p50: Duration,
    /// 99 of 100 were no later.
    pub p99: Duration,
    /// 999 of 1,000 were no later.
    pub p999: Duration,
    /// None was later.
    pub max: Duration,
    /// Packets that were no later than [`PUNCTUAL`].
    pub punctual: u64,
}

/// A packet that leaves no later than this is on time: 0.1 ms.
pub const PUNCTUAL: Duration = Duration::from_micros(100);

/// Errors so far.
#[derive(Debug)]
pub struct Errors {
    nanoseconds: Histogram<u64>,
    punctual: u64,
}

impl Errors {
    /// None.
    pub fn new() -> Errors {
        let nanoseconds = Histogram::new_with_bounds(1, LONGEST.as_nanos(), DIGITS);
        let nanoseconds = nanoseconds.expect("bounds of which one is far above the other");
        Errors { nanoseconds, punctual: 0 }
    }

    /// One more.
    pub fn add(&mut self, error: Duration) {
        self.nanoseconds.saturating_record(error.as_nanos());
        self.punctual += u64::from(error <= PUNCTUAL);
    }

    /// Their percentiles.
    pub fn summary(&self) -> TimingError {
        let quantile = |q| Duration::from_nanos(self.nanoseconds.value_at_quantile(q));
        TimingError {
            packets: self.nanoseconds.len(),
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: Duration::from_nanos(self.nanoseconds.max()),
            punctual: self.punctual,
        }
    }
}

/// Later ones count as so late.
const LONGEST: Duration = Duration::from_secs(60);
/// The exact decimal digits of each number.
const DIGITS: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_errors() {
        let mut errors = Errors::new();
        assert_eq!(errors.summary(), TimingError::default());
        (1..=1_000).for_each(|us| errors.add(Duration::from_micros(us)));
        let summary = errors.summary();
        assert_eq!((summary.packets, summary.punctual), (1_000, 100));
        for (found, expected) in
            [(summary.p50, 500), (summary.p99, 990), (summary.p999, 999), (summary.max, 1_000)]
        {
            let expected = Duration::from_micros(expected);
            // Three digits: a thousandth.
            assert!(found.abs_diff(expected) * 1_000 <= expected, "{found} instead of {expected}");
        }
    }

    #[test]
    fn an_error_beyond_all_bounds_is_counted() {
        let mut errors = Errors::new();
        errors.add(Duration::MAX);
        errors.add(Duration::ZERO);
        assert_eq!(errors.summary().packets, 2);
    }
}
