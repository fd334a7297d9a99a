//! Pieces of scenario files for programs that write them: strings, lists of steps, comments.

use std::fmt::Write as _;

/// A basic string; characters that would end it or move a cursor are escaped.
pub fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// `{ steps = […] }`, a few steps a line.
pub fn steps(pairs: &[(String, String)]) -> String {
    let mut text = String::from("{ steps = [");
    let mut width = MOST_COLUMNS;
    for (at, value) in pairs {
        let pair = format!("[{}, {}],", string(at), string(value));
        if width + pair.len() + 1 > MOST_COLUMNS {
            text.push_str("\n   ");
            width = 3;
        }
        width += pair.len() + 1;
        let _ = write!(text, " {pair}");
    }
    text + "\n] }"
}

/// A comment on as many lines as needed, each beginning with `lead`, the first with `first`.
pub fn comment(first: &str, lead: &str, text: &str) -> String {
    let mut lines = String::new();
    let mut line = format!("# {first}");
    let begun = line.len();
    let mut fresh = begun;
    let plain: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    for word in plain.split(' ') {
        if line.len() > fresh && line.chars().count() + 1 + word.chars().count() > MOST_COLUMNS {
            let _ = writeln!(lines, "{}", line.trim_end());
            line = format!("# {lead}");
            fresh = line.len();
        }
        if line.len() > fresh {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(lines, "{}", line.trim_end());
    lines
}

const MOST_COLUMNS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_cannot_be_left_from_within() {
        assert_eq!(string("a\"b\\c\n"), "\"a\\\"b\\\\c\\U0000000A\"");
    }

    #[test]
    fn comments_stay_comments() {
        let told = comment("loss  ", "      ", "a\nb = 1");
        assert_eq!(told, "# loss  a\u{fffd}b = 1\n");
        let long = comment("  ", "    ", &"word ".repeat(60));
        assert!(
            long.lines().count() > 2 && long.lines().all(|line| line.starts_with("# ") && line.len() <= 100)
        );
    }
}
