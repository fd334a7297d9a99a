//! One axis of a grid: a key of the scenario with its values, given as a list, as ranges, or both.

use anabranch_scenario::{Assignment, ScenarioError, quantity};

use crate::cell::{Cell, CellKind};
use crate::columns::ColumnInfo;

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    key: String,
    values: Vec<String>,
}

/// The reason why a text is not an axis.
#[derive(Debug, thiserror::Error)]
pub enum AxisError {
    /// The text is not `KEY=…`.
    #[error(transparent)]
    Form(#[from] ScenarioError),
    /// An empty list, or nothing between two commas.
    #[error("--set {text}: value {number} of {count} is empty: expected a value between commas")]
    Empty {
        /// The text given.
        text: String,
        /// The number of the value, from 1.
        number: usize,
        /// The number of values.
        count: usize,
    },
    /// A bracket or a quotation mark that is not closed.
    #[error("--set {text}: {mark} is not closed")]
    Open {
        /// The text given.
        text: String,
        /// The mark that is not closed.
        mark: char,
    },
    /// An invalid range.
    #[error(
        "--set {text}: {range:?} is not a range: {why}; expected one such as 5 Mbit/s..20 Mbit/s:4 or 0.001..0.1:5 log"
    )]
    Range {
        /// The text given.
        text: String,
        /// The part that is invalid.
        range: String,
        /// The reason.
        why: String,
    },
    /// A key that is the same for all points.
    #[error("--set {text}: {key} is the same for all points of a sweep: use {instead}")]
    Reserved {
        /// The text given.
        text: String,
        /// The key.
        key: String,
        /// The argument that sets it.
        instead: &'static str,
    },
}

impl Axis {
    /// Reads `KEY=V1,V2,…`, where each `V` is a value or a range: `A..B:N` are `N` values from `A` to `B`, in equal steps;
    /// `A..B:N log` in equal ratios. Commas within brackets, braces and quotation marks belong to a value.
    ///
    /// # Errors
    /// The text has another form.
    pub fn parse(text: &str) -> Result<Axis, AxisError> {
        let given = Assignment::parse(text)?;
        let parts = split(given.value(), text)?;
        let mut values = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if part.is_empty() {
                return Err(AxisError::Empty {
                    text: text.to_owned(),
                    number: index + 1,
                    count: parts.len(),
                });
            }
            match Range::read(part) {
                None => values.push((*part).to_owned()),
                Some(Ok(range)) => values.extend(range.values()),
                Some(Err(why)) => {
                    return Err(AxisError::Range { text: text.to_owned(), range: (*part).to_owned(), why });
                }
            }
        }
        Axis::new(given.key(), values).map_err(|error| match error {
            AxisError::Reserved { key, instead, .. } => {
                AxisError::Reserved { text: text.to_owned(), key, instead }
            }
            other => other,
        })
    }

    /// An axis of a key and at least one value.
    ///
    /// # Errors
    /// There are no values, or the key is the same for all points.
    pub fn new(key: &str, values: Vec<String>) -> Result<Axis, AxisError> {
        let text = || format!("{key}={}", values.join(","));
        if values.is_empty() {
            return Err(AxisError::Empty { text: text(), number: 1, count: 1 });
        }
        match RESERVED.iter().find(|(reserved, _)| *reserved == key && values.len() > 1) {
            Some((key, instead)) => {
                Err(AxisError::Reserved { text: text(), key: (*key).to_owned(), instead })
            }
            None => Ok(Axis { key: key.to_owned(), values }),
        }
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The values as given.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The setting for this value.
    pub fn assignment(&self, value: usize) -> Assignment {
        Assignment::new(&self.key, self.values.get(value).map_or("", String::as_str))
    }

    /// The column in a table: numbers, in the unit of results, where all values are numbers or quantities of one kind.
    pub fn column(&self) -> ColumnInfo {
        let (kind, unit) =
            self.measure().map_or((CellKind::Text, ""), |measure| (measure.kind, measure.unit));
        ColumnInfo {
            name: self.key.clone(),
            unit: unit.to_owned(),
            kind,
            meaning: format!("setting of the scenario: {}", self.key),
        }
    }

    /// The cells of the values in that column.
    pub fn cells(&self) -> Vec<Cell> {
        let text = |value: &String| Cell::text(value.trim_matches(['"', '\'']));
        match self.measure() {
            Some(measure) => {
                self.values.iter().map(|value| (measure.read)(value).unwrap_or(Cell::Missing)).collect()
            }
            None => self.values.iter().map(text).collect(),
        }
    }

    /// The only measure by which all values can be read.
    fn measure(&self) -> Option<&'static Measure> {
        let mut fitting =
            MEASURES.iter().filter(|measure| self.values.iter().all(|value| (measure.read)(value).is_some()));
        match (fitting.next(), fitting.next()) {
            // Every whole number is a number.
            (Some(first), second) if second.is_none() || first.unit.is_empty() => Some(first),
            _ => None,
        }
    }
}

/// A quantity and its unit in results.
struct Measure {
    unit: &'static str,
    kind: CellKind,
    read: fn(&str) -> Option<Cell>,
}

const MEASURES: &[Measure] = &[
    Measure { unit: "", kind: CellKind::Whole, read: |text| text.parse().ok().map(Cell::Whole) },
    Measure {
        unit: "",
        kind: CellKind::Number,
        read: |text| text.parse().ok().filter(|value: &f64| value.is_finite()).map(Cell::Number),
    },
    Measure {
        unit: "packets",
        kind: CellKind::Whole,
        read: |text| text.strip_suffix("packets")?.trim().parse().ok().map(Cell::Whole),
    },
    Measure {
        unit: "bit/s",
        kind: CellKind::Whole,
        read: |text| quantity::rate(text).ok().map(|rate| Cell::Whole(rate.bits_per_second())),
    },
    Measure { unit: "s", kind: CellKind::Number, read: |text| quantity::span(text).ok().map(Cell::seconds) },
    Measure { unit: "B", kind: CellKind::Whole, read: |text| quantity::size(text).ok().map(Cell::bytes) },
    Measure {
        unit: "m",
        kind: CellKind::Number,
        read: |text| quantity::distance(text).ok().map(|distance| Cell::Number(distance.metres())),
    },
];

/// The keys of seeds and replications, with the arguments that set them.
const RESERVED: &[(&str, &str)] = &[("run.seed", "--seed"), ("run.runs", "--runs")];

/// Values in equal steps or equal ratios.
struct Range<'t> {
    from: f64,
    to: f64,
    unit: &'t str,
    count: usize,
    is_log: bool,
}

impl<'t> Range<'t> {
    /// Reads `A..B:N` or `A..B:N log`; `None` for a value that is not a range.
    fn read(text: &'t str) -> Option<Result<Range<'t>, String>> {
        if text.starts_with(['[', '{', '"', '\'']) {
            return None;
        }
        let (from, rest) = text.split_once("..")?;
        // Without a count it is one value: a receive buffer may be `1 MiB..16 MiB`.
        let (to, count) = rest.rsplit_once(':')?;
        Some(Range::of(from, to, count))
    }

    fn of(from: &'t str, to: &'t str, count: &str) -> Result<Range<'t>, String> {
        let (count, is_log) = match count.trim().strip_suffix("log") {
            Some(count) => (count.trim(), true),
            None => (count.trim(), false),
        };
        let count = count.parse().ok().filter(|count| (2..=MOST_VALUES).contains(count));
        let count = count.ok_or(format!("the number of its values is one from 2 to {MOST_VALUES}"))?;
        let ((from, its_unit), (to, unit)) = (number(from)?, number(to)?);
        if !its_unit.is_empty() && its_unit != unit {
            return Err(format!("its ends have different units, {its_unit:?} and {unit:?}"));
        }
        if is_log && (from <= 0.0 || to <= 0.0) {
            return Err("in equal ratios both ends are above zero".to_owned());
        }
        Ok(Range { from, to, unit, count, is_log })
    }

    fn values(&self) -> impl Iterator<Item = String> {
        (0..self.count).map(|index| {
            let share = index as f64 / (self.count - 1) as f64;
            let value = match (index, self.is_log) {
                (0, _) => self.from,
                (index, _) if index + 1 == self.count => self.to,
                (_, false) => self.from + (self.to - self.from) * share,
                (_, true) => self.from * libm::pow(self.to / self.from, share),
            };
            let digits = rounded(value);
            if self.unit.is_empty() { digits } else { format!("{digits} {}", self.unit) }
        })
    }
}

/// Splits a number from its unit.
fn number(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let is_part = |(at, c): (usize, char)| c.is_ascii_digit() || c == '.' || (at == 0 && c == '-');
    let end = text.char_indices().find(|found| !is_part(*found)).map_or(text.len(), |(at, _)| at);
    let value = text[..end].parse().map_err(|_| format!("{text:?} does not begin with a number"))?;
    Ok((value, text[end..].trim()))
}

/// Rounds off the errors of binary fractions: to nine decimals, as quantities have, or nine digits for smaller numbers.
fn rounded(value: f64) -> String {
    let digits =
        if value.abs() >= 0.01 || value == 0.0 { format!("{value:.9}") } else { format!("{value:.8e}") };
    digits.parse::<f64>().map_or(digits, |value| value.to_string())
}

/// The parts between commas outside of brackets and quotation marks.
fn split<'v>(values: &'v str, text: &str) -> Result<Vec<&'v str>, AxisError> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, Vec::new());
    let mut is_escaped = false;
    for (at, c) in values.char_indices() {
        let quote = open.last().copied().filter(|mark| ['"', '\''].contains(mark));
        match (quote, c) {
            (Some('"'), '\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (Some(quote), c) if c == quote && !is_escaped => {
                open.pop();
            }
            (Some(_), _) => {}
            (None, '"' | '\'' | '[' | '{') => open.push(c),
            (None, ']' | '}') => {
                open.pop();
            }
            (None, ',') if open.is_empty() => {
                parts.push(values[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
        is_escaped = false;
    }
    if let Some(mark) = open.first() {
        return Err(AxisError::Open { text: text.to_owned(), mark: *mark });
    }
    parts.push(values[start..].trim());
    Ok(parts)
}

/// A larger range is taken for a mistake.
const MOST_VALUES: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Axis::parse(text).expect("an axis").values().to_vec()
    }

    #[test]
    fn values_stand_between_commas_that_no_bracket_holds() {
        assert_eq!(values("k=a, b,c"), ["a", "b", "c"]);
        assert_eq!(
            values("k={ x = 1, y = [2, 3] },[4, 5],\"6, 7\""),
            ["{ x = 1, y = [2, 3] }", "[4, 5]", "\"6, 7\""]
        );
        assert_eq!(values(r#"k="a\",b",c"#), [r#""a\",b""#, "c"]);
    }

    #[test]
    fn a_range_includes_its_ends() {
        assert_eq!(
            values("link.wifi.rate=5 Mbit/s..20 Mbit/s:4"),
            ["5 Mbit/s", "10 Mbit/s", "15 Mbit/s", "20 Mbit/s"]
        );
        assert_eq!(values("k=0.1..0.4:4"), ["0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(values("k=4..2:3"), ["4", "3", "2"]);
        assert_eq!(
            values("k=0,5..20 ms:2"),
            ["0", "5 ms", "20 ms"],
            "the unit may stand once, and lists go on"
        );
        assert_eq!(values("k=0.0001..0.01:3 log"), ["0.0001", "0.001", "0.01"]);
        assert_eq!(
            values("k=1..2 Mbit/s:8")[1],
            "1.142857143 Mbit/s",
            "as many decimals as a quantity may have"
        );
    }

    #[test]
    fn what_is_wrong_with_an_axis_is_told() {
        let told: Vec<String> = [
            "k",
            "k=",
            "k=a,,b",
            "k=[1,2",
            "k=\"a,b",
            "k=1..2:1",
            "k=1..2:x",
            "k=a..2:3",
            "k=1 ms..2 s:3",
            "k=0..1:3 log",
            "run.seed=1,2",
        ]
        .map(|text| Axis::parse(text).expect_err(text).to_string())
        .into();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn values_are_cells_in_the_units_of_results() {
        let of = |text: &str| {
            let axis = Axis::parse(text).expect("an axis");
            let shown: Vec<String> = axis.cells().iter().map(Cell::shown).collect();
            (axis.column().unit, axis.column().kind, shown.join(" "))
        };
        assert_eq!(of("k=5 Mbit/s,500 kbit/s"), ("bit/s".into(), CellKind::Whole, "5000000 500000".into()));
        assert_eq!(of("k=20 ms,1 s"), ("s".into(), CellKind::Number, "0.02 1.0".into()));
        assert_eq!(of("k=64 KiB"), ("B".into(), CellKind::Whole, "65536".into()));
        assert_eq!(of("k=50 packets,100 packets"), ("packets".into(), CellKind::Whole, "50 100".into()));
        assert_eq!(of("k=1,2"), (String::new(), CellKind::Whole, "1 2".into()));
        assert_eq!(of("k=0.5,2"), (String::new(), CellKind::Number, "0.5 2.0".into()));
        assert_eq!(of("k=ecf,\"fill\""), (String::new(), CellKind::Text, "ecf fill".into()));
        assert_eq!(of("k=20M").1, CellKind::Text, "a size or a rate");
        assert_eq!(of("k=1,50 packets").1, CellKind::Text);
    }
}
