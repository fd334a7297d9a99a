//! The units in the names of columns: those of scenario files, and further spellings. A spelling that is ambiguous in a
//! scenario file is refused here too, in upper or lower case.

use anabranch_scenario::quantity::{self, QuantityError};

/// The size of a unit of time in nanoseconds.
pub(super) fn time(unit: &str) -> Result<f64, QuantityError> {
    let small = unit.to_ascii_lowercase();
    // Capitals do not change the meaning of a unit of time.
    let known = TIMES.iter().find(|(names, _)| names.contains(&small.as_str()));
    let unit = known.map_or(unit, |(_, unit)| *unit);
    quantity::span(&format!("1 {unit}")).map(|span| span.as_nanos() as f64).map_err(suggested)
}

/// The size of a unit of rates in bit/s.
pub(super) fn rate(unit: &str) -> Result<f64, QuantityError> {
    let plain = per_second(unit);
    let known = RATES.iter().find(|(names, _)| names.contains(&plain.as_str()));
    let plain = known.map_or(plain.as_str(), |(_, unit)| *unit);
    quantity::rate(&format!("1 {plain}")).map(|rate| rate.bits_per_second() as f64).map_err(suggested)
}

/// Adds the nearest known unit to the expectation.
pub(super) fn suggested(error: QuantityError) -> QuantityError {
    match error.nearest {
        Some(nearest) => {
            QuantityError { expected: format!("{}; probably {nearest}", error.expected), ..error }
        }
        None => error,
    }
}

/// `Mbit/s` for `Mbit_per_second`, `Mbit/sec` and `Mbit_s`.
fn per_second(unit: &str) -> String {
    let ends =
        ["_per_second", " per second", "_per_sec", " per sec", "_per_s", " per s", "/second", "/sec", "_s"];
    let unit = unit.replace('-', "_");
    let stem = ends.iter().find_map(|end| unit.strip_suffix(end));
    stem.map_or(unit.clone(), |stem| format!("{stem}/s"))
}

const TIMES: &[(&[&str], &str)] = &[
    (&["ns", "nsec", "nanoseconds"], "ns"),
    (&["us", "usec", "microseconds"], "us"),
    (&["ms", "msec", "msecs", "millis", "milliseconds"], "ms"),
    (&["s", "sec", "secs", "second", "seconds"], "s"),
    (&["min", "minutes"], "min"),
];

/// `bit` in full rules out bytes.
const RATES: &[(&[&str], &str)] = &[
    (&["bits/s", "Bits/s", "BIT/S"], "bit/s"),
    (&["kbits/s", "Kbits/s", "KBit/s", "kBit/s", "KBIT/S"], "kbit/s"),
    (&["Mbits/s", "mbits/s", "MBit/s", "MBIT/S"], "Mbit/s"),
    (&["Gbits/s", "gbits/s", "GBit/s", "GBIT/S"], "Gbit/s"),
    (&["bytes/s", "Bytes/s", "byte/s"], "B/s"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_rates_counts_bytes_where_it_has_a_capital_b_and_is_refused_where_it_is_unclear() {
        for (unit, bits) in [
            ("bps", Some(1.0)),
            ("Mbps", Some(1e6)),
            ("mbps", Some(1e6)),
            ("Mbit/s", Some(1e6)),
            ("Mbits/sec", Some(1e6)),
            ("MBit/s", Some(1e6)),
            ("MBIT/S", Some(1e6)),
            ("Mbit_s", Some(1e6)),
            ("bits_per_second", Some(1.0)),
            ("Kb/s", Some(1e3)),
            ("B/s", Some(8.0)),
            ("bytes_per_sec", Some(8.0)),
            ("kB/s", Some(8e3)),
            ("MB/s", Some(8e6)),
            ("MB_per_s", Some(8e6)),
            ("GB/s", Some(8e9)),
            ("MBps", None),
            ("MBPS", None),
            ("mBps", None),
            ("KBps", None),
            ("kBps", None),
            ("GBps", None),
            ("Bps", None),
            ("BPS", None),
            ("KB/s", None),
            ("KBytes/s", None),
            ("mb/s", None),
            ("mB/s", None),
            ("MB", None),
            ("Mb", None),
            ("m", None),
        ] {
            assert_eq!(rate(unit).ok(), bits, "{unit}");
        }
    }

    #[test]
    fn a_unit_of_time_may_have_capitals() {
        for (unit, nanos) in
            [("MS", Some(1e6)), ("Sec", Some(1e9)), ("µs", Some(1e3)), ("m", None), ("M", None)]
        {
            assert_eq!(time(unit).ok(), nanos, "{unit}");
        }
    }

    #[test]
    fn a_refused_unit_says_what_was_probably_meant() {
        assert!(rate("MBps").expect_err("refused").expected.ends_with("probably MB/s"));
    }
}
