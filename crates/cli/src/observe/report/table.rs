//! Tables of results: quantities with their units, the same unit all along a column. It knows how numbers are
//! written, and not whose they are.

/// A quantity that every one of some `T` has.
pub struct Quantity<T> {
    /// What it is called.
    pub label: &'static str,
    /// What it says, for those who ask.
    pub meaning: &'static str,
    /// Its value.
    pub value: fn(&T) -> Value,
}

/// A value of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// There is none.
    Missing,
    /// Words.
    Words(String),
    /// How many.
    Count(u64),
    /// Bytes.
    Bytes(f64),
    /// Bits a second.
    Rate(f64),
    /// Seconds.
    Seconds(f64),
    /// A part of one.
    Share(f64),
}

/// A table as it is shown: a heading and a unit for each column, a name for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What names the rows.
    pub corner: &'static str,
    /// The columns.
    pub columns: Vec<Heading>,
    /// The rows.
    pub rows: Vec<(Heading, Vec<String>)>,
}

/// What names a column or a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The name.
    pub label: String,
    /// The unit of its numbers; may be empty.
    pub unit: &'static str,
    /// What it means; may be empty.
    pub meaning: &'static str,
}

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    unit: &'static str,
    factor: f64,
    decimals: usize,
}

impl Table {
    /// A row for each of `items`, a column for each quantity.
    pub fn by_item<T>(corner: &'static str, quantities: &[Quantity<T>], items: &[(String, &T)]) -> Table {
        let columns: Vec<(Heading, Vec<String>)> =
            quantities.iter().map(|quantity| column(quantity, items)).collect();
        let rows = items.iter().enumerate().map(|(index, (name, _))| {
            let cells = columns.iter().map(|(_, cells)| cells[index].clone()).collect();
            (Heading { label: name.clone(), ..Heading::default() }, cells)
        });
        let rows = rows.collect();
        Table { corner, columns: columns.into_iter().map(|(heading, _)| heading).collect(), rows }
    }

    /// A row for each quantity, a column for each of `items`: easier to read while these are few.
    pub fn by_quantity<T>(corner: &'static str, quantities: &[Quantity<T>], items: &[(String, &T)]) -> Table {
        let names = items.iter().map(|(name, _)| Heading { label: name.clone(), ..Heading::default() });
        Table {
            corner,
            columns: names.collect(),
            rows: quantities.iter().map(|quantity| column(quantity, items)).collect(),
        }
    }
}

fn column<T>(quantity: &Quantity<T>, items: &[(String, &T)]) -> (Heading, Vec<String>) {
    let values: Vec<Value> = items.iter().map(|(_, item)| (quantity.value)(item)).collect();
    let scale = Scale::of(&values);
    let heading = Heading { label: quantity.label.to_owned(), unit: scale.unit, meaning: quantity.meaning };
    (heading, values.into_iter().map(|value| scale.show(value)).collect())
}

impl Scale {
    /// The unit in which the largest of these has one to three digits before the point.
    fn of(values: &[Value]) -> Scale {
        let numbers = values.iter().filter_map(Value::number).filter(|number| number.is_finite());
        let largest = numbers.fold(0.0, f64::max);
        let units = values.iter().find_map(Value::units).unwrap_or(&[("", 1.0)]);
        let fitting = units.iter().find(|(_, factor)| largest >= *factor);
        let (unit, factor) = *fitting.or(units.last()).unwrap_or(&("", 1.0));
        let decimals = match largest / factor {
            _ if units.len() > 1 && units.last().is_some_and(|(last, _)| *last == unit) => 0,
            0.0..10.0 => 3,
            10.0..100.0 => 2,
            _ => 1,
        };
        Scale { unit, factor, decimals }
    }

    fn show(self, value: Value) -> String {
        match value {
            Value::Missing => "–".to_owned(),
            Value::Words(words) => words,
            Value::Count(count) => grouped(count),
            Value::Share(share) => format!("{:.1}", share * 100.0),
            Value::Bytes(number) | Value::Rate(number) | Value::Seconds(number) => {
                format!("{:.*}", self.decimals, number / self.factor)
            }
        }
    }
}

impl Value {
    fn number(&self) -> Option<f64> {
        match self {
            Value::Bytes(number) | Value::Rate(number) | Value::Seconds(number) => Some(*number),
            _ => None,
        }
    }

    /// Units of its kind, the largest first.
    fn units(&self) -> Option<&'static [(&'static str, f64)]> {
        match self {
            Value::Missing => None,
            Value::Words(_) | Value::Count(_) => Some(&[("", 1.0)]),
            Value::Bytes(_) => Some(&[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]),
            Value::Rate(_) => Some(&[("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)]),
            Value::Seconds(_) => Some(&[("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)]),
            Value::Share(_) => Some(&[("%", 1.0)]),
        }
    }
}

/// `1 234 567`, with narrow spaces that break no line.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join("\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[Value]) -> (&'static str, Vec<String>) {
        let scale = Scale::of(values);
        (scale.unit, values.iter().cloned().map(|value| scale.show(value)).collect())
    }

    #[test]
    fn a_column_has_one_unit_and_one_precision() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rates = [Value::Rate(9_613_200.0), Value::Rate(21e6), Value::Missing, Value::Rate(0.0)];
        assert_eq!(shown(&rates), ("Mbit/s", texts(&["9.61", "21.00", "–", "0.00"])));
        assert_eq!(shown(&[Value::Seconds(0.0214)]), ("ms", texts(&["21.40"])));
        assert_eq!(shown(&[Value::Bytes(0.0)]), ("B", texts(&["0"])));
        assert_eq!(shown(&[Value::Share(0.5)]), ("%", texts(&["50.0"])));
        assert_eq!(shown(&[Value::Missing]), ("", texts(&["–"])));
        assert_eq!(shown(&[Value::Rate(f64::NAN)]).0, "bit/s");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }

    #[test]
    fn rows_and_columns_may_change_places() {
        const QUANTITIES: &[Quantity<u64>] = &[
            Quantity { label: "itself", meaning: "", value: |n| Value::Count(*n) },
            Quantity { label: "bytes", meaning: "", value: |n| Value::Bytes(*n as f64) },
        ];
        let items = [("a".to_owned(), &1), ("b".to_owned(), &2)];
        let by_item = Table::by_item("path", QUANTITIES, &items);
        let by_quantity = Table::by_quantity("", QUANTITIES, &items);
        assert_eq!(by_item.columns[1].unit, "B");
        assert_eq!(by_item.rows[1].1, ["2", "2"]);
        assert_eq!(by_quantity.rows[1].1, ["1", "2"]);
        assert_eq!(by_quantity.columns[1].label, "b");
    }
}
