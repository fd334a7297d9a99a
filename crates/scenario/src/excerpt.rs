//! The line around a fault with a mark under it, and the remarks below, drawn by `annotate-snippets`.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::Position;

/// A line with a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line's number, from 1; `None` for a setting of the command line.
    line: Option<usize>,
    text: String,
    /// The marked bytes of the text.
    marked: Range<usize>,
}

/// The style of a drawn error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

impl Style {
    /// The escape sequences that begin and end bold text.
    pub fn bold(self) -> [&'static str; 2] {
        match self {
            Style::Plain => ["", ""],
            Style::Coloured => ["\x1b[1m", "\x1b[0m"],
        }
    }
}

impl Excerpt {
    /// The line at `position`, marked there for `length` bytes, at most to its end.
    pub(crate) fn new(position: &Position<'_>, length: usize) -> Excerpt {
        Excerpt::of_line(position.text, position.offset..position.offset + length)
    }

    /// A line with the marked bytes, at most to its end.
    pub fn of_line(line: &str, marked: Range<usize>) -> Excerpt {
        let start = line.floor_char_boundary(marked.start);
        let end = line.ceil_char_boundary(marked.end.max(start));
        let [before, marked, after] = [&line[..start], &line[start..end], &line[end..]].map(shown);
        let marked_bytes = before.len()..before.len() + marked.len();
        Excerpt { line: None, text: before + &marked + &after, marked: marked_bytes }
    }

    /// Adds the line's number.
    pub(crate) fn numbered(mut self, line: usize) -> Excerpt {
        self.line = Some(line);
        self
    }

    /// The line, its mark and the remarks, within a terminal of this many columns.
    pub fn draw(&self, remarks: &[String], style: Style, columns: usize) -> String {
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Coloured => Renderer::styled(),
        };
        let mark = AnnotationKind::Primary.span(self.marked.clone());
        let snippet = Snippet::source(self.text.as_str()).annotation(mark);
        let snippet = match self.line {
            Some(line) => snippet.line_start(line),
            None => snippet.line_numbering(false),
        };
        let remarks = remarks.iter().map(|remark| Level::HELP.no_name().message(remark.as_str()));
        let group = Group::with_level(Level::ERROR).element(snippet).elements(remarks);
        renderer.term_width(columns).render(&[group])
    }
}

/// Replaces what the renderer would pass on although it moves the cursor or changes the direction of text: the mark
/// would stand under the wrong column.
fn shown(text: &str) -> String {
    let is_hidden = |c: char| matches!(c, '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{feff}');
    text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn excerpt(text: &str, start: usize, length: usize) -> String {
        let source = Source::new("a", text);
        Excerpt::new(&source.position(start), length).numbered(7).draw(&[], Style::Plain, 80)
    }

    #[test]
    fn the_mark_is_under_what_is_meant() {
        assert_eq!(excerpt("ab = 12", 5, 2), "  |\n7 | ab = 12\n  |      ^^");
        assert_eq!(excerpt("\tab = 12", 6, 2), "  |\n7 |     ab = 12\n  |          ^^");
        assert_eq!(excerpt("日本 = 12", 9, 2), "  |\n7 | 日本 = 12\n  |        ^^");
        assert_eq!(excerpt("ab", 2, 0), "  |\n7 | ab\n  |   ^");
        assert_eq!(excerpt("", 0, 9), "  |\n7 |\n  | ^");
        let hidden = excerpt("a\u{1b}[0m\u{85}\u{200f} = 1", 7, 1);
        assert!(!hidden.contains(|c: char| c != '\n' && c.is_control() || c == '\u{200f}'), "{hidden:?}");
    }

    #[test]
    fn a_mark_ends_with_its_line() {
        assert_eq!(excerpt("ab\ncd", 1, 4), "  |\n7 | ab\n  |  ^");
        assert_eq!(excerpt("ab\r\ncd", 2, 1), "  |\n7 | ab\n  |   ^");
    }

    #[test]
    fn a_long_line_is_shown_around_the_fault_within_the_terminal() {
        let source = Source::new("a", format!("{} = 12{}", "a".repeat(5000), " b".repeat(5000)));
        for columns in [40, 80, 200] {
            let shown = Excerpt::new(&source.position(5003), 2).numbered(7).draw(&[], Style::Plain, columns);
            let line = shown.lines().nth(1).expect("the line");
            assert!(line.chars().count() <= columns, "{columns}: {shown}");
            let marked = shown.lines().nth(2).expect("the mark").find('^').expect("a mark");
            assert_eq!(line.chars().skip(marked).take(2).collect::<String>(), "12", "{shown}");
        }
    }

    #[test]
    fn remarks_stand_below_the_line() {
        let source = Source::new("a", "dealy = 1");
        let remarks = ["did you mean `delay`?".to_owned(), "expected a time".to_owned()];
        let shown = Excerpt::new(&source.position(0), 5).draw(&remarks, Style::Plain, 80);
        assert_eq!(shown, " |\n | dealy = 1\n | ^^^^^\n |\n = did you mean `delay`?\n = expected a time");
    }
}
