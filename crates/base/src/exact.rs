//! Quantities written exactly, in customary units: `4 MiB`, `1500 ms`, `21 Mbit/s`.

use crate::{BitRate, ByteCount, Distance, Duration, Speed};

/// The units of sizes with their bytes, the smallest first.
pub const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

/// The units of time with their nanoseconds, the smallest first.
pub const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The units of rates with their bits a second, the smallest first.
pub const RATES: &[(&str, u64)] =
    &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)];

/// The units of distances with their millimetres, the smallest first.
pub const DISTANCES: &[(&str, u64)] = &[("mm", 1), ("cm", 10), ("m", 1_000), ("km", 1_000_000)];

/// The units of speeds with their millimetres a second, the smallest first.
pub const SPEEDS: &[(&str, u64)] = &[("mm/s", 1), ("m/s", 1_000)];

/// A size, in the unit with the smallest whole number: `4 MiB`, `8 MB`, `1500 B`.
pub fn exact_size(size: ByteCount) -> String {
    exact(size.get(), SIZES, "B")
}

/// A span, in the largest unit up to the second that counts it whole: `1500 ms`.
pub fn exact_span(span: Duration) -> String {
    // Minutes and hours are harder to read than seconds.
    exact(span.as_nanos(), &TIMES[..4], "s")
}

/// A rate, in the largest unit that counts it whole: `21 Mbit/s`.
pub fn exact_rate(rate: BitRate) -> String {
    exact(rate.bits_per_second(), RATES, "bit/s")
}

/// A distance, in the largest unit up to the metre that counts it whole: `250 m`.
pub fn exact_distance(distance: Distance) -> String {
    // Networks are specified in metres.
    exact(distance.millimetres(), &DISTANCES[..3], "m")
}

/// A speed, in the largest unit that counts it whole: `2 m/s`.
pub fn exact_speed(speed: Speed) -> String {
    exact(speed.millimetres_per_second(), SPEEDS, "m/s")
}

fn exact(count: u64, units: &[(&str, u64)], zero: &str) -> String {
    let whole = units.iter().rfind(|(_, scale)| count > 0 && count.is_multiple_of(*scale));
    let (name, scale) = whole.copied().unwrap_or((zero, 1));
    format!("{} {name}", count / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_printed_exactly() {
        let told = [0, 1500, 65_536, 4 << 20, 8_000_000].map(|n| exact_size(ByteCount::new(n)));
        assert_eq!(told, ["0 B", "1500 B", "64 KiB", "4 MiB", "8 MB"]);
        let told = [0, 1, 1_500_000_000, 60_000_000_000].map(|n| exact_span(Duration::from_nanos(n)));
        assert_eq!(told, ["0 s", "1 ns", "1500 ms", "60 s"]);
        let told = [0, 250_000, 1_250, 2_000_000].map(|n| exact_distance(Distance::from_millimetres(n)));
        assert_eq!(told, ["0 m", "250 m", "125 cm", "2000 m"]);
        assert_eq!(exact_speed(Speed::from_millimetres_per_second(1_500)), "1500 mm/s");
        assert_eq!(exact_rate(BitRate::from_mbps(21)), "21 Mbit/s");
        assert_eq!(exact_rate(BitRate::from_bits_per_second(u64::MAX)), format!("{} bit/s", u64::MAX));
    }
}
