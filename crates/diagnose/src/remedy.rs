//! The remedies that a judge may advise. Programs word them in their own options.

use std::fmt;

use anabranch_base::Duration;
use serde::{Serialize, Serializer};

/// A change that may raise a goodput or shorten a delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another value of a setting.
    Set {
        /// The setting, among those of the `[sctp]` table: `receive_buffer`.
        key: &'static str,
        /// The value, as written in a scenario file.
        value: String,
    },
    /// A longer test.
    MeasureFor(Duration),
    /// A test without a rate, as fast as the paths allow.
    NoRate,
    /// A test of each path alone.
    EachAlone,
    /// A change outside the program, in words.
    Outside(&'static str),
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Set { key, value } => write!(f, "{key} = {value:?}"),
            Remedy::MeasureFor(time) => write!(f, "for {time}"),
            Remedy::NoRate => f.write_str("set no rate"),
            Remedy::EachAlone => f.write_str("a test of each path alone"),
            Remedy::Outside(words) => f.write_str(words),
        }
    }
}

impl Serialize for Remedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Words a remedy in the options of a program.
pub type RemedyWords = fn(&Remedy) -> String;
