//! Tables of results: quantities with units, one unit for each column.

/// A quantity of items of type `T`.
pub(super) struct Quantity<T> {
    /// The name.
    pub label: &'static str,
    /// The explanation, shown on request.
    pub meaning: &'static str,
    /// The value.
    pub value: fn(&T) -> CellValue,
}

/// A quantity of several items.
#[derive(Clone)]
pub(super) struct Measured {
    /// The name.
    pub label: String,
    /// The explanation, shown on request.
    pub meaning: &'static str,
    /// The values, in the order of the items.
    pub values: Vec<CellValue>,
}

/// A value of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellValue {
    /// No value.
    Missing,
    /// Words.
    Words(String),
    /// A whole number.
    Count(u64),
    /// Bytes.
    Bytes(f64),
    /// Bits per second.
    Rate(f64),
    /// Seconds.
    Seconds(f64),
    /// A fraction of one.
    Share(f64),
}

/// A formatted table: a heading and a unit for each column, a name for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportTable {
    /// The heading of the rows' names.
    pub corner: &'static str,
    /// The columns.
    pub columns: Vec<Heading>,
    /// The rows.
    pub rows: Vec<(Heading, Vec<String>)>,
}

/// The heading of a column or a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heading {
    /// The name.
    pub label: String,
    /// The unit of its numbers; may be empty.
    pub unit: &'static str,
    /// The explanation; may be empty.
    pub meaning: &'static str,
}

/// The format of a column's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ColumnScale {
    unit: &'static str,
    factor: f64,
    decimals: usize,
}

impl ReportTable {
    /// One row for each of the items called `names`, one column for each quantity that any of them has.
    pub(crate) fn by_item(corner: &'static str, quantities: &[Measured], names: &[String]) -> ReportTable {
        let mut columns = Vec::new();
        let mut rows: Vec<(Heading, Vec<String>)> =
            names.iter().map(|name| (Heading::named(name), Vec::new())).collect();
        for quantity in present(quantities) {
            let scale = ColumnScale::of(quantity.values.iter());
            columns.push(quantity.heading(scale));
            for ((_, cells), value) in rows.iter_mut().zip(&quantity.values) {
                cells.push(scale.show(value.clone()));
            }
        }
        ReportTable { corner, columns, rows }
    }

    /// One row for each quantity that any of the items called `names` has, one column for each item: easier to read
    /// while items are few. Times share one unit, since they are listed below one another.
    pub(crate) fn by_quantity(
        corner: &'static str,
        quantities: &[Measured],
        names: &[String],
    ) -> ReportTable {
        let all = present(quantities).flat_map(|quantity| &quantity.values);
        let times = ColumnScale::of(all.filter(|value| matches!(value, CellValue::Seconds(_))));
        let rows = present(quantities).map(|quantity| {
            let values = || quantity.values.iter();
            let is_time = values().any(|value| matches!(value, CellValue::Seconds(_)));
            let scale = if is_time { times } else { ColumnScale::of(values()) };
            (quantity.heading(scale), values().cloned().map(|value| scale.show(value)).collect())
        });
        let rows = rows.collect();
        ReportTable { corner, columns: names.iter().map(|name| Heading::named(name)).collect(), rows }
    }
}

impl<T> Quantity<T> {
    /// The quantity for these items.
    pub(super) fn of<'t>(&self, items: impl Iterator<Item = &'t T>) -> Measured
    where
        T: 't,
    {
        let values = items.map(self.value).collect();
        Measured { label: self.label.to_owned(), meaning: self.meaning, values }
    }
}

impl Measured {
    fn heading(&self, scale: ColumnScale) -> Heading {
        Heading { label: self.label.clone(), unit: scale.unit, meaning: self.meaning }
    }
}

impl Heading {
    fn named(name: &str) -> Heading {
        Heading { label: name.to_owned(), ..Heading::default() }
    }
}

/// The quantities that any item has.
fn present(quantities: &[Measured]) -> impl Iterator<Item = &Measured> + Clone {
    let is_present = |quantity: &&Measured| quantity.values.iter().any(|value| *value != CellValue::Missing);
    quantities.iter().filter(is_present)
}

impl ColumnScale {
    /// The unit in which the largest value has one to three digits before the point, with as many decimals as the
    /// smallest value needs, at most four.
    fn of<'v>(values: impl Iterator<Item = &'v CellValue> + Clone) -> ColumnScale {
        let units = values.clone().find_map(CellValue::units).unwrap_or(&[("", 1.0)]);
        let numbers =
            values.filter_map(CellValue::number).filter(|number| *number > 0.0 && number.is_finite());
        let largest = numbers.clone().fold(0.0, f64::max);
        let smallest = numbers.fold(largest, f64::min);
        let (unit, factor) =
            *units.iter().find(|(_, factor)| largest >= *factor).unwrap_or(&units[units.len() - 1]);
        let decimals = match smallest / factor {
            _ if ["B", "bit/s", "µs"].contains(&unit) => 0,
            100.0.. => 1,
            10.0.. => 2,
            0.1.. => 3,
            _ => 4,
        };
        ColumnScale { unit, factor, decimals }
    }

    fn show(self, value: CellValue) -> String {
        match value {
            CellValue::Missing => "–".to_owned(),
            CellValue::Words(words) => words,
            CellValue::Count(count) => grouped(count),
            CellValue::Share(share) => format!("{:.1}", share * 100.0),
            CellValue::Bytes(number) | CellValue::Rate(number) | CellValue::Seconds(number) => {
                format!("{:.*}", self.decimals, number / self.factor)
            }
        }
    }
}

impl CellValue {
    fn number(&self) -> Option<f64> {
        match self {
            CellValue::Bytes(number) | CellValue::Rate(number) | CellValue::Seconds(number) => Some(*number),
            _ => None,
        }
    }

    /// The units of its kind, the largest first.
    fn units(&self) -> Option<&'static [(&'static str, f64)]> {
        match self {
            CellValue::Missing => None,
            CellValue::Words(_) | CellValue::Count(_) => Some(&[("", 1.0)]),
            CellValue::Bytes(_) => Some(&[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]),
            CellValue::Rate(_) => Some(&[("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)]),
            CellValue::Seconds(_) => Some(&[("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)]),
            CellValue::Share(_) => Some(&[("%", 1.0)]),
        }
    }
}

/// `1 234 567`, with narrow no-break spaces.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join("\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[CellValue]) -> (&'static str, Vec<String>) {
        let scale = ColumnScale::of(values.iter());
        (scale.unit, values.iter().cloned().map(|value| scale.show(value)).collect())
    }

    #[test]
    fn a_column_has_one_unit_and_one_precision() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rates =
            [CellValue::Rate(9_613_200.0), CellValue::Rate(21e6), CellValue::Missing, CellValue::Rate(0.0)];
        assert_eq!(shown(&rates), ("Mbit/s", texts(&["9.613", "21.000", "–", "0.000"])));
        assert_eq!(shown(&[CellValue::Seconds(0.0214)]), ("ms", texts(&["21.40"])));
        assert_eq!(shown(&[CellValue::Seconds(8.9), CellValue::Seconds(0.0214)]).1, ["8.9000", "0.0214"]);
        assert_eq!(shown(&[CellValue::Bytes(0.0)]), ("B", texts(&["0"])));
        assert_eq!(shown(&[CellValue::Share(0.5)]), ("%", texts(&["50.0"])));
        assert_eq!(shown(&[CellValue::Missing]), ("", texts(&["–"])));
        assert_eq!(shown(&[CellValue::Rate(f64::NAN)]).0, "bit/s");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }

    const QUANTITIES: &[Quantity<u64>] = &[
        Quantity { label: "itself", meaning: "", value: |n| CellValue::Count(*n) },
        Quantity { label: "nothing", meaning: "", value: |_| CellValue::Missing },
        Quantity { label: "short", meaning: "", value: |n| CellValue::Seconds(*n as f64 / 1e3) },
        Quantity { label: "long", meaning: "", value: |n| CellValue::Seconds(*n as f64) },
    ];

    fn measured(items: &[u64]) -> Vec<Measured> {
        QUANTITIES.iter().map(|quantity| quantity.of(items.iter())).collect()
    }

    #[test]
    fn rows_and_columns_may_change_places() {
        let (items, names) = (measured(&[1, 2]), ["a".to_owned(), "b".to_owned()]);
        let by_item = ReportTable::by_item("path", &items, &names);
        assert_eq!(by_item.columns[1].unit, "ms");
        assert_eq!(by_item.rows[1].1, ["2", "2.000", "2.000"]);
        let by_quantity = ReportTable::by_quantity("", &items, &names);
        assert_eq!(by_quantity.columns[1].label, "b");
        assert_eq!(by_quantity.rows[1].0.unit, "s");
        assert_eq!(by_quantity.rows[1].1, ["0.0010", "0.0020"]);
    }

    #[test]
    fn a_quantity_without_any_value_is_not_shown() {
        let table = ReportTable::by_item("path", &measured(&[1]), &["a".to_owned()]);
        assert!(table.columns.iter().all(|column| column.label != "nothing"));
        let empty = ReportTable::by_item("path", &measured(&[]), &[]);
        assert!(empty.columns.is_empty() && empty.rows.is_empty());
    }
}
