//! A cell of a table: text for CSV, a typed value for tables in memory.

use std::borrow::Cow;
use std::fmt;

use anabranch_base::{BitRate, ByteCount};

use crate::words::Seconds;

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// A name or a word.
    Text(Cow<'a, str>),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A time or a duration, in seconds.
    Seconds(Seconds),
    /// A truth value.
    Truth(bool),
    /// No value.
    Missing,
}

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Names or words, few and often repeated.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers, including seconds.
    Number,
    /// Truth values.
    Truth,
}

impl<'a> Cell<'a> {
    /// A name or a word; `Missing` if it is empty.
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
        let text = text.into();
        if text.is_empty() { Cell::Missing } else { Cell::Text(text) }
    }

    /// A time or a duration.
    pub(super) fn seconds(span: impl Into<Seconds>) -> Cell<'a> {
        Cell::Seconds(span.into())
    }

    /// A count of bytes.
    pub(super) fn bytes(count: ByteCount) -> Cell<'a> {
        Cell::Whole(count.get())
    }

    /// A rate in bit/s.
    pub(super) fn rate(rate: BitRate) -> Cell<'a> {
        Cell::Whole(rate.bits_per_second())
    }

    /// The cell for an optional value.
    pub(super) fn some<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'a>) -> Cell<'a> {
        value.map_or(Cell::Missing, cell)
    }
}

impl fmt::Display for Cell<'_> {
    /// The text in CSV; empty for no value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => f.write_str(text),
            Cell::Whole(value) => value.fmt(f),
            Cell::Number(value) => value.fmt(f),
            Cell::Seconds(value) => value.fmt(f),
            Cell::Truth(value) => value.fmt(f),
            Cell::Missing => Ok(()),
        }
    }
}
