//! A cell of a table: written as text for CSV, and as a value of its kind for tables in memory.

use std::borrow::Cow;
use std::fmt;

use anabranch_base::{BitRate, ByteCount};

use crate::words::Seconds;

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A name or a word.
    Text(Cow<'a, str>),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A moment or a span, in seconds.
    Seconds(Seconds),
    /// True if it is so.
    Truth(bool),
    /// No value.
    Missing,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Names or words, few of them and often repeated.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers; seconds among them.
    Number,
    /// Truth values.
    Truth,
}

impl<'a> Cell<'a> {
    /// A name or a word; an empty one is no value.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
        let text = text.into();
        if text.is_empty() { Cell::Missing } else { Cell::Text(text) }
    }

    /// A moment or a span.
    pub fn seconds(span: impl Into<Seconds>) -> Cell<'a> {
        Cell::Seconds(span.into())
    }

    /// A count of bytes.
    pub fn bytes(count: ByteCount) -> Cell<'a> {
        Cell::Whole(count.get())
    }

    /// A rate in bits a second.
    pub fn rate(rate: BitRate) -> Cell<'a> {
        Cell::Whole(rate.bits_per_second())
    }

    /// The value where there is one.
    pub fn some<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'a>) -> Cell<'a> {
        value.map_or(Cell::Missing, cell)
    }
}

impl fmt::Display for Cell<'_> {
    /// As CSV has it: nothing for no value.
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
