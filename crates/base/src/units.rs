//! Bytes, bit rates, distances and speeds as types, so that no bare number crosses a function border.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use crate::Duration;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteCount(u64);

/// A rate in whole bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

/// A distance, or a coordinate, in whole millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Distance(u64);

/// A speed in whole millimetres per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(u64);

impl Distance {
    /// No distance.
    pub const ZERO: Distance = Distance(0);

    /// `metres` metres.
    pub const fn from_metres(metres: u64) -> Distance {
        Distance(metres.saturating_mul(1_000))
    }

    /// `millimetres` thousandths of a metre.
    pub const fn from_millimetres(millimetres: u64) -> Distance {
        Distance(millimetres)
    }

    /// The distance in millimetres.
    pub(crate) const fn millimetres(self) -> u64 {
        self.0
    }

    /// The distance in metres.
    pub fn metres(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl Speed {
    /// `millimetres` thousandths of a metre per second.
    pub const fn from_millimetres_per_second(millimetres: u64) -> Speed {
        Speed(millimetres)
    }

    /// The speed in millimetres per second.
    pub(crate) const fn millimetres_per_second(self) -> u64 {
        self.0
    }

    /// The speed in metres per second.
    pub fn metres_per_second(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl ByteCount {
    /// No bytes.
    pub const ZERO: ByteCount = ByteCount(0);
    /// The largest count.
    pub const MAX: ByteCount = ByteCount(u64::MAX);

    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> ByteCount {
        ByteCount(bytes)
    }

    /// `kibibytes` times 1,024 bytes.
    pub const fn from_kib(kibibytes: u64) -> ByteCount {
        ByteCount(kibibytes.saturating_mul(1 << 10))
    }

    /// `mebibytes` times 1,048,576 bytes.
    pub const fn from_mib(mebibytes: u64) -> ByteCount {
        ByteCount(mebibytes.saturating_mul(1 << 20))
    }

    /// The length of something in memory.
    pub const fn of_len(length: usize) -> ByteCount {
        ByteCount(length as u64)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes as an index, or the largest index if it does not fit.
    pub fn as_len(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// Returns true if the count is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This count minus `other`; zero if `other` is larger.
    pub const fn saturating_sub(self, other: ByteCount) -> ByteCount {
        ByteCount(self.0.saturating_sub(other.0))
    }

    /// The mean rate at which this many bytes pass in `span`; `None` if `span` is zero.
    pub fn rate_over(self, span: Duration) -> Option<BitRate> {
        let bits = u128::from(self.0) * 8 * 1_000_000_000;
        let rate = bits.checked_div(u128::from(span.as_nanos()))?;
        Some(BitRate(u64::try_from(rate).unwrap_or(u64::MAX)))
    }

    /// In powers of 1,000 with three significant digits, as rates are shown: `64.0 MB`.
    pub fn rounded(self) -> String {
        let (unit, name) = match self.0 {
            0..1_000 => return self.to_string(),
            1_000..999_500 => (1e3, "kB"),
            999_500..999_500_000 => (1e6, "MB"),
            _ => (1e9, "GB"),
        };
        let value = self.0 as f64 / unit;
        let decimals = if value >= 99.95 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        };
        format!("{value:.decimals$} {name}")
    }
}

impl BitRate {
    /// `bits` bits per second.
    pub const fn from_bits_per_second(bits: u64) -> BitRate {
        BitRate(bits)
    }

    /// `megabits` million bits per second.
    pub const fn from_mbps(megabits: u64) -> BitRate {
        BitRate(megabits.saturating_mul(1_000_000))
    }

    /// The rate in bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// The time `bytes` take at this rate, rounded up to a nanosecond; `None` at rate zero.
    pub fn time_for(self, bytes: ByteCount) -> Option<Duration> {
        if self.0 == 0 {
            return None;
        }
        let nanos = (u128::from(bytes.0) * 8 * 1_000_000_000).div_ceil(u128::from(self.0));
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }
}

impl Add for ByteCount {
    type Output = ByteCount;
    fn add(self, other: ByteCount) -> ByteCount {
        ByteCount(self.0.saturating_add(other.0))
    }
}

impl AddAssign for ByteCount {
    fn add_assign(&mut self, other: ByteCount) {
        *self = *self + other;
    }
}

impl Sub for ByteCount {
    type Output = ByteCount;
    /// `other` must not be larger; see [`ByteCount::saturating_sub`].
    fn sub(self, other: ByteCount) -> ByteCount {
        ByteCount(self.0 - other.0)
    }
}

impl SubAssign for ByteCount {
    fn sub_assign(&mut self, other: ByteCount) {
        *self = *self - other;
    }
}

impl Mul<u64> for ByteCount {
    type Output = ByteCount;
    fn mul(self, factor: u64) -> ByteCount {
        ByteCount(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for ByteCount {
    type Output = ByteCount;
    fn div(self, divisor: u64) -> ByteCount {
        ByteCount(self.0 / divisor)
    }
}

impl Sum for ByteCount {
    fn sum<I: Iterator<Item = ByteCount>>(counts: I) -> ByteCount {
        counts.fold(ByteCount::ZERO, Add::add)
    }
}

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl fmt::Display for BitRate {
    /// In powers of 1,000 with three significant digits: `21.4 Mbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => (1.0, "bit/s"),
            1_000..999_500 => (1e3, "kbit/s"),
            999_500..999_500_000 => (1e6, "Mbit/s"),
            _ => (1e9, "Gbit/s"),
        };
        let value = self.0 as f64 / unit;
        let decimals = if unit == 1.0 || value >= 99.95 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        };
        write!(f, "{value:.decimals$} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_packet_takes_1_2_ms_at_10_mbps() {
        let time = BitRate::from_mbps(10).time_for(ByteCount::new(1500));
        assert_eq!(time, Some(Duration::from_micros(1200)));
        assert_eq!(BitRate::default().time_for(ByteCount::new(1)), None);
    }

    #[test]
    fn what_rounds_up_to_a_thousand_has_the_next_unit() {
        let rates = [999_499, 999_500, 999_499_999, 999_500_000].map(BitRate::from_bits_per_second);
        let shown = rates.map(|rate| rate.to_string());
        assert_eq!(shown, ["999 kbit/s", "1.00 Mbit/s", "999 Mbit/s", "1.00 Gbit/s"]);
        let counts = [999_499, 999_500, 999_499_999, 999_500_000].map(ByteCount::new);
        assert_eq!(counts.map(ByteCount::rounded), ["999 kB", "1.00 MB", "999 MB", "1.00 GB"]);
    }

    #[test]
    fn a_rounded_count_has_three_digits() {
        let counts = [0, 999, 1_500, 64_000_000, 640_000_000, 2_500_000_000];
        let rounded = counts.map(|bytes| ByteCount::new(bytes).rounded());
        assert_eq!(rounded, ["0 B", "999 B", "1.50 kB", "64.0 MB", "640 MB", "2.50 GB"]);
    }

    #[test]
    fn a_rate_is_bytes_over_time() {
        let rate = ByteCount::new(125_000).rate_over(Duration::from_millis(100));
        assert_eq!(rate, Some(BitRate::from_mbps(10)));
        assert_eq!(ByteCount::new(1).rate_over(Duration::ZERO), None);
    }

    #[test]
    fn rates_are_shown_with_three_digits() {
        let shown = [999, 21_400, 21_400_000, 2_000_000_000].map(|r| BitRate(r).to_string());
        assert_eq!(shown, ["999 bit/s", "21.4 kbit/s", "21.4 Mbit/s", "2.00 Gbit/s"]);
    }
}
