//! The units of each quantity: those printed, those read as well, and those refused as ambiguous. The documentation is
//! made from this table.

use anabranch_base::exact;

/// One kind of quantity.
pub(super) struct Dimension {
    pub what: &'static str,
    pub examples: &'static str,
    /// The units printed, the smallest first.
    pub units: &'static [(&'static str, u64)],
    /// Further units read, with their sizes.
    pub also: &'static [(&'static [&'static str], u64)],
    /// Ambiguous units, and how to write either meaning.
    pub unclear: &'static [Unclear],
    /// Common misspellings, and the units meant.
    pub slips: &'static [(&'static str, &'static str)],
}

/// Ambiguous spellings.
pub(super) struct Unclear {
    pub units: &'static [&'static str],
    /// The two meanings.
    pub meanings: &'static str,
    /// The unambiguous spellings.
    pub instead: &'static str,
}

/// The quantities, with their names in the documentation.
pub(super) const ALL: [(&str, &Dimension); 5] =
    [("rates", &RATE), ("times", &SPAN), ("sizes", &SIZE), ("distances", &DISTANCE), ("speeds", &SPEED)];

const KIB: u64 = 1 << 10;
const KILO: u64 = 1_000;
const MEGA: u64 = 1_000_000;
const GIGA: u64 = 1_000_000_000;

/// Single letters are powers of 1,024, as in iperf3 and dd.
pub(super) const SIZE: Dimension = Dimension {
    what: "size",
    examples: "1500 B, 64 KiB or 8 MB",
    units: exact::SIZES,
    also: &[(&["K", "k"], KIB), (&["M"], KIB * KIB), (&["G"], KIB * KIB * KIB), (&["byte", "bytes"], 1)],
    unclear: &[
        Unclear { units: &["KB"], meanings: "1,000 or 1,024 bytes", instead: "kB or KiB" },
        Unclear { units: &["kb", "Kb"], meanings: "bits or bytes", instead: "kB or KiB" },
        Unclear { units: &["mb", "Mb"], meanings: "bits or bytes", instead: "MB or MiB" },
        Unclear { units: &["gb", "Gb"], meanings: "bits or bytes", instead: "GB or GiB" },
        Unclear { units: &["m"], meanings: "milli or mega", instead: "MB or MiB" },
    ],
    slips: &[("g", "G"), ("b", "B"), ("kib", "KiB"), ("mib", "MiB"), ("gib", "GiB")],
};

pub(super) const SPAN: Dimension = Dimension {
    what: "time",
    examples: "200 ms or 1.5 s",
    units: exact::TIMES,
    also: &[
        (&["nsec"], 1),
        (&["µs", "μs", "usec"], KILO),
        (&["msec"], MEGA),
        (&["sec", "second", "seconds"], GIGA),
    ],
    unclear: &[Unclear { units: &["m"], meanings: "milliseconds or minutes", instead: "ms or min" }],
    slips: &[("msecs", "ms"), ("secs", "s"), ("minutes", "min"), ("hours", "h"), ("S", "s")],
};

/// Powers of 1,000. `bps` is bits per second, though tc reads it as bytes; `B` is a byte.
pub(super) const RATE: Dimension = Dimension {
    what: "rate",
    examples: "500 kbit/s or 10 Mbit/s",
    units: exact::RATES,
    also: &[
        (&["bps", "bit", "b/s"], 1),
        (&["kbps", "kbit", "k", "K", "Kbit/s", "Kbps", "Kbit", "kb/s", "Kb/s"], KILO),
        (&["Mbps", "Mbit", "M", "mbit/s", "mbps", "mbit", "Mb/s"], MEGA),
        (&["Gbps", "Gbit", "G", "gbit/s", "gbps", "gbit", "Gb/s"], GIGA),
        (&["B/s"], 8),
        (&["kB/s"], 8 * KILO),
        (&["MB/s"], 8 * MEGA),
        (&["GB/s"], 8 * GIGA),
    ],
    unclear: &[
        Unclear { units: &["m"], meanings: "milli or mega", instead: "M or Mbit/s" },
        Unclear { units: &["mb/s", "mb", "mB/s"], meanings: "bits or bytes", instead: "Mbit/s or MB/s" },
        Unclear { units: &["gb/s", "gb", "gB/s"], meanings: "bits or bytes", instead: "Gbit/s or GB/s" },
        Unclear { units: &["kb", "Kb", "KB/s"], meanings: "bits or bytes", instead: "kbit/s or kB/s" },
        Unclear { units: &["Mb", "MB"], meanings: "a size or a rate", instead: "Mbit/s or MB/s" },
        Unclear { units: &["Gb", "GB"], meanings: "a size or a rate", instead: "Gbit/s or GB/s" },
    ],
    slips: &[("MBps", "MB/s"), ("bits/s", "bit/s"), ("Mbits/s", "Mbit/s"), ("g", "G")],
};

pub(super) const DISTANCE: Dimension = Dimension {
    what: "distance",
    examples: "250 m or 1.5 km",
    units: exact::DISTANCES,
    also: &[],
    unclear: &[],
    slips: &[("metres", "m"), ("meters", "m"), ("M", "m"), ("KM", "km")],
};

pub(super) const SPEED: Dimension = Dimension {
    what: "speed",
    examples: "1.5 m/s",
    units: exact::SPEEDS,
    also: &[],
    unclear: &[],
    slips: &[("mps", "m/s"), ("m", "m/s"), ("km/h", "m/s")],
};

impl Dimension {
    /// The size of a unit; `None` if it is unknown or ambiguous.
    pub(super) fn scale(&self, unit: &str) -> Option<u64> {
        let printed = self.units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
        let also = || self.also.iter().find(|(names, _)| names.contains(&unit)).map(|(_, scale)| *scale);
        printed.or_else(also)
    }

    /// An amount in the largest unit that expresses it as a whole number: `kbit/s`, or `8 kbit/s`.
    fn amount(&self, amount: u64) -> String {
        let whole = self.units.iter().rfind(|(_, scale)| amount.is_multiple_of(*scale));
        match whole.map(|(unit, scale)| (unit, amount / scale)) {
            None => amount.to_string(),
            Some((unit, 1)) => format!("`{unit}`"),
            Some((unit, count)) => format!("`{count} {unit}`"),
        }
    }

    /// The meanings of `unit`, if it is ambiguous.
    pub(super) fn unclear(&self, unit: &str) -> Option<&Unclear> {
        self.unclear.iter().find(|unclear| unclear.units.contains(&unit))
    }
}

/// The rows of the documentation: units printed, units read as well, and units refused as ambiguous.
pub(crate) fn rows() -> String {
    let head = "| what | units | also read | refused, as it could mean two things |\n|---|---|---|---|\n";
    let row = |(name, dimension): (&str, &Dimension)| {
        let units = coded(dimension.units.iter().map(|(unit, _)| *unit));
        let also = dimension
            .also
            .iter()
            .map(|(names, scale)| format!("{} ({})", coded(names.iter().copied()), dimension.amount(*scale)));
        let unclear = dimension.unclear.iter().flat_map(|unclear| unclear.units).copied();
        let also = also.collect::<Vec<_>>().join("; ");
        format!("| {name} | {units} | {also} | {} |\n", coded(unclear))
    };
    ALL.into_iter().map(row).fold(head.to_owned(), |rows, row| rows + &row)
}

fn coded<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_has_one_meaning() {
        for (name, dimension) in ALL {
            let printed = dimension.units.iter().map(|(unit, _)| *unit);
            let also = dimension.also.iter().flat_map(|(names, _)| *names).copied();
            let unclear = dimension.unclear.iter().flat_map(|unclear| unclear.units).copied();
            let slips = dimension.slips.iter().map(|(slip, _)| *slip);
            let mut all: Vec<&str> = printed.chain(also).chain(unclear).chain(slips).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{name}: {all:?}");
        }
    }

    #[test]
    fn what_was_probably_meant_can_be_read() {
        for (name, dimension) in ALL {
            for (slip, meant) in dimension.slips {
                assert!(dimension.scale(meant).is_some(), "{name}: {slip} is {meant}");
            }
            for unit in dimension.unclear.iter().flat_map(|unclear| unclear.instead.split(" or ")) {
                assert!(dimension.scale(unit).is_some(), "{name}: {unit}");
            }
        }
    }
}
