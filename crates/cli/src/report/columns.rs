//! Tables as text.

/// Lines of cells: the first `texts` of each to the left, numbers to the right.
pub fn lay_out(rows: &[Vec<String>], texts: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < texts { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(padded.collect::<Vec<_>>().join("   ").trim_end());
        text.push('\n');
    }
    text
}

/// The same with lines of at most 80 characters: columns in which every row has nothing go, then those that are called as in
/// `optional`, in that order, as far as it takes.
pub fn lay_out_narrow(rows: &[Vec<String>], texts: usize, optional: &[&str]) -> String {
    let mut rows = without_columns(rows, |column| {
        let mut cells = rows.iter().skip(1).filter_map(|row| row.get(column)).peekable();
        column >= texts && cells.peek().is_some() && cells.all(|cell| is_nothing(cell))
    });
    let mut optional = optional.iter();
    loop {
        let text = lay_out(&rows, texts);
        if text.lines().all(|line| line.chars().count() <= WIDTH) {
            return text;
        }
        let Some(word) = optional.next() else { return text.replace("   ", "  ") };
        let heads = rows.first().cloned().unwrap_or_default();
        rows = without_columns(&rows, |column| heads.get(column).is_some_and(|head| head == word));
    }
}

/// The text with sentences broken before [`WIDTH`]; an item of a list goes on below its first word. Columns stay as they are.
pub fn wrapped(text: &str) -> String {
    let line = |line: &str| {
        let is_short = line.chars().count() <= WIDTH;
        if is_short || line.contains("  ") {
            return line.to_owned();
        }
        let indent = if line.starts_with("- ") { "  " } else { "" };
        let options = textwrap::Options::new(WIDTH).subsequent_indent(indent).break_words(false);
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

/// Whether a cell says that there was nothing.
fn is_nothing(cell: &str) -> bool {
    matches!(cell, "" | "-" | "0" | "0 %" | "0.0 %" | "0 B")
}

/// The columns of a terminal that nobody made wider.
const WIDTH: usize = 80;

/// A row of words.
pub fn head<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_nothing_go_and_then_the_optional_ones_until_a_line_fits() {
        let long = "x".repeat(60);
        let rows = [head(["path", "none", "share", "rate"]), head([&long, "0", "67 %", "19.0 Mbit/s"])];
        let text = lay_out_narrow(&rows, 1, &["share"]);
        assert!(text.starts_with("path ") && text.contains("rate") && !text.contains("none"), "{text}");
        assert!(!text.contains("share") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let short = [head(["path", "none", "share"]), head(["a", "0", "67 %"]), head(["b", "1", "33 %"])];
        assert_eq!(lay_out_narrow(&short, 1, &["share"]), lay_out(&short, 1), "one row has something");
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
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = lay_out(&[head(["path", "n", "m"]), head(["a > b", "10", "7"])], 1);
        assert_eq!(text, "path     n   m\na > b   10   7\n");
    }
}
