//! Tables as text.

use anabranch_base::Duration;
use anabranch_net::PathState;

/// Lines of cells: the first `texts` of each to the left, numbers to the right.
pub(crate) fn lay_out(rows: &[Vec<String>], texts: usize) -> String {
    lay_out_apart(rows, texts, GAP)
}

/// The same with lines of at most 80 characters: columns in which every row has nothing go, then what is between columns,
/// then those that are called as in `optional`, in that order, as far as it takes; at last the longest names lose their
/// middle.
pub(crate) fn lay_out_narrow(rows: &[Vec<String>], texts: usize, optional: &[&str]) -> String {
    let mut rows = without_columns(rows, |column| {
        let mut cells = rows.iter().skip(1).filter_map(|row| row.get(column)).peekable();
        column >= texts && cells.peek().is_some() && cells.all(|cell| is_nothing(cell))
    });
    let (mut texts, mut optional) = (texts, optional.iter());
    loop {
        let fitting = [GAP, NARROW_GAP]
            .map(|gap| lay_out_apart(&rows, texts, gap))
            .into_iter()
            .find(|text| is_fitting(text));
        if let Some(text) = fitting {
            return text;
        }
        let Some(word) = optional.next() else { return shortened(rows, texts) };
        let heads = rows.first().cloned().unwrap_or_default();
        let is_dropped = |column: usize| heads.get(column).is_some_and(|head| head == word);
        texts -= (0..texts.min(heads.len())).filter(|column| is_dropped(*column)).count();
        rows = without_columns(&rows, is_dropped);
    }
}

/// With names cut in their middle, so far that lines fit; never so far that nothing of a name is left.
fn shortened(mut rows: Vec<Vec<String>>, texts: usize) -> String {
    loop {
        let text = lay_out_apart(&rows, texts, NARROW_GAP);
        let names = (0..texts).map(|column| (widest(&rows, column), column));
        let Some((width, column)) = names.max().filter(|(width, _)| *width > SHORTEST_NAME) else {
            return text;
        };
        if is_fitting(&text) {
            return text;
        }
        for row in &mut rows {
            if let Some(cell) = row.get_mut(column) {
                *cell = without_middle(cell, width - 1);
            }
        }
    }
}

/// `a-long-name` as `a-lo…ame`, `width` characters wide.
fn without_middle(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        return name.to_owned();
    }
    // What was cut before counts for one character again.
    let (left, right) = (width.div_ceil(2).saturating_sub(1), width / 2);
    let end: String = name.chars().skip(count - right).collect();
    format!("{}…{end}", name.chars().take(left).collect::<String>())
}

fn lay_out_apart(rows: &[Vec<String>], texts: usize, gap: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|column| widest(rows, column)).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < texts { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(padded.collect::<Vec<_>>().join(gap).trim_end());
        text.push('\n');
    }
    text
}

fn widest(rows: &[Vec<String>], column: usize) -> usize {
    rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

fn is_fitting(text: &str) -> bool {
    text.lines().all(|line| line.chars().count() <= WIDTH)
}

/// The text with sentences broken before [`WIDTH`]; an item of a list goes on below its first word. Columns stay as they are.
pub(crate) fn wrapped(text: &str) -> String {
    let line = |line: &str| {
        let is_short = line.chars().count() <= WIDTH;
        if is_short || line.contains("  ") {
            return line.to_owned();
        }
        let indent = if line.starts_with("- ") { "  " } else { "" };
        // A unit such as Mbit/s is one word.
        let options = textwrap::Options::new(WIDTH)
            .subsequent_indent(indent)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace);
        textwrap::fill(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn without_columns(rows: &[Vec<String>], is_unwanted: impl Fn(usize) -> bool) -> Vec<Vec<String>> {
    let wanted = |row: &Vec<String>| {
        let cells = row.iter().enumerate().filter(|(column, _)| !is_unwanted(*column));
        cells.map(|(_, cell)| cell.clone()).collect()
    };
    rows.iter().map(wanted).collect()
}

/// Returns true if a cell says that there was nothing.
fn is_nothing(cell: &str) -> bool {
    matches!(cell, "" | "-" | "0" | "0 %" | "0.0 %" | "0 B")
}

/// The columns that may go, in their order: states first where they say nothing.
pub(crate) fn optional_columns<'a>(
    mut states: impl Iterator<Item = &'a str>,
    others: &[&'static str],
) -> Vec<&'static str> {
    let ordinary = PathState::Active.name();
    let state = states.all(|state| state == ordinary).then_some("state");
    let (first, rest) = others.split_at(1.min(others.len()));
    first.iter().copied().chain(state).chain(rest.iter().copied()).collect()
}

/// `12.3 ms`.
pub(crate) fn milliseconds(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1e3)
}

/// The columns of a terminal of the usual width.
pub(crate) const WIDTH: usize = 80;
/// The gap between two columns, and the one where they must be close.
const GAP: &str = "   ";
const NARROW_GAP: &str = "  ";
/// A name of so few characters is not cut.
const SHORTEST_NAME: usize = 9;

/// A row of words.
pub(crate) fn head<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_nothing_go_and_then_the_optional_ones_until_a_line_fits() {
        let long = "x".repeat(62);
        let rows = [head(["path", "none", "share", "rate"]), head([&long, "0", "67 %", "19.0 Mbit/s"])];
        let text = lay_out_narrow(&rows, 1, &["share"]);
        assert!(text.starts_with("path ") && text.contains("rate") && !text.contains("none"), "{text}");
        assert!(!text.contains("share") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let short = [head(["path", "none", "share"]), head(["a", "0", "67 %"]), head(["b", "1", "33 %"])];
        assert_eq!(lay_out_narrow(&short, 1, &["share"]), lay_out(&short, 1), "one row has something");
    }

    #[test]
    fn a_name_that_leaves_no_room_loses_its_middle_and_no_column_its_numbers() {
        let long = format!("2001:db8:{} → 2001:db8::1:7000", "abcd:".repeat(12));
        let rows =
            [head(["path", "state", "rate"]), head([&long, "active", "19.0 Mbit/s"]), head(["b", "c", "1"])];
        let text = lay_out_narrow(&rows, 2, &[]);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("…") && text.contains("::1:7000") && text.contains("19.0 Mbit/s"), "{text}");
        assert_eq!(without_middle("a-long-name", 8), "a-l…name");
    }

    #[test]
    fn the_gap_narrows_before_a_column_goes_and_texts_may_go_too() {
        let wide = "x".repeat(50);
        let rows = [head(["path", "state", "share", "rate"]), head([&wide, "active", "67 %", "19.0 Mbit/s"])];
        let text = lay_out_narrow(&rows, 2, &["share"]);
        assert!(text.contains("share") && text.contains("active  "), "{text}");
        let wider = "x".repeat(56);
        let rows = [head(["path", "state", "share", "rate"]), head([&wider, "active", "67 %", "1 Mbit/s"])];
        let text = lay_out_narrow(&rows, 2, &["state"]);
        assert!(!text.contains("active") && text.contains(&format!("{wider}   ")), "{text}");
        assert!(
            text.lines().next().is_some_and(|head| head.ends_with("    rate")),
            "numbers stay right: {text}"
        );
    }

    #[test]
    fn sentences_are_broken_between_words_and_columns_are_not() {
        let sentence = format!("- {}", "one more word ".repeat(10));
        let text = wrapped(sentence.trim_end());
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(
            text.lines().skip(1).all(|line| line.starts_with("  one")
                || line.starts_with("  more")
                || line.starts_with("  word")),
            "{text}"
        );
        let columns = format!("a{}b", " ".repeat(90));
        assert_eq!(wrapped(&columns), columns);
        assert_eq!(wrapped("short\n\nshort"), "short\n\nshort");
        let unit = format!("{} 12.34 Mbit/s and more", "x".repeat(68));
        assert!(wrapped(&unit).contains("\nMbit/s"), "a unit is one word: {}", wrapped(&unit));
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = lay_out(&[head(["path", "n", "m"]), head(["a > b", "10", "7"])], 1);
        assert_eq!(text, "path     n   m\na > b   10   7\n");
    }
}
