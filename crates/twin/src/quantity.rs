//! Measured numbers as quantities of a scenario, within the bounds that scenarios read, rounded to four digits.

use anabranch_base::exact::{RATES, SIZES, TIMES};
use anabranch_diagnose::Estimated;

/// A quantity in the unit that suits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    value: f64,
    unit: &'static str,
    scale: f64,
    /// The most digits behind the point: what the unit's smallest part can hold.
    decimals: usize,
}

impl Quantity {
    /// A rate of at least 1 kbit/s.
    pub(crate) fn rate(bits_per_second: f64) -> Quantity {
        let value = bits_per_second.clamp(1e3, MOST_RATE).round();
        let units = RATES.iter().skip(1).map(|(unit, scale)| (*unit, *scale as f64));
        Quantity::in_largest(value, units, 1.0)
    }

    /// A time of at most a minute.
    pub(crate) fn span(seconds: f64) -> Quantity {
        let nanoseconds = (seconds.clamp(0.0, MOST_SECONDS) * 1e9).round();
        let units = TIMES[1..4].iter().map(|(unit, scale)| (*unit, *scale as f64));
        Quantity::in_largest(nanoseconds, units, 1e9)
    }

    /// A size of at least a byte.
    pub(crate) fn size(bytes: f64) -> Quantity {
        let bytes = bytes.clamp(1.0, MOST_BYTES).round();
        let units = SIZES.iter().filter(|(unit, _)| !unit.ends_with("iB"));
        Quantity::in_largest(bytes, units.map(|(unit, scale)| (*unit, *scale as f64)), 1.0)
    }

    /// `value` in the largest of `units` of which it has at least one; `per_unit` is the number of the smallest parts
    /// in the unit that callers use.
    fn in_largest(value: f64, units: impl Iterator<Item = (&'static str, f64)>, per_unit: f64) -> Quantity {
        let mut units = units.peekable();
        let first = units.peek().copied().unwrap_or(("", 1.0));
        let (unit, scale) = units.take_while(|(_, scale)| value >= *scale).last().unwrap_or(first);
        Quantity {
            value: value / scale,
            unit,
            scale: scale / per_unit,
            decimals: scale.log10().round() as usize,
        }
    }

    /// The quantity as a string of TOML.
    pub(crate) fn quoted(self) -> String {
        format!("\"{} {}\"", self.number(self.value), self.unit)
    }

    /// The quantity for a comment.
    pub(crate) fn plain(self) -> String {
        format!("{} {}", self.number(self.value), self.unit)
    }

    /// The interval of `estimated` in this unit, `19.8 to 20.1`.
    pub(crate) fn interval(self, estimated: &Estimated) -> String {
        interval(estimated, self.scale)
    }

    fn number(self, value: f64) -> String {
        rounded(value, self.decimals)
    }
}

/// A probability as a float of TOML.
pub(crate) fn share(value: f64) -> String {
    let text = rounded(value.clamp(0.0, 1.0), LEAST_SHARE_DECIMALS);
    if text.contains('.') { text } else { text + ".0" }
}

/// The interval of `estimated` in parts of `scale`.
pub(crate) fn interval(estimated: &Estimated, scale: f64) -> String {
    if !estimated.low.is_finite() || !estimated.high.is_finite() {
        return "without an interval".to_owned();
    }
    let end = |value: f64| rounded((value / scale).clamp(-MOST_SHOWN, MOST_SHOWN), LEAST_SHARE_DECIMALS);
    format!("{} to {}", end(estimated.low), end(estimated.high))
}

/// A finite estimate of at least zero, as no other is a measurement.
pub(crate) fn sound(estimated: Option<Estimated>) -> Option<Estimated> {
    estimated.filter(|estimated| estimated.value.is_finite() && estimated.value >= 0.0)
}

/// A number with four significant digits, at most `decimals` of them behind the point, without an exponent.
fn rounded(value: f64, decimals: usize) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let behind = (3.0 - magnitude).clamp(0.0, decimals as f64) as usize;
    let text = format!("{value:.behind$}");
    match text.split_once('.') {
        Some(_) => match text.trim_end_matches('0').trim_end_matches('.') {
            "-0" => "0".to_owned(),
            trimmed => trimmed.to_owned(),
        },
        None => text,
    }
}

/// Bounds of what a file may say, whatever an end reported.
const MOST_RATE: f64 = 1e12;
const MOST_SECONDS: f64 = 60.0;
const MOST_BYTES: f64 = 4e9;
const MOST_SHOWN: f64 = 1e12;

const LEAST_SHARE_DECIMALS: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_four_digits_in_a_unit_that_suits_them() {
        let rates =
            [19_912_345.0, 1e6, 999.0, 1.5e9, f64::INFINITY].map(|rate| Quantity::rate(rate).quoted());
        assert_eq!(
            rates,
            ["\"19.91 Mbit/s\"", "\"1 Mbit/s\"", "\"1 kbit/s\"", "\"1.5 Gbit/s\"", "\"1000 Gbit/s\""]
        );
        let spans = [0.0, 0.012_345_6, 1.5e-5, 2.5, 1e9].map(|span| Quantity::span(span).quoted());
        assert_eq!(spans, ["\"0 us\"", "\"12.35 ms\"", "\"15 us\"", "\"2.5 s\"", "\"60 s\""]);
        assert_eq!(Quantity::size(45_231.0).quoted(), "\"45.23 kB\"");
        assert_eq!([0.012_34, 0.0, 1.0, 1e-12].map(share), ["0.01234", "0.0", "1.0", "0.0"]);
    }

    #[test]
    fn an_interval_has_the_unit_of_its_value() {
        let estimated = Estimated { value: 19.9e6, low: 19.8e6, high: 20.1e6, samples: 14 };
        assert_eq!(Quantity::rate(estimated.value).interval(&estimated), "19.8 to 20.1");
        let delay = Estimated { value: 0.02, low: 0.0199, high: 0.0202, samples: 9 };
        assert_eq!(Quantity::span(delay.value).interval(&delay), "19.9 to 20.2");
        let hostile = Estimated { low: f64::NAN, ..delay };
        assert_eq!(Quantity::span(delay.value).interval(&hostile), "without an interval");
    }
}
