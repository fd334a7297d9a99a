//! Shows the line around a fault with a mark under it.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::source::Position;

/// A line, or the part of it that is of interest, and what is marked in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    line: Option<usize>,
    /// Without tabs and control characters.
    text: String,
    /// In columns of a terminal.
    before: usize,
    marked: usize,
}

impl Excerpt {
    /// The line at `position`, marked there for `length` bytes, at most to its end.
    pub fn new(position: &Position<'_>, length: usize) -> Excerpt {
        let line = position.text;
        let start = position.offset.min(line.len());
        let mut end = (start + length).min(line.len());
        while !line.is_char_boundary(end) {
            end += 1;
        }
        let (before, marked, after) = (shown(&line[..start]), shown(&line[start..end]), shown(&line[end..]));
        let (before, marked, after) = match width(&before) + width(&marked) + width(&after) {
            ..=WIDEST => (before, marked, after),
            _ => around(&before, &marked, &after),
        };
        Excerpt {
            line: None,
            before: width(&before),
            marked: width(&marked).max(1),
            text: format!("{before}{marked}{after}"),
        }
    }

    /// With the line's number before it.
    pub fn numbered(mut self, line: usize) -> Excerpt {
        self.line = Some(line);
        self
    }

    /// How wide the numbers' column is.
    pub fn gutter(&self) -> usize {
        self.line.map_or(1, |line| line.to_string().len())
    }

    /// Appends the line and its mark; `gutter` is blank and as wide as the number.
    pub fn write(&self, text: &mut String, gutter: &str, [red, faint, end]: [&str; 3]) {
        let number = self.line.map_or_else(|| gutter.to_owned(), |line| line.to_string());
        let line = self.text.trim_end();
        let bar = format!("{faint}|{end}");
        let space = if line.is_empty() { "" } else { " " };
        let (blank, mark) = (" ".repeat(self.before), "^".repeat(self.marked));
        let _ = write!(text, "\n{gutter} {bar}\n{faint}{number}{end} {bar}{space}{line}");
        let _ = write!(text, "\n{gutter} {bar} {blank}{red}{mark}{end}");
    }
}

/// The columns of an excerpt; longer lines are shown in part.
const WIDEST: usize = 100;

/// The parts of a long line next to what is marked.
fn around(before: &str, marked: &str, after: &str) -> (String, String, String) {
    let marked = first_columns(marked, WIDEST / 2);
    let before = last_columns(before, WIDEST / 3);
    let used = width(&before) + width(&marked);
    (before, marked, first_columns(after, WIDEST.saturating_sub(used)))
}

/// Tabs as blanks, what is not shown as a replacement.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            c if c.is_control() || is_direction(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that change the direction of what follows: the mark would be under something else.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// As much of the beginning as fits `columns`, with a mark where something is left out.
fn first_columns(text: &str, columns: usize) -> String {
    let kept = fitting(text.chars(), columns);
    if kept.len() == text.chars().count() {
        return text.to_owned();
    }
    kept.into_iter().chain(['…']).collect()
}

/// As much of the end as fits.
fn last_columns(text: &str, columns: usize) -> String {
    let kept = fitting(text.chars().rev(), columns);
    if kept.len() == text.chars().count() {
        return text.to_owned();
    }
    ['…'].into_iter().chain(kept.into_iter().rev()).collect()
}

fn fitting(text: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut used = 0;
    text.take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn excerpt(text: &str, start: usize, length: usize) -> String {
        let source = Source::new("a", text);
        let mut shown = String::new();
        Excerpt::new(&source.position(start), length).numbered(7).write(&mut shown, " ", ["", "", ""]);
        shown
    }

    #[test]
    fn the_mark_is_under_what_is_meant() {
        assert_eq!(excerpt("ab = 12", 5, 2), "\n  |\n7 | ab = 12\n  |      ^^");
        assert_eq!(excerpt("\tab = 12", 6, 2), "\n  |\n7 |     ab = 12\n  |          ^^");
        assert_eq!(excerpt("日本 = 12", 9, 2), "\n  |\n7 | 日本 = 12\n  |        ^^");
        assert_eq!(excerpt("ab", 2, 0), "\n  |\n7 | ab\n  |   ^");
        assert_eq!(excerpt("", 0, 9), "\n  |\n7 |\n  | ^");
        assert_eq!(excerpt("a\u{1b}[0m = 1", 7, 1).matches('\u{1b}').count(), 0);
    }

    #[test]
    fn a_mark_ends_with_its_line() {
        assert_eq!(excerpt("ab\ncd", 1, 4), "\n  |\n7 | ab\n  |  ^");
        assert_eq!(excerpt("ab\r\ncd", 2, 1), "\n  |\n7 | ab\n  |   ^");
    }

    #[test]
    fn a_long_line_is_shown_around_the_fault() {
        let shown = excerpt(&format!("{} = 12{}", "a".repeat(5000), " b".repeat(5000)), 5003, 2);
        let line = shown.lines().nth(2).expect("the line");
        assert!(line.starts_with("7 | …a") && line.ends_with('…') && width(line) < 120, "{shown}");
        let marked = shown.lines().nth(3).expect("the mark").find('^').expect("a mark");
        assert_eq!(line.chars().skip(marked).take(2).collect::<String>(), "12", "{shown}");
    }
}
