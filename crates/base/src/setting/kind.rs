//! The kinds of values that settings take, with their bounds. How a value is written is the reader's matter.

use crate::{BitRate, ByteCount, Duration};

/// Which values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A whole number within these bounds, both included.
    Whole {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number from 0 to 1.
    Probability,
    /// A number of at least this.
    Number {
        /// The least.
        least: f64,
    },
    /// A number of bytes within these bounds, both included.
    Size {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number of bytes, or the first and the last of one that grows: `1 MiB..16 MiB`.
    SizeOrRange {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A span of time of at least this.
    Span {
        /// The least: zero, or the nanosecond that makes it more than nothing.
        least: Duration,
    },
    /// A rate of at least this.
    Rate {
        /// The least: zero, or the bit a second that makes it more than nothing.
        least: BitRate,
    },
    /// A distance, or a coordinate.
    Distance,
    /// A speed.
    Speed,
    /// One of these words.
    Word(Words),
    /// The name of a policy: of those that a registry has of this kind.
    Policy(&'static str),
    /// One of these words, or a value of this kind.
    WordOr(&'static [&'static str], &'static Kind),
    /// A number of packets, or of bytes: `100 packets`.
    PacketsOrSize,
    /// Spans of time in order, apart from one another, each from a moment to a later one.
    Periods,
    /// A list of values.
    List {
        /// Of this kind.
        each: &'static Kind,
        /// What one may look like.
        example: &'static str,
    },
    /// Values with a syntax of their own, which this describes: the setting is read and shown by its key.
    Shaped(&'static str),
    /// A list of values of the first kind, or a value of the second.
    ListOr(&'static Kind, &'static Kind),
    /// A key that is known and not built yet: no value can be set.
    NotBuilt,
}

/// The words of a setting.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What they choose, as a sentence has it: `burst rule`.
    pub what: &'static str,
    /// Those that can be set.
    pub built: fn() -> Vec<&'static str>,
    /// Those that are known and not built yet.
    pub planned: &'static [&'static str],
}

/// A choice between a few values, each with the word that users write.
pub trait Named: Copy + PartialEq + 'static {
    /// What is chosen, as a sentence has it: `burst rule`.
    const WHAT: &'static str;
    /// Every value with its word.
    const NAMES: &'static [(&'static str, Self)];
    /// Words that are known and not built yet.
    const PLANNED: &'static [&'static str] = &[];
    /// The kind of a setting that chooses.
    const KIND: Kind = Kind::Word(Words { what: Self::WHAT, built: Self::words, planned: Self::PLANNED });

    /// The words, in order.
    fn words() -> Vec<&'static str> {
        Self::NAMES.iter().map(|(word, _)| *word).collect()
    }

    /// The value's word; empty for a value that has none.
    fn word(self) -> &'static str {
        Self::NAMES.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    /// The value that a word stands for.
    fn of_word(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

impl Kind {
    /// Any span of time.
    pub const ANY_SPAN: Kind = Kind::Span { least: Duration::ZERO };
    /// A span of time that is more than nothing.
    pub const SOME_SPAN: Kind = Kind::Span { least: Duration::from_nanos(1) };
    /// Any rate.
    pub const ANY_RATE: Kind = Kind::Rate { least: BitRate::from_bits_per_second(0) };
    /// A rate that is more than nothing.
    pub const SOME_RATE: Kind = Kind::Rate { least: BitRate::from_bits_per_second(1) };
    /// A size that is more than nothing.
    pub const SOME_SIZE: Kind = Kind::Size { least: 1, most: ByteCount::MAX.get() };
}
