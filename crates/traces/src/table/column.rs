//! The meaning of a column by its name: a quantity with its unit, such as `rate_mbps`, `delay (ms)` or `loss_percent`.

use anabranch_scenario::quantity::{self, QuantityError};

use super::unit;
use crate::fault::quoted;

/// A column in use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// The name as written.
    pub name: String,
    pub quantity: Quantity,
    /// The size of the unit in nanoseconds, bit/s or shares; `None` where each cell has its own unit.
    scale: Option<f64>,
}

/// The quantity of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The time of a row.
    Time,
    Rate,
    /// A one-way delay.
    Delay,
    /// A round trip.
    RoundTrip,
    /// A share of lost packets.
    Loss,
}

impl Column {
    /// The column with this name; `None` for a name without a meaning here.
    ///
    /// # Errors
    /// A unit that is unknown or ambiguous.
    pub(super) fn named(name: &str) -> Result<Option<Column>, QuantityError> {
        // The same length as the name, byte by byte.
        let plain = name.to_ascii_lowercase().replace([' ', '-'], "_");
        let names = NAMES.iter().filter(|(known, _)| is_followed(&plain, known));
        let Some((known, quantity)) = names.max_by_key(|(known, _)| known.len()) else { return Ok(None) };
        let unit = name[known.len()..].trim_matches([' ', '_', '-', '(', ')', '[', ']']);
        let scale = quantity.scale(unit)?;
        Ok(Some(Column { name: name.to_owned(), quantity: *quantity, scale }))
    }

    /// Returns true if the column's name includes the unit of its cells.
    pub(crate) fn has_unit(&self) -> bool {
        self.scale.is_some()
    }

    /// Returns true if one of two columns makes the other redundant.
    pub(crate) fn says_same(&self, other: &Column) -> bool {
        let is_delay = |quantity| matches!(quantity, Quantity::Delay | Quantity::RoundTrip);
        self.quantity == other.quantity || is_delay(self.quantity) && is_delay(other.quantity)
    }

    /// The value of a cell, in nanoseconds, bit/s or shares.
    ///
    /// # Errors
    /// A cell that is not a number, or is outside the quantity's domain.
    pub(super) fn value(&self, cell: &str) -> Result<f64, QuantityError> {
        let value = match (cell.parse::<f64>(), self.scale) {
            (Ok(number), Some(scale)) => number * scale,
            (Ok(number), None) => return Err(self.lacks_unit(number)),
            (Err(_), _) => {
                let value = self.quantity.with_unit(cell);
                value.map_err(|error| self.refused(cell, unit::suggested(error)))?
            }
        };
        let most = if self.quantity == Quantity::Loss { 1.0 } else { MOST };
        if (0.0..=most).contains(&value) {
            return Ok(value);
        }
        let expected = match self.quantity {
            Quantity::Loss if self.scale == Some(1.0) => "a share from 0 to 1; `loss_percent` names per cent",
            Quantity::Loss => "a share from 0 to 100 %",
            _ => "a number that is not negative, and not too large",
        };
        Err(error(format!("{} is outside its domain", quoted(cell)), expected))
    }

    fn lacks_unit(&self, number: f64) -> QuantityError {
        let expected =
            format!("a unit in the column's name, such as {}, or in each cell", self.quantity.example());
        error(format!("{number} has no unit"), &expected)
    }

    fn refused(&self, cell: &str, refused: QuantityError) -> QuantityError {
        match self.scale {
            Some(_) => {
                error(format!("{} is not a number", quoted(cell)), "a number with a point, such as 12.5")
            }
            None => refused,
        }
    }
}

impl Quantity {
    /// The size of a unit; `None` for an empty one where there is no default.
    fn scale(self, unit: &str) -> Result<Option<f64>, QuantityError> {
        match (self, unit.to_ascii_lowercase().as_str()) {
            (Quantity::Time, "") => Ok(Some(1e9)),
            (Quantity::Loss, "" | "share" | "ratio" | "fraction" | "rate" | "probability") => Ok(Some(1.0)),
            (Quantity::Loss, "%" | "pct" | "percent") => Ok(Some(0.01)),
            (Quantity::Loss, _) => {
                Err(error(format!("{} is not a unit of losses", quoted(unit)), "loss, or loss_percent"))
            }
            // Each cell of a column of dates is a time of its own.
            (_, "") | (Quantity::Time, "utc" | "iso" | "iso8601" | "iso_8601") => Ok(None),
            (Quantity::Rate, _) => unit::rate(unit).map(Some),
            (Quantity::Time | Quantity::Delay | Quantity::RoundTrip, _) => unit::time(unit).map(Some),
        }
    }

    /// Parses a value written with its unit.
    fn with_unit(self, text: &str) -> Result<f64, QuantityError> {
        match self {
            Quantity::Time | Quantity::Delay | Quantity::RoundTrip => {
                quantity::span(text).map(|span| span.as_nanos() as f64)
            }
            Quantity::Rate => quantity::rate(text).map(|rate| rate.bits_per_second() as f64),
            Quantity::Loss => {
                let share = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
                let refused =
                    || error(format!("{} is not a number", quoted(text)), "a share such as 0.01, or 1 %");
                share.map(|percent| percent / 100.0).ok_or_else(refused)
            }
        }
    }

    /// An example of a column's name with its unit.
    fn example(self) -> &'static str {
        match self {
            Quantity::Time => "`time_s`",
            Quantity::Rate => "`rate_mbps`",
            Quantity::Delay => "`delay_ms`",
            Quantity::RoundTrip => "`rtt_ms`",
            Quantity::Loss => "`loss_percent`",
        }
    }
}

/// Returns true if a column's name is this one, alone or followed by a unit.
fn is_followed(name: &str, known: &str) -> bool {
    let rest = name.strip_prefix(known);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '(', '[']))
}

fn error(message: String, expected: &str) -> QuantityError {
    QuantityError { message, expected: expected.to_owned(), nearest: None }
}

/// Known names of columns, in lower case with `_` for blanks.
const NAMES: &[(&str, Quantity)] = &[
    ("time", Quantity::Time),
    ("timestamp", Quantity::Time),
    ("datetime", Quantity::Time),
    ("date_time", Quantity::Time),
    ("elapsed", Quantity::Time),
    ("t", Quantity::Time),
    ("rate", Quantity::Rate),
    ("bitrate", Quantity::Rate),
    ("bandwidth", Quantity::Rate),
    ("throughput", Quantity::Rate),
    ("goodput", Quantity::Rate),
    ("capacity", Quantity::Rate),
    ("delay", Quantity::Delay),
    ("latency", Quantity::Delay),
    ("owd", Quantity::Delay),
    ("one_way_delay", Quantity::Delay),
    ("rtt", Quantity::RoundTrip),
    ("round_trip", Quantity::RoundTrip),
    ("round_trip_time", Quantity::RoundTrip),
    ("ping", Quantity::RoundTrip),
    ("loss", Quantity::Loss),
    ("packet_loss", Quantity::Loss),
    ("plr", Quantity::Loss),
];

/// The largest plausible value: 100 years in nanoseconds; also for bit/s.
const MOST: f64 = 3.2e18;

pub(super) const EXPECTED: &str = "a first line such as time_s,rate_mbps,delay_ms,loss: a time, and at least one of rate, delay \
                                   (or rtt) and loss, each with its unit";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, cell: &str) -> Option<(Quantity, f64)> {
        let column = Column::named(name).ok().flatten()?;
        Some((column.quantity, column.value(cell).ok()?))
    }

    #[test]
    fn columns_are_read_as_people_name_them() {
        for (name, cell, quantity, value) in [
            ("time_s", "1.5", Quantity::Time, 1.5e9),
            ("Time", "2", Quantity::Time, 2e9),
            ("timestamp_ms", "7", Quantity::Time, 7e6),
            ("rate_mbps", "12.5", Quantity::Rate, 12.5e6),
            ("Rate (Mbit/s)", "1", Quantity::Rate, 1e6),
            ("bandwidth_kbps", "1e3", Quantity::Rate, 1e6),
            ("throughput_MB/s", "1", Quantity::Rate, 8e6),
            ("rate", "3 Mbit/s", Quantity::Rate, 3e6),
            ("delay_ms", "20", Quantity::Delay, 2e7),
            ("one-way delay [us]", "20", Quantity::Delay, 2e4),
            ("rtt_ms", "20", Quantity::RoundTrip, 2e7),
            ("loss", "0.25", Quantity::Loss, 0.25),
            ("loss_rate", "0.25", Quantity::Loss, 0.25),
            ("loss (%)", "25", Quantity::Loss, 0.25),
            ("packet_loss_pct", "25", Quantity::Loss, 0.25),
            ("loss", "25 %", Quantity::Loss, 0.25),
        ] {
            assert_eq!(read(name, cell), Some((quantity, value)), "{name}: {cell}");
        }
        assert_eq!(Column::named("temperature"), Ok(None));
    }

    #[test]
    fn what_has_no_unit_or_two_meanings_is_refused() {
        let named = |name: &str| Column::named(name).expect_err("no column").expected;
        assert!(named("rate_mb/s").contains("Mbit/s or MB/s"));
        assert!(named("delay_m").contains("ms or min"));
        assert!(named("loss_ms").contains("loss_percent"));
        let refused = |name: &str, cell: &str| {
            Column::named(name)
                .ok()
                .flatten()
                .expect("a column")
                .value(cell)
                .expect_err("no value")
                .to_string()
        };
        assert!(refused("rate", "3").contains("`rate_mbps`"));
        assert!(refused("loss", "2").contains("`loss_percent`"));
        for cell in ["-1", "nan", "inf", "1,5", "1e300", "x"] {
            refused("rate_mbps", cell);
        }
    }
}
