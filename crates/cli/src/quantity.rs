//! Sizes and times on the command line. They are written as in a scenario file; a size may go without its unit.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_scenario::quantity;

/// Reads a size with its unit, bytes where there is none; a space may stand between.
///
/// # Errors
/// What was expected.
pub fn size(text: &str) -> Result<ByteCount, String> {
    match text.trim().parse() {
        Ok(bytes) => Ok(ByteCount::new(bytes)),
        Err(_) => quantity::size(text).map_err(|error| error.to_string()),
    }
}

/// Reads a span of time with its unit; a space may stand between.
///
/// # Errors
/// What was expected.
pub fn span(text: &str) -> Result<Duration, String> {
    quantity::span(text).map_err(|error| error.to_string())
}

/// Reads a span of time with its unit, seconds where there is none.
///
/// # Errors
/// What was expected.
pub fn seconds(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<u32>() {
        Ok(seconds) => Ok(Duration::from_secs(seconds.into())),
        Err(_) => span(text),
    }
}

/// Reads a rate with its unit, or as other tools take it: 500k, 2M, 1G, and bits a second without any. Never zero.
///
/// # Errors
/// What was expected.
pub fn rate(text: &str) -> Result<BitRate, String> {
    let short = text.trim();
    let (number, unit) = match short.chars().last() {
        Some('k' | 'K') => (&short[..short.len() - 1], " kbit/s"),
        Some('M') => (&short[..short.len() - 1], " Mbit/s"),
        Some('G') => (&short[..short.len() - 1], " Gbit/s"),
        Some('0'..='9') => (short, " bit/s"),
        _ => (short, ""),
    };
    let rate = quantity::rate(&format!("{number}{unit}")).map_err(|error| error.to_string())?;
    if rate.bits_per_second() == 0 { Err("a rate of 0 would send nothing".to_owned()) } else { Ok(rate) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_may_go_without_its_unit_and_a_time_may_not() {
        assert_eq!(size("1280"), Ok(ByteCount::new(1280)));
        assert_eq!(size("4 MiB"), Ok(ByteCount::from_mib(4)));
        assert_eq!(span("1.5s"), Ok(Duration::from_millis(1500)));
        assert!(span("200").is_err_and(|error| error.contains("200 ms")));
        assert!(size("99999999999999999999").is_err());
    }

    #[test]
    fn rates_are_read_as_scenarios_and_as_other_tools_write_them() {
        for (text, bits) in [
            ("10 Mbit/s", 10_000_000),
            ("2M", 2_000_000),
            ("1.5G", 1_500_000_000),
            ("500k", 500_000),
            ("800", 800),
        ] {
            assert_eq!(rate(text), Ok(BitRate::from_bits_per_second(bits)), "{text}");
        }
        assert!(rate("10 MB/s").is_err() && rate("").is_err() && rate("-1M").is_err());
        assert!(rate("0").is_err_and(|error| error.contains("would send nothing")));
    }

    #[test]
    fn a_number_of_seconds_needs_no_unit() {
        let read = [seconds("10"), seconds("500 ms")];
        assert_eq!(read, [Ok(Duration::from_secs(10)), Ok(Duration::from_millis(500))]);
        assert!(seconds("-1").is_err());
    }
}
