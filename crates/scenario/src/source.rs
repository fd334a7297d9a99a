//! The text of a scenario and its name, with lines and columns.

/// A scenario as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name in errors: a file's name, or `<stdin>`.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// A text and its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// The place of the byte at `offset`.
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
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The line, without what ends it.
    pub text: &'t str,
    /// The place in `text`, in bytes; at the end of the line, its length.
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
    fn a_byte_order_mark_does_not_count_as_a_column() {
        assert_eq!(at("\u{feff}ab", 4), (1, 2));
        assert_eq!(at("\u{feff}ab\ncd", 7), (2, 2));
        assert_eq!(Source::new("a", "\u{feff}ab").position(0).text, "ab");
    }
}
