//! Sizes and times as people write them: `4 MiB`, `200 ms`. It knows units and no setting.

use anabranch_base::{ByteCount, Duration};

/// Reads a size with its unit, bytes where there is none; a space may stand between.
///
/// # Errors
/// What was expected.
pub fn size(text: &str) -> Result<ByteCount, String> {
    let expected = || format!("{text:?} is no size: expected one such as 1500 B, 64 KiB or 4 MiB");
    let (number, unit) = split(text).ok_or_else(expected)?;
    let scale = scale_of(SIZES, unit).ok_or_else(expected)?;
    Ok(ByteCount::new(scaled(number, scale).ok_or_else(expected)?))
}

/// Reads a span of time with its unit; a space may stand between.
///
/// # Errors
/// What was expected.
pub fn span(text: &str) -> Result<Duration, String> {
    let expected = || format!("{text:?} is no time: expected one such as 200 ms or 1.5 s");
    let (number, unit) = split(text).ok_or_else(expected)?;
    let scale = scale_of(SPANS, unit).ok_or_else(expected)?;
    Ok(Duration::from_nanos(scaled(number, scale).ok_or_else(expected)?))
}

/// A size in powers of 1,000 with three significant digits, as rates are shown: `64.0 MB`.
pub fn show_size(size: ByteCount) -> String {
    let bytes = size.get();
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    let value = bytes as f64 / unit;
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$} {name}")
}

/// A size exactly, in the largest unit that counts it whole: `4 MiB`.
pub fn exact(size: ByteCount) -> String {
    let bytes = size.get();
    let mut units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)].into_iter();
    let unit = units.find(|(_, scale)| bytes >= *scale && bytes.is_multiple_of(*scale));
    let (name, scale) = unit.unwrap_or(("B", 1));
    format!("{} {name}", bytes / scale)
}

fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((&text[..unit], text[unit..].trim_start()))
}

fn scale_of(units: &[(&str, u64)], unit: &str) -> Option<u64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale)
}

/// `number` × `scale`, a whole number within 64 bits.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(scale);
    }
    let value = number.parse::<f64>().ok()? * scale as f64;
    // Beyond 2^53 a float no longer counts single bytes or nanoseconds.
    (value.is_finite() && value < 9e15).then_some(value.round() as u64)
}

const SIZES: &[(&str, u64)] = &[
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

const SPANS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read_with_their_units() {
        assert_eq!(size("4 MiB"), Ok(ByteCount::from_mib(4)));
        assert_eq!(size("1500B"), Ok(ByteCount::new(1500)));
        assert_eq!(size("1280"), Ok(ByteCount::new(1280)));
        assert_eq!(size("1.5 kB"), Ok(ByteCount::new(1500)));
        assert_eq!(span("200 ms"), Ok(Duration::from_millis(200)));
        assert_eq!(span("1.5s"), Ok(Duration::from_millis(1500)));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "MiB", "4 MIB", "-1 B", "1.2.3 B", "99999999999999999999 B", "nan B", "4 ms"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(span("200").is_err());
        assert!(span("1 h").is_err_and(|error| error.contains("expected one such as 200 ms")));
    }

    #[test]
    fn sizes_are_told_exactly() {
        let told = [0, 1500, 65_536, 4 << 20].map(|n| exact(ByteCount::new(n)));
        assert_eq!(told, ["0 B", "1500 B", "64 KiB", "4 MiB"]);
    }

    #[test]
    fn sizes_are_shown_with_three_digits() {
        let shown =
            [0, 999, 1_500, 64_000_000, 640_000_000, 2_500_000_000].map(|n| show_size(ByteCount::new(n)));
        assert_eq!(shown, ["0 B", "999 B", "1.50 kB", "64.0 MB", "640 MB", "2.50 GB"]);
    }
}
