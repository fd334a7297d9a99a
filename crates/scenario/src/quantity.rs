//! Reads sizes, times, rates, distances and speeds with their units: `4 MiB`, `200 ms`, `21 Mbit/s`, `250 m`.

use std::fmt;

use anabranch_base::{BitRate, ByteCount, Distance, Duration, Speed};

use crate::nearest::{listed, nearest};

mod units;

use units::{DISTANCE, Dimension, RATE, SIZE, SPAN, SPEED};

pub(crate) use units::rows;

/// A text that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    /// The message.
    pub message: String,
    /// The expected form.
    pub expected: String,
    /// The known unit nearest to the given one.
    pub nearest: Option<&'static str>,
}

/// Reads a size with its unit: B, kB, MB, GB (powers of 1,000), KiB, MiB, GiB (powers of 1,024); K, M, G are KiB, MiB,
/// GiB.
///
/// # Errors
/// The text is not a size.
pub fn size(text: &str) -> Result<ByteCount, QuantityError> {
    SIZE.read(text).map(ByteCount::new)
}

/// Reads a duration with its unit: ns, us, ms, s, min, h.
///
/// # Errors
/// The text is not a duration.
pub fn span(text: &str) -> Result<Duration, QuantityError> {
    SPAN.read(text).map(Duration::from_nanos)
}

/// Reads a rate with its unit: bit/s, kbit/s, Mbit/s, Gbit/s (powers of 1,000), or as other tools write them: `Mbps`,
/// `mbit`, `M`; `MB/s` are bytes per second.
///
/// # Errors
/// The text is not a rate.
pub fn rate(text: &str) -> Result<BitRate, QuantityError> {
    RATE.read(text).map(BitRate::from_bits_per_second)
}

/// Reads a distance with its unit: mm, cm, m, km.
///
/// # Errors
/// The text is not a distance.
pub fn distance(text: &str) -> Result<Distance, QuantityError> {
    DISTANCE.read(text).map(Distance::from_millimetres)
}

/// Reads a speed with its unit: mm/s, m/s.
///
/// # Errors
/// The text is not a speed.
pub fn speed(text: &str) -> Result<Speed, QuantityError> {
    SPEED.read(text).map(Speed::from_millimetres_per_second)
}

impl Dimension {
    fn read(&self, text: &str) -> Result<u64, QuantityError> {
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = (&trimmed[..end], trimmed[end..].trim_start());
        let Some(number) = Decimal::read(number) else { return Err(self.refused(text, "is not a")) };
        if unit.is_empty() {
            return Err(self.refused(text, "lacks the unit of a"));
        }
        let scale = self.scale(unit).ok_or_else(|| self.unknown(unit))?;
        number.times(scale).ok_or_else(|| self.refused(text, "is too large for a"))
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
        if let Some(unclear) = self.unclear(unit) {
            return QuantityError {
                message: format!("the unit {} could mean {}", crate::tree::quoted(unit), unclear.meanings),
                expected: unclear.instead.to_owned(),
                nearest: None,
            };
        }
        let names = self.units.iter().map(|(name, _)| *name);
        let slip = self.slips.iter().find(|(slip, _)| *slip == unit).map(|(_, meant)| *meant);
        QuantityError {
            message: format!("{} is not a {} unit", crate::tree::quoted(unit), self.what),
            expected: format!("one of {}", listed(names.clone())),
            nearest: slip.or_else(|| nearest(unit, names)),
        }
    }
}

/// A decimal number as written: `digits` / 10^`decimals`.
struct Decimal {
    digits: u128,
    decimals: u32,
}

impl Decimal {
    fn read(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        // The digits of the largest quantity that is printed; with the fraction they fit in u128.
        let in_bounds = (1..=20).contains(&whole.len()) && fraction.len() <= 9;
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
        // Exact, not rounded as a float.
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
    fn rates_are_read_as_other_tools_write_them() {
        for (text, bits) in [
            ("10Mbps", 10_000_000),
            ("10 mbps", 10_000_000),
            ("10Mbit", 10_000_000),
            ("10mbit", 10_000_000),
            ("10mbit/s", 10_000_000),
            ("10 Mb/s", 10_000_000),
            ("20M", 20_000_000),
            ("500k", 500_000),
            ("500 kbps", 500_000),
            ("500 Kbps", 500_000),
            ("1.5Gbps", 1_500_000_000),
            ("1G", 1_000_000_000),
            ("800 bps", 800),
            ("10 MB/s", 80_000_000),
            ("1 kB/s", 8_000),
        ] {
            assert_eq!(rate(text), Ok(BitRate::from_bits_per_second(bits)), "{text}");
        }
    }

    #[test]
    fn sizes_of_one_letter_are_powers_of_1024() {
        assert_eq!(size("64K"), Ok(ByteCount::from_kib(64)));
        assert_eq!(size("64k"), Ok(ByteCount::from_kib(64)));
        assert_eq!(size("25M"), Ok(ByteCount::from_mib(25)));
        assert_eq!(size("1.5G"), Ok(ByteCount::from_mib(1_536)));
    }

    #[test]
    fn what_could_mean_two_things_is_refused_with_both_spellings() {
        let told = |error: QuantityError| error.to_string();
        assert_eq!(
            rate("20m").map_err(told),
            Err("the unit \"m\" could mean milli or mega: expected M or Mbit/s".to_owned())
        );
        assert_eq!(
            rate("20 mb/s").map_err(told),
            Err("the unit \"mb/s\" could mean bits or bytes: expected Mbit/s or MB/s".to_owned())
        );
        assert_eq!(
            size("64KB").map_err(told),
            Err("the unit \"KB\" could mean 1,000 or 1,024 bytes: expected kB or KiB".to_owned())
        );
        assert_eq!(
            span("5m").map_err(told),
            Err("the unit \"m\" could mean milliseconds or minutes: expected ms or min".to_owned())
        );
    }

    #[test]
    fn what_people_write_instead_is_understood_enough_to_help() {
        assert_eq!(rate("10 MBps").expect_err("a slip").nearest, Some("MB/s"));
        assert_eq!(rate("10 Mbit/sec").expect_err("a slip").nearest, Some("Mbit/s"));
        assert_eq!(size("10 kib").expect_err("a slip").nearest, Some("KiB"));
        assert_eq!(span("10 minutes").expect_err("a slip").nearest, Some("min"));
        assert_eq!(span("10 µs"), Ok(Duration::from_micros(10)));
    }
}
