//! The text of a scenario and its name, with lines and columns.

use crate::error::ScenarioError;
use crate::fault::Fault;
use crate::tree::{Span, TextOrigin};

/// A scenario as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is called in errors: a file's name, or `<stdin>`.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl Source {
    /// A text and its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// A text that may not be one.
    ///
    /// # Errors
    /// The place of the first byte that is not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Result<Source, ScenarioError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => {
                let good = error.valid_up_to();
                let byte = bytes.get(good).copied().unwrap_or_default();
                let source = Source::new(name, String::from_utf8_lossy(bytes));
                let span = Span { origin: TextOrigin::File, start: good, end: good + '\u{fffd}'.len_utf8() };
                let fault = Fault::syntax(span, format!("the byte {byte:#04x} is not UTF-8"));
                Err(fault.expected("a text in UTF-8, as every TOML file is").shown(&source, &[]))
            }
        }
    }

    /// Where the byte at `offset` stands.
    pub(crate) fn position(&self, offset: usize) -> Position<'_> {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at);
        let line = &self.text[start..end];
        // A byte order mark does not count as a column.
        let mark = if start == 0 && line.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        Position {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().skip_while(|c| *c == MARK && start == 0).count() + 1,
            text: line[mark..].trim_end_matches('\r'),
            offset: (offset - start).saturating_sub(mark),
        }
    }
}

/// A place in a text, and the line around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Position<'t> {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The line, without what ends it.
    pub text: &'t str,
    /// Where in `text` the place is, in bytes; its length at the end of the line.
    pub offset: usize,
}

const MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let source = Source::new("a", text);
        let position = source.position(offset);
        (position.line, position.column)
    }

    #[test]
    fn columns_count_characters_from_one() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("ab\ncd", 4), (2, 2));
        assert_eq!(at("→→x", 6), (1, 3));
        assert_eq!(at("\ta", 1), (1, 2));
        assert_eq!(at("ab\n", 3), (2, 1));
        assert_eq!(at("ab", 99), (1, 3));
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        assert_eq!(at("\u{feff}ab", 4), (1, 2));
        assert_eq!(at("\u{feff}ab\ncd", 7), (2, 2));
        assert_eq!(Source::new("a", "\u{feff}ab").position(0).text, "ab");
    }

    #[test]
    fn what_is_not_utf_8_is_shown_where_it_is() {
        let error = Source::from_bytes("a.toml", b"x = 1\ny = \xff\n").expect_err("no text");
        assert!(error.to_string().starts_with("a.toml:2:5: the byte 0xff is not UTF-8\n"), "{error}");
    }
}
