//! The conditional parts of a script (`#ifdef FreeBSD`), and its comments. Excluded text becomes blank lines, so that lines
//! keep their numbers.

use std::collections::BTreeSet;

use super::ScriptError;

/// The symbols that are defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(BTreeSet<String>);

impl Symbols {
    /// The symbols `names`.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Symbols {
        Symbols(names.into_iter().map(str::to_owned).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// An `#ifdef` without its end.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The number of its line, from 0.
    at: usize,
    /// True if the text around it is kept.
    is_around: bool,
    /// True if its symbol chooses its current part.
    is_chosen: bool,
}

impl Open {
    fn is_kept(&self) -> bool {
        self.is_around && self.is_chosen
    }
}

/// `text` without comments and without the parts that `symbols` exclude.
pub(super) fn keep(text: &str, symbols: &Symbols) -> Result<String, ScriptError> {
    let text = without_comments(text)?;
    let mut kept = String::with_capacity(text.len());
    let mut open: Vec<Open> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let fault = |what: &str| ScriptError { line: at + 1, what: what.to_owned() };
        let is_around = open.last().is_none_or(Open::is_kept);
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            let mut words = directive.split_whitespace();
            match (words.next(), words.next()) {
                (Some("ifdef"), Some(name)) => {
                    open.push(Open { at, is_around, is_chosen: symbols.has(name) });
                }
                (Some("ifndef"), Some(name)) => {
                    open.push(Open { at, is_around, is_chosen: !symbols.has(name) });
                }
                (Some("else"), None) => {
                    let last = open.last_mut().ok_or_else(|| fault("`#else` without `#ifdef`"))?;
                    last.is_chosen = !last.is_chosen;
                }
                (Some("endif"), None) => {
                    open.pop().ok_or_else(|| fault("`#endif` without `#ifdef`"))?;
                }
                _ => return Err(fault("expected `#ifdef NAME`, `#ifndef NAME`, `#else` or `#endif`")),
            }
        } else if is_around {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    match open.pop() {
        Some(Open { at, .. }) => {
            Err(ScriptError { line: at + 1, what: "`#ifdef` without `#endif`".to_owned() })
        }
        None => Ok(kept),
    }
}

/// `text` with blanks for comments. Text in quotes has none.
fn without_comments(text: &str) -> Result<String, ScriptError> {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or_else(|| ScriptError {
                line: left.matches('\n').count() + 1,
                what: "`/*` without `*/`".to_owned(),
            })?;
            left.extend(rest[..end].chars().filter(|c| *c == '\n'));
            end + 2
        } else {
            let kept = match next {
                '"' | '`' => quoted(rest, next),
                _ => next.len_utf8(),
            };
            left.push_str(&rest[..kept]);
            kept
        };
        rest = &rest[taken..];
    }
    Ok(left)
}

/// The length of the quoted text at the start of `rest`, or of its first line if the quote does not end there.
fn quoted(rest: &str, quote: char) -> usize {
    let Some(end) = rest[1..].find([quote, '\n']) else { return rest.len() };
    if rest.as_bytes()[1 + end] == b'\n' { end + 1 } else { end + 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_for_another_system_is_left_out_and_lines_keep_their_numbers() {
        let text = "a\n#ifdef Linux\nb\n#else\nc // not this\n#endif\n/* nor\nthis */d\n";
        let kept = keep(text, &Symbols::new(["FreeBSD"])).expect("well formed");
        let lines: Vec<&str> = kept.lines().map(str::trim).collect();
        assert_eq!(lines, ["a", "", "", "", "c", "", "", "d"]);
    }

    #[test]
    fn a_condition_that_does_not_end_is_an_error_with_its_line() {
        let error = keep("a\n#ifdef X\n", &Symbols::default()).expect_err("open");
        assert_eq!(error.to_string(), "2: `#ifdef` without `#endif`");
        let error = keep("#else\n", &Symbols::default()).expect_err("closed");
        assert_eq!(error.to_string(), "1: `#else` without `#ifdef`");
    }

    #[test]
    fn quotes_protect_what_looks_like_a_comment() {
        let kept = keep("`sysctl -w a=b//c`\n", &Symbols::default()).expect("well formed");
        assert_eq!(kept, "`sysctl -w a=b//c`\n");
    }
}
