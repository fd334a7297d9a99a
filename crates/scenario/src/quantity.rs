//! Reads sizes, times, rates, distances and speeds as people write them: `4 MiB`, `200 ms`, `21 Mbit/s`, `250 m`.

use std::fmt;

use anabranch_base::exact;
use anabranch_base::{BitRate, ByteCount, Distance, Duration, Speed};

use crate::nearest::{listed, nearest};

/// A text that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
    /// The unit that was probably meant.
    pub nearest: Option<&'static str>,
}

/// Reads a size with its unit: B, kB, MB, GB (powers of 1,000), KiB, MiB, GiB.
///
/// # Errors
/// What was expected.
pub fn size(text: &str) -> Result<ByteCount, QuantityError> {
    SIZE.read(text).map(ByteCount::new)
}

/// Reads a span of time with its unit: ns, us, ms, s, min, h.
///
/// # Errors
/// What was expected.
pub fn span(text: &str) -> Result<Duration, QuantityError> {
    SPAN.read(text).map(Duration::from_nanos)
}

/// Reads a rate with its unit: bit/s, kbit/s, Mbit/s, Gbit/s (powers of 1,000).
///
/// # Errors
/// What was expected.
pub fn rate(text: &str) -> Result<BitRate, QuantityError> {
    RATE.read(text).map(BitRate::from_bits_per_second)
}

/// Reads a distance with its unit: mm, cm, m, km.
///
/// # Errors
/// What was expected.
pub fn distance(text: &str) -> Result<Distance, QuantityError> {
    DISTANCE.read(text).map(Distance::from_millimetres)
}

/// Reads a speed with its unit: mm/s, m/s.
///
/// # Errors
/// What was expected.
pub fn speed(text: &str) -> Result<Speed, QuantityError> {
    SPEED.read(text).map(Speed::from_millimetres_per_second)
}

/// One kind of quantity.
struct Dimension {
    what: &'static str,
    examples: &'static str,
    /// By size, the smallest first.
    units: &'static [(&'static str, u64)],
    /// What else people write, and what they mean.
    slips: &'static [(&'static str, &'static str)],
}

const SIZE: Dimension = Dimension {
    what: "size",
    examples: "1500 B, 64 KiB or 8 MB",
    units: exact::SIZES,
    slips: &[
        ("K", "KiB"),
        ("k", "kB"),
        ("KB", "kB"),
        ("M", "MiB"),
        ("G", "GiB"),
        ("byte", "B"),
        ("bytes", "B"),
    ],
};

const SPAN: Dimension = Dimension {
    what: "time",
    examples: "200 ms or 1.5 s",
    units: exact::TIMES,
    slips: &[("µs", "us"), ("μs", "us"), ("sec", "s"), ("seconds", "s"), ("msec", "ms"), ("m", "min")],
};

const RATE: Dimension = Dimension {
    what: "rate",
    examples: "500 kbit/s or 10 Mbit/s",
    units: exact::RATES,
    slips: &[
        ("bps", "bit/s"),
        ("kbps", "kbit/s"),
        ("Kbps", "kbit/s"),
        ("Mbps", "Mbit/s"),
        ("mbps", "Mbit/s"),
        ("Mb/s", "Mbit/s"),
        ("Mbit", "Mbit/s"),
        ("M", "Mbit/s"),
        ("Gbps", "Gbit/s"),
    ],
};

const DISTANCE: Dimension = Dimension {
    what: "distance",
    examples: "250 m or 1.5 km",
    units: exact::DISTANCES,
    slips: &[("metres", "m"), ("meters", "m"), ("M", "m"), ("KM", "km")],
};

const SPEED: Dimension = Dimension {
    what: "speed",
    examples: "1.5 m/s",
    units: exact::SPEEDS,
    slips: &[("mps", "m/s"), ("m", "m/s"), ("km/h", "m/s")],
};

impl Dimension {
    fn read(&self, text: &str) -> Result<u64, QuantityError> {
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = (&trimmed[..end], trimmed[end..].trim_start());
        let Some(number) = Decimal::read(number) else { return Err(self.refused(text, "is not a")) };
        if unit.is_empty() {
            return Err(self.refused(text, "lacks the unit of a"));
        }
        let Some((_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            return Err(self.unknown(unit));
        };
        number.times(*scale).ok_or_else(|| self.refused(text, "is too large for a"))
    }

    fn refused(&self, text: &str, how: &str) -> QuantityError {
        let text = crate::tree::quoted(text);
        QuantityError {
            message: format!("{text} {how} {}", self.what),
            expected: format!("one such as {}", self.examples),
            nearest: None,
        }
    }

    fn unknown(&self, unit: &str) -> QuantityError {
        let names = self.units.iter().map(|(name, _)| *name);
        let slip = self.slips.iter().find(|(slip, _)| *slip == unit).map(|(_, meant)| *meant);
        QuantityError {
            message: format!("{} is not a {} unit", crate::tree::quoted(unit), self.what),
            expected: format!("one of {}", listed(names.clone())),
            nearest: slip.or_else(|| nearest(unit, names)),
        }
    }
}

/// A number as it is written: `digits` / 10^`decimals`.
struct Decimal {
    digits: u128,
    decimals: u32,
}

impl Decimal {
    fn read(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        // Two times eighteen digits fit u128 with room for the unit.
        let in_bounds = (1..=18).contains(&whole.len()) && fraction.len() <= 9;
        let digits =
            format!("{whole}{fraction}").parse().ok().filter(|_| in_bounds && !text.ends_with('.'))?;
        Some(Decimal { digits, decimals: u32::try_from(fraction.len()).ok()? })
    }

    /// The product, rounded to the nearest whole number.
    fn times(&self, scale: u64) -> Option<u64> {
        let divisor = 10_u128.pow(self.decimals);
        let product = self.digits.checked_mul(u128::from(scale))?;
        u64::try_from((product + divisor / 2) / divisor).ok()
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}", self.message, self.expected)
    }
}

impl std::error::Error for QuantityError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(size("4 MiB"), Ok(ByteCount::from_mib(4)));
        assert_eq!(size("8 MB"), Ok(ByteCount::new(8_000_000)));
        assert_eq!(size("1500B"), Ok(ByteCount::new(1500)));
        assert_eq!(size(" 1.5  kB "), Ok(ByteCount::new(1500)));
        assert_eq!(span("200 ms"), Ok(Duration::from_millis(200)));
        assert_eq!(span("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(span("1 h"), Ok(Duration::from_secs(3600)));
        assert_eq!(distance("1.25 km"), Ok(Distance::from_metres(1_250)));
        assert_eq!(speed("1.5 m/s"), Ok(Speed::from_millimetres_per_second(1_500)));
        assert_eq!(rate("21 Mbit/s"), Ok(BitRate::from_mbps(21)));
        assert_eq!(rate("0.5 kbit/s"), Ok(BitRate::from_bits_per_second(500)));
        // Not as a float would have it.
        assert_eq!(span("40.4 s"), Ok(Duration::from_millis(40_400)));
        assert_eq!(rate("0.3 Gbit/s"), Ok(BitRate::from_mbps(300)));
    }

    #[test]
    fn invalid_quantities_are_refused() {
        for text in ["", "MiB", "4 MIB", "-1 B", "1.2.3 B", "99999999999999999999 B", "nan B", "4 ms", "1. B"]
        {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(size("99999999999 GiB").is_err_and(|error| error.message.contains("too large")));
        assert!(span("200").is_err_and(|error| error.message.contains("lacks the unit")));
        assert!(span("1 d").is_err_and(|error| error.expected.contains("ms, s, min and h")));
    }

    #[test]
    fn what_people_write_instead_is_understood_enough_to_help() {
        assert_eq!(rate("10 Mbps").expect_err("a slip").nearest, Some("Mbit/s"));
        assert_eq!(rate("10 mbit/s").expect_err("a slip").nearest, Some("Mbit/s"));
        assert_eq!(size("10 KB").expect_err("a slip").nearest, Some("kB"));
        assert_eq!(span("10 µs").expect_err("a slip").nearest, Some("us"));
    }
}
