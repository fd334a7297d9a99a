//! A fault in a recording with its place, found while reading.

use std::ops::Range;

use anabranch_scenario::{ScenarioError, Source};

/// The result of reading.
pub(crate) type Read<T> = Result<T, Fault>;

/// A fault at some bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    at: Range<usize>,
    message: String,
    expected: Option<String>,
}

impl Fault {
    /// A fault at these bytes.
    pub(crate) fn at(at: Range<usize>, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into(), expected: None }
    }

    /// Adds the expected value.
    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Fault {
        self.expected = Some(expected.into());
        self
    }

    /// Makes the error for users.
    pub(crate) fn in_file(self, source: &Source) -> ScenarioError {
        ScenarioError::in_trace(source, self.at, self.message, self.expected.as_deref())
    }
}

/// A piece of a file in quotes, short and on one line.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let short: String = text.chars().take(MOST).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{more}")
}
