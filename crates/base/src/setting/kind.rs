//! The kinds of setting values, with their bounds. The text format of a value belongs to its reader.

use crate::{BitRate, ByteCount, Duration};

/// The values that a setting accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A whole number within these bounds, both included.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number from 0 to 1.
    Probability,
    /// A number with a lower bound.
    Number {
        /// The smallest.
        least: f64,
    },
    /// A number of bytes within these bounds, both included.
    Size {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number of bytes, or the initial and the largest size of a growing one: `1 MiB..16 MiB`.
    SizeOrRange {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A span of time with a lower bound.
    Span {
        /// The least: zero, or a nanosecond for positive spans.
        least: Duration,
    },
    /// A rate with a lower bound.
    Rate {
        /// The least: zero, or one bit a second for positive rates.
        least: BitRate,
    },
    /// A distance, or a coordinate.
    Distance,
    /// A speed.
    Speed,
    /// One of these words.
    Word(Words),
    /// The name of a policy of this kind in a registry.
    Policy(&'static str),
    /// One of these words, or a value of this kind.
    WordOr(&'static [&'static str], &'static Kind),
    /// A number of packets, or of bytes: `100 packets`.
    PacketsOrSize,
    /// Disjoint periods in order, each from a time to a later one.
    Periods,
    /// A list of values.
    List {
        /// The kind of its values.
        each: &'static Kind,
        /// An example of such a list.
        example: &'static str,
    },
    /// Values with a special syntax, which this describes: the setting is read and written by its key.
    Shaped(&'static str),
    /// A list of values of the first kind, or a value of the second.
    ListOr(&'static Kind, &'static Kind),
    /// A planned key: no value can be set yet.
    NotBuilt,
}

/// The words of a setting.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The name of the choice in a sentence: `burst rule`.
    pub what: &'static str,
    /// The words that can be set.
    pub built: fn() -> Vec<&'static str>,
    /// The planned words.
    pub planned: &'static [&'static str],
}

/// A choice between a few values, each with its word.
pub trait Named: Copy + PartialEq + 'static {
    /// The name of the choice in a sentence: `burst rule`.
    const WHAT: &'static str;
    /// Every value with its word.
    const NAMES: &'static [(&'static str, Self)];
    /// The planned words.
    const PLANNED: &'static [&'static str] = &[];
    /// The kind of a setting of this type.
    const KIND: Kind = Kind::Word(Words { what: Self::WHAT, built: Self::words, planned: Self::PLANNED });

    /// The words, in order.
    fn words() -> Vec<&'static str> {
        Self::NAMES.iter().map(|(word, _)| *word).collect()
    }

    /// The value's word; empty for a value that has none.
    fn word(self) -> &'static str {
        Self::NAMES.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    /// The value of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

impl Kind {
    /// Any span of time.
    pub const ANY_SPAN: Kind = Kind::Span { least: Duration::ZERO };
    /// A positive span of time.
    pub const SOME_SPAN: Kind = Kind::Span { least: Duration::from_nanos(1) };
    /// Any rate.
    pub const ANY_RATE: Kind = Kind::Rate { least: BitRate::from_bits_per_second(0) };
    /// A positive rate.
    pub const SOME_RATE: Kind = Kind::Rate { least: BitRate::from_bits_per_second(1) };
    /// A positive size.
    pub const SOME_SIZE: Kind = Kind::Size { least: 1, most: ByteCount::MAX.get() };
}
