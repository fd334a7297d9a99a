//! Lines on standard error. On a terminal they are broken between words, not where the terminal ends; in a file and on a
//! pipe a message is one line, as scripts expect.

use std::io;

/// Writes `line` to standard error.
pub fn tell(line: &str) {
    eprintln!("{}", fitted(line, ""));
}

/// `line` as it fits the terminal behind `indent`; what does not fit goes on below, two columns further in.
pub fn fitted(line: &str, indent: &str) -> String {
    match terminal_size::terminal_size_of(io::stderr()) {
        Some((width, _)) => broken(line, indent, usize::from(width.0)),
        None => format!("{indent}{line}"),
    }
}

fn broken(line: &str, indent: &str, width: usize) -> String {
    let below = format!("{indent}  ");
    let options = textwrap::Options::new(width)
        .initial_indent(indent)
        .subsequent_indent(&below)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_between_words_alone() {
        let line = "192.168.100.100 → 203.0.113.100:9899: port closed, nothing listens there (refused)";
        assert_eq!(
            broken(line, "  ", 60),
            "  192.168.100.100 → 203.0.113.100:9899: port closed, nothing\n    listens there (refused)"
        );
        assert_eq!(broken("2001:db8::1:9899,2001:db8::2:9899", "", 10), "2001:db8::1:9899,2001:db8::2:9899");
        assert_eq!(broken("short", "  ", 80), "  short");
    }
}
