//! One cell of a table: what it may hold, and how it is written in a file and read again as the same value.

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
    /// No value: there was nothing to measure, or the column belongs to another point.
    Missing,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Whole numbers.
    Whole,
    /// Numbers.
    Number,
    /// Whole numbers of which any 64 bits may be one, and whose differences mean nothing.
    Seed,
    /// Texts.
    Text,
}

impl Cell {
    /// A number; none that is not finite is a value.
    pub fn number(value: f64) -> Cell {
        if value.is_finite() { Cell::Number(value) } else { Cell::Missing }
    }

    /// A span of time, in seconds.
    pub fn seconds(span: Duration) -> Cell {
        Cell::Number(span.as_secs_f64())
    }

    /// A count of bytes.
    pub fn bytes(count: ByteCount) -> Cell {
        Cell::Whole(count.get())
    }

    /// A word; an empty one is no value.
    pub fn text(text: impl Into<String>) -> Cell {
        let text = text.into();
        if text.is_empty() { Cell::Missing } else { Cell::Text(text) }
    }

    /// The value where there is one.
    pub fn some<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
        value.map_or(Cell::Missing, cell)
    }

    /// The cell as tables have it: nothing for no value, and as many digits as it takes to read the same number again.
    pub fn shown(&self) -> String {
        match self {
            Cell::Whole(value) => value.to_string(),
            Cell::Number(value) => format!("{value:?}"),
            Cell::Text(text) => text.clone(),
            Cell::Missing => String::new(),
        }
    }

    /// Reads what [`Cell::shown`] wrote in a column of this kind; `None` if it is not such a cell.
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
    /// The kind as lists of columns name it.
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
