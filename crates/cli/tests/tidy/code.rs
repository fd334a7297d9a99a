//! Rust source as tokens, without comments, strings and characters.

/// A word, a `::`, or one other character of the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token<'a> {
    /// The line it stands in, from 1.
    pub line: usize,
    /// The token itself.
    pub text: &'a str,
}

/// The source with comments, strings and characters replaced by blanks, line for line.
pub(crate) fn only_code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let after_word = code.ends_with(is_word);
        if let Some(length) = not_code(rest, after_word) {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[length..];
        } else {
            code.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    code
}

/// The tokens of what [`only_code`] left.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    code.lines().enumerate().flat_map(|(index, text)| tokens_of_line(index + 1, text)).collect()
}

fn tokens_of_line(line: usize, mut rest: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    while let Some(next) = rest.chars().next() {
        let length = match next {
            ':' if rest.starts_with("::") => 2,
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        if !next.is_whitespace() {
            tokens.push(Token { line, text: &rest[..length] });
        }
        rest = &rest[length..];
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of bytes at the start of `rest` that are not code; `None` where code goes on.
fn not_code(rest: &str, after_word: bool) -> Option<usize> {
    let raw = if after_word { None } else { raw_string(rest) };
    line_comment(rest)
        .or_else(|| block_comment(rest))
        .or(raw)
        .or_else(|| string(rest))
        .or_else(|| character(rest))
}

fn line_comment(rest: &str) -> Option<usize> {
    rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// Block comments nest.
fn block_comment(rest: &str) -> Option<usize> {
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    Some(rest.len())
}

fn raw_string(rest: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| rest.starts_with(prefix))?;
    let hashes = rest[prefix.len()..].bytes().take_while(|byte| *byte == b'#').count();
    let opening = prefix.len() + hashes;
    let content = rest[opening..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&closing).map_or(content.len(), |at| at + closing.len());
    Some(opening + 1 + length)
}

fn string(rest: &str) -> Option<usize> {
    let content = rest.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in content.char_indices() {
        match c {
            '"' if !escaped => return Some(at + 2),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Some(rest.len())
}

/// A lifetime is not a character: no quote closes it.
fn character(rest: &str) -> Option<usize> {
    let content = rest.strip_prefix('\'')?;
    if let Some(escape) = content.strip_prefix('\\') {
        let first = escape.chars().next()?.len_utf8();
        return escape[first..].find('\'').map(|at| 1 + 1 + first + at + 1);
    }
    let length = content.chars().next()?.len_utf8();
    content[length..].starts_with('\'').then_some(1 + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        tokens(&only_code(source)).iter().map(|token| token.text.to_owned()).collect()
    }

    #[test]
    fn comments_are_not_code() {
        assert_eq!(words("a // use crate::b\nc"), ["a", "c"]);
        assert_eq!(words("/// [`crate::b`]\nc"), ["c"]);
        assert_eq!(words("a /* x /* y */ z */ b"), ["a", "b"]);
        assert!(words("/* never closed").is_empty());
    }

    #[test]
    fn strings_are_not_code() {
        assert_eq!(words(r#"a "b \" c" d"#), ["a", "d"]);
        assert_eq!(words(r####"a r##"b "# c"## d"####), ["a", "d"]);
        assert_eq!(words(r#"for"b" r"\" d"#), ["for", "d"]);
        assert_eq!(words("a \"// b\" c"), ["a", "c"]);
        assert_eq!(words("a \"ends \\\\\" c"), ["a", "c"]);
    }

    #[test]
    fn characters_are_not_code_but_lifetimes_are() {
        assert_eq!(words(r"a '{' '\'' '\u{1F600}' '→' b"), ["a", "b"]);
        assert_eq!(words("&'a str"), ["&", "'", "a", "str"]);
        assert_eq!(words("<'a, 'b>"), ["<", "'", "a", ",", "'", "b", ">"]);
    }

    #[test]
    fn what_is_blanked_keeps_its_lines() {
        let code = only_code("\"one\ntwo\" /* three\n */ four");
        assert_eq!(tokens(&code), [Token { line: 3, text: "four" }]);
    }

    #[test]
    fn a_path_is_words_and_double_colons() {
        assert_eq!(
            words("use crate::a::{b, c};"),
            ["use", "crate", "::", "a", "::", "{", "b", ",", "c", "}", ";"]
        );
    }
}
