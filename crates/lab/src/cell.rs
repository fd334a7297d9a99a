//! One cell of a table, its text in files, and the way back from text to the same value.

use anabranch_base::{ByteCount, Duration};

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A whole number.
    Whole(u64),
    /// A number, always finite.
    Number(f64),
    /// A name or a word, never empty.
    Text(String),
    /// No value: nothing was measured, or the column belongs to another point.
    Missing,
}

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Whole numbers.
    Whole,
    /// Numbers.
    Number,
    /// Whole numbers of any 64 bits, whose differences are meaningless.
    Seed,
    /// Texts.
    Text,
}

impl Cell {
    /// A number; `Missing` if it is not finite.
    pub fn number(value: f64) -> Cell {
        if value.is_finite() { Cell::Number(value) } else { Cell::Missing }
    }

    /// A duration in seconds.
    pub fn seconds(span: Duration) -> Cell {
        Cell::Number(span.as_secs_f64())
    }

    /// A count of bytes.
    pub fn bytes(count: ByteCount) -> Cell {
        Cell::Whole(count.get())
    }

    /// A word; `Missing` if it is empty.
    pub fn text(text: impl Into<String>) -> Cell {
        let text = text.into();
        if text.is_empty() { Cell::Missing } else { Cell::Text(text) }
    }

    /// The cell for an optional value.
    pub fn some<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
        value.map_or(Cell::Missing, cell)
    }

    /// The cell as written in tables: empty for no value, and with as many digits as it takes to read the same number
    /// back.
    pub fn shown(&self) -> String {
        match self {
            Cell::Whole(value) => value.to_string(),
            Cell::Number(value) => format!("{value:?}"),
            Cell::Text(text) => text.clone(),
            Cell::Missing => String::new(),
        }
    }

    /// Reads the text of [`Cell::shown`] in a column of this kind; `None` if it does not fit.
    pub fn read(text: &str, kind: CellKind) -> Option<Cell> {
        match kind {
            _ if text.is_empty() => Some(Cell::Missing),
            CellKind::Whole | CellKind::Seed => text.parse().ok().map(Cell::Whole),
            CellKind::Number => text.parse().ok().filter(|value: &f64| value.is_finite()).map(Cell::Number),
            CellKind::Text => Some(Cell::Text(text.to_owned())),
        }
    }
}

impl CellKind {
    /// The name of the kind in lists of columns.
    pub fn name(self) -> &'static str {
        match self {
            CellKind::Whole | CellKind::Seed => "whole number",
            CellKind::Number => "number",
            CellKind::Text => "text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_was_written_reads_as_the_same() {
        let numbers = [0.0, -0.0, 0.1 + 0.2, 1e300, 5e-324, 9_007_199_254_740_993.0, 10.0];
        for cell in numbers.map(Cell::Number) {
            assert_eq!(Cell::read(&cell.shown(), CellKind::Number), Some(cell));
        }
        let whole = Cell::Whole(u64::MAX);
        assert_eq!(Cell::read(&whole.shown(), CellKind::Whole), Some(whole));
        assert_eq!(Cell::read("", CellKind::Number), Some(Cell::Missing));
        assert_eq!(Cell::text(""), Cell::Missing);
    }

    #[test]
    fn what_is_not_of_its_kind_is_refused() {
        for (text, kind) in [("1.5", CellKind::Whole), ("-1", CellKind::Whole), ("NaN", CellKind::Number)] {
            assert_eq!(Cell::read(text, kind), None, "{text}");
        }
        assert_eq!(Cell::number(f64::INFINITY), Cell::Missing);
    }
}
