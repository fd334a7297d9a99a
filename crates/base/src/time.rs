//! Time as whole nanoseconds since the start of a run. The driver of a machine provides the time; no clock is read
//! here.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A point in time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in whole nanoseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);

    /// The time `nanoseconds` after the start.
    pub const fn from_nanos(nanoseconds: u64) -> Time {
        Time(nanoseconds)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span from `earlier` to this time; zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// A span of zero length.
    pub const ZERO: Duration = Duration(0);
    /// The longest span, about 584 years.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of whole nanoseconds.
    pub const fn from_nanos(nanoseconds: u64) -> Duration {
        Duration(nanoseconds)
    }

    /// A span of whole microseconds.
    pub const fn from_micros(microseconds: u64) -> Duration {
        Duration(microseconds.saturating_mul(1_000))
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(milliseconds: u64) -> Duration {
        Duration(milliseconds.saturating_mul(1_000_000))
    }

    /// A span of whole seconds.
    pub const fn from_secs(seconds: u64) -> Duration {
        Duration(seconds.saturating_mul(1_000_000_000))
    }

    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span in whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The span in seconds, for display and statistics; never for scheduling.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns true if the span is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference of two spans without its sign: |a − b|.
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }

    /// This span minus `other`; zero if `other` is longer.
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl From<Duration> for std::time::Duration {
    fn from(span: Duration) -> std::time::Duration {
        std::time::Duration::from_nanos(span.0)
    }
}

impl From<std::time::Duration> for Duration {
    /// Longer spans become [`Duration::MAX`].
    fn from(span: std::time::Duration) -> Duration {
        Duration(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, span: Duration) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000 / 1_000)
    }
}

impl fmt::Display for Duration {
    /// Formats in the largest unit with a number of at least one: `250 ms`, `1.5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "us"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let thousandths = self.0 % unit * 1_000 / unit;
        match thousandths {
            0 => write!(f, "{} {name}", self.0 / unit),
            _ => {
                let digits = format!("{thousandths:03}");
                write!(f, "{}.{} {name}", self.0 / unit, digits.trim_end_matches('0'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_shown_in_the_largest_fitting_unit() {
        let shown = [1, 1_500, 250_000_000, 1_500_000_000].map(|n| Duration::from_nanos(n).to_string());
        assert_eq!(shown, ["1 ns", "1.5 us", "250 ms", "1.5 s"]);
    }

    #[test]
    fn time_stops_at_its_ends_instead_of_wrapping() {
        assert_eq!(Time::ZERO - Duration::from_secs(1), Time::ZERO);
        assert_eq!((Time::from_nanos(5) + Duration::MAX).as_nanos(), u64::MAX);
        assert_eq!(Time::from_nanos(5).since(Time::from_nanos(9)), Duration::ZERO);
    }
}
