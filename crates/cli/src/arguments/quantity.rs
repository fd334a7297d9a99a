//! Sizes, times and rates on the command line. They are written as in a scenario file, or without a unit as iperf3 takes
//! them: bytes, seconds, bits a second.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_scenario::quantity;

/// Reads a size with its unit, bytes where there is none; a space may stand between.
///
/// # Errors
/// What was expected.
pub(super) fn size(text: &str) -> Result<ByteCount, String> {
    match text.trim().parse() {
        Ok(bytes) => Ok(ByteCount::new(bytes)),
        Err(_) => quantity::size(text).map_err(|error| error.to_string()),
    }
}

/// Reads a span of time with its unit, seconds where there is none; decimals are allowed.
///
/// # Errors
/// What was expected.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    quantity::span(&with_unit(text, "s")).map_err(|error| error.to_string())
}

/// The same, never zero.
///
/// # Errors
/// What was expected.
pub(crate) fn some_seconds(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        span if span.is_zero() => Err("expected more than 0 s".to_owned()),
        span => Ok(span),
    }
}

/// Reads a rate with its unit, bits a second where there is none. Never zero.
///
/// # Errors
/// What was expected.
pub(super) fn rate(text: &str) -> Result<BitRate, String> {
    let rate = quantity::rate(&with_unit(text, "bit/s")).map_err(|error| error.to_string())?;
    if rate.bits_per_second() == 0 { Err("a rate of 0 would send nothing".to_owned()) } else { Ok(rate) }
}

/// A number without a unit gets this one.
fn with_unit(text: &str, unit: &str) -> String {
    if text.trim().ends_with(|last: char| last.is_ascii_digit()) {
        format!("{text} {unit}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_may_go_without_its_unit() {
        assert_eq!(size("1280"), Ok(ByteCount::new(1280)));
        assert_eq!(size("4 MiB"), Ok(ByteCount::from_mib(4)));
        assert_eq!(size("64K"), Ok(ByteCount::from_kib(64)));
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
            ("20 Mbps", 20_000_000),
            ("10mbit", 10_000_000),
            ("10 MB/s", 80_000_000),
        ] {
            assert_eq!(rate(text), Ok(BitRate::from_bits_per_second(bits)), "{text}");
        }
        assert!(rate("10m").is_err() && rate("").is_err() && rate("-1M").is_err());
        assert!(rate("0").is_err_and(|error| error.contains("would send nothing")));
    }

    #[test]
    fn a_number_of_seconds_needs_no_unit() {
        for (text, milliseconds) in
            [("10", 10_000), ("0.5", 500), ("2.5", 2_500), ("500 ms", 500), (" 1.5s ", 1_500)]
        {
            assert_eq!(seconds(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["-1", "", "1e3", "1.2.3", ".", "5m", "99999999999999999999"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
