//! The words of a script.

use std::net::Ipv6Addr;

use super::ScriptError;

/// A word and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) word: Word,
}

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A name: `INIT_ACK`, `frag_needed`, `IPv4`.
    Name(String),
    /// A number as it is written: `12`, `0x1F`, `0.25`, `192.0.2.1`, `2001:db8::1`.
    Number(String),
    /// `"text"`.
    Text(String),
    /// `` `command` ``.
    Command(String),
    /// `...`.
    Dots,
    /// Any other character.
    Sign(char),
}

/// An error at `line`.
pub(crate) fn at_line(line: usize, what: impl Into<String>) -> ScriptError {
    ScriptError { line, what: what.into() }
}

/// The words of `text`.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ScriptError> {
    let mut tokens = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut rest = line;
        loop {
            let trimmed = rest.trim_start();
            let Some(first) = trimmed.chars().next() else { break };
            let (word, len) = word(trimmed, first).map_err(|what| at_line(at + 1, what))?;
            tokens.push(Token { line: at + 1, word });
            rest = &trimmed[len..];
        }
    }
    Ok(tokens)
}

/// The word at the start of `rest`, and its length.
fn word(rest: &str, first: char) -> Result<(Word, usize), String> {
    let run = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
    let address = run(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    if rest[..address].parse::<Ipv6Addr>().is_ok() {
        return Ok((Word::Number(rest[..address].to_owned()), address));
    }
    if rest.starts_with("...") {
        return Ok((Word::Dots, 3));
    }
    Ok(match first {
        'a'..='z' | 'A'..='Z' | '_' => {
            let len = run(|c| c.is_ascii_alphanumeric() || c == '_');
            (Word::Name(rest[..len].to_owned()), len)
        }
        '0'..='9' => {
            let len = number_len(rest);
            (Word::Number(rest[..len].to_owned()), len)
        }
        '"' | '`' => {
            let end = rest[1..].find(first).ok_or_else(|| format!("{first} without its other end"))?;
            let text = rest[1..=end].to_owned();
            (if first == '"' { Word::Text(text) } else { Word::Command(text) }, end + 2)
        }
        sign => (Word::Sign(sign), sign.len_utf8()),
    })
}

/// The length of the number at the start of `rest`: digits with single dots between them, and hexadecimal digits.
fn number_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    let mut len = if is_hex { 2 } else { 1 };
    while let Some(byte) = bytes.get(len) {
        let is_digit = if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let is_dot = *byte == b'.' && !is_hex && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
        if !is_digit && !is_dot {
            break;
        }
        len += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        tokens(text).expect("readable").into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn a_time_ends_before_dots() {
        let number = |text: &str| Word::Number(text.to_owned());
        assert_eq!(words("0.0...0.1"), [number("0.0"), Word::Dots, number("0.1")]);
        assert_eq!(words("0x1f"), [number("0x1f")]);
        assert_eq!(words("192.0.2.1"), [number("192.0.2.1")]);
        assert_eq!(words("2001:db8::1"), [number("2001:db8::1")]);
        assert_eq!(words("2:3"), [number("2"), Word::Sign(':'), number("3")]);
    }

    #[test]
    fn an_open_quote_is_an_error_with_its_line() {
        let error = tokens("a\nb \"c").expect_err("open");
        assert_eq!(error.to_string(), "2: \" without its other end");
    }
}
