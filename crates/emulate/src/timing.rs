//! Measures the timing error of the relay: the delay of packets behind their departure times.

use anabranch_base::Duration;
use hdrhistogram::Histogram;

/// The distribution of the time from the departure of a packet until the system has accepted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimingError {
    /// The packets sent.
    pub packets: u64,
    /// The median.
    pub p50: Duration,
    /// The 99th percentile.
    pub p99: Duration,
    /// The 99.9th percentile.
    pub p999: Duration,
    /// The maximum.
    pub max: Duration,
    /// The packets that were at most [`PUNCTUAL`] late.
    pub punctual: u64,
}

/// The largest delay that counts as punctual: 0.1 ms.
pub const PUNCTUAL: Duration = Duration::from_micros(100);

/// The timing errors so far.
#[derive(Debug)]
pub(crate) struct Errors {
    nanoseconds: Histogram<u64>,
    punctual: u64,
}

impl Errors {
    /// No errors yet.
    pub(crate) fn new() -> Errors {
        let nanoseconds = Histogram::new_with_bounds(1, LONGEST.as_nanos(), DIGITS);
        let nanoseconds = nanoseconds.expect("bounds of which one is far above the other");
        Errors { nanoseconds, punctual: 0 }
    }

    /// Adds an error.
    pub(crate) fn add(&mut self, error: Duration) {
        self.nanoseconds.saturating_record(error.as_nanos());
        self.punctual += u64::from(error <= PUNCTUAL);
    }

    /// Their percentiles.
    pub(crate) fn summary(&self) -> TimingError {
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

/// The longest recorded error; longer ones count as this.
const LONGEST: Duration = Duration::from_secs(60);
/// The number of exact decimal digits.
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
