//! Reads the values of calls and the chunks of packets: one notation for both.

use super::lex::{Token, Word, at_line};
use super::{Item, Node, ScriptError, Value};

/// The words that are left.
#[derive(Debug)]
pub(super) struct Words<'a> {
    left: &'a [Token],
    line: usize,
}

/// Values inside values, at most.
const DEPTH: usize = 32;

impl<'a> Words<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Words<'a> {
        Words { left: tokens, line: 1 }
    }

    /// The line of the next word, or of the last one.
    pub(super) fn line(&self) -> usize {
        self.left.first().map_or(self.line, |token| token.line)
    }

    pub(super) fn peek(&self) -> Option<&'a Word> {
        self.left.first().map(|token| &token.word)
    }

    pub(super) fn peek_second(&self) -> Option<&'a Word> {
        self.left.get(1).map(|token| &token.word)
    }

    pub(super) fn take(&mut self) -> Result<&'a Word, ScriptError> {
        let (first, rest) =
            self.left.split_first().ok_or_else(|| at_line(self.line, "the script ends too early"))?;
        self.left = rest;
        self.line = first.line;
        Ok(&first.word)
    }

    /// Takes `sign` if it is next.
    pub(super) fn skip(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(&Word::Sign(sign));
        if is_next {
            self.left = &self.left[1..];
        }
        is_next
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), ScriptError> {
        if self.skip(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    pub(super) fn name(&mut self) -> Result<&'a str, ScriptError> {
        match self.peek() {
            Some(Word::Name(name)) => {
                self.take()?;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    pub(super) fn number(&mut self) -> Result<i64, ScriptError> {
        let is_negative = self.skip('-');
        match self.peek() {
            Some(Word::Number(text)) => {
                self.take()?;
                let number = integer(text)
                    .ok_or_else(|| at_line(self.line, format!("`{text}` is not a whole number")))?;
                Ok(if is_negative { -number } else { number })
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> ScriptError {
        let got = match self.peek() {
            None => "the end of the script".to_owned(),
            Some(Word::Name(text) | Word::Number(text)) => format!("`{text}`"),
            Some(Word::Text(text)) => format!("\"{text}\""),
            Some(Word::Command(text)) => format!("`{text}`"),
            Some(Word::Dots) => "`...`".to_owned(),
            Some(Word::Sign(sign)) => format!("`{sign}`"),
        };
        at_line(self.line(), format!("expected {wanted}, got {got}"))
    }

    /// A value.
    pub(super) fn value(&mut self) -> Result<Value, ScriptError> {
        self.value_inside(DEPTH)
    }

    fn value_inside(&mut self, depth: usize) -> Result<Value, ScriptError> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| at_line(self.line(), "too many brackets inside one another"))?;
        let first = self.simple(depth)?;
        if self.peek() != Some(&Word::Sign('|')) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.skip('|') {
            parts.push(self.simple(depth)?);
        }
        Ok(Value::Or(parts))
    }

    fn simple(&mut self, depth: usize) -> Result<Value, ScriptError> {
        match self.peek() {
            Some(Word::Dots) => {
                self.take()?;
                Ok(Value::Any)
            }
            Some(Word::Text(text)) => {
                self.take()?;
                Ok(Value::Text(text.clone()))
            }
            Some(Word::Number(text)) if text.contains(['.', ':']) => {
                self.take()?;
                Ok(Value::Text(text.clone()))
            }
            Some(Word::Number(_) | Word::Sign('-')) => {
                let from = self.number()?;
                Ok(if self.skip(':') { Value::Range(from, self.number()?) } else { Value::Number(from) })
            }
            Some(Word::Sign('[')) => {
                self.take()?;
                self.separated(']', |words| words.value_inside(depth)).map(Value::List)
            }
            Some(Word::Sign('{')) => {
                self.take()?;
                self.separated('}', |words| words.item(depth)).map(Value::Struct)
            }
            Some(Word::Name(name)) => {
                self.take()?;
                self.named(name, depth)
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    /// The value that begins with `name`.
    fn named(&mut self, name: &str, depth: usize) -> Result<Value, ScriptError> {
        let name = name.to_owned();
        if self.skip('[') {
            let items = self.separated(']', |words| words.item(depth))?;
            return Ok(Value::Node(Node { name, items }));
        }
        if self.skip('(') {
            let arguments = self.separated(')', |words| words.value_inside(depth))?;
            return Ok(Value::Apply(name, arguments));
        }
        Ok(Value::Name(name))
    }

    /// `name=value`, `name(3)=value` or a value.
    fn item(&mut self, depth: usize) -> Result<Item, ScriptError> {
        let value = self.value_inside(depth)?;
        if !self.skip('=') {
            return Ok(Item { name: None, value });
        }
        let name = match value {
            Value::Name(name) | Value::Apply(name, _) => name,
            _ => return Err(at_line(self.line, "expected a name before `=`")),
        };
        Ok(Item { name: Some(name), value: self.value_inside(depth)? })
    }

    /// The values up to `end`, with commas between them.
    pub(super) fn separated<T>(
        &mut self,
        end: char,
        mut one: impl FnMut(&mut Self) -> Result<T, ScriptError>,
    ) -> Result<Vec<T>, ScriptError> {
        let mut values = Vec::new();
        if self.skip(end) {
            return Ok(values);
        }
        loop {
            values.push(one(self)?);
            if self.skip(end) {
                return Ok(values);
            }
            self.expect(',')?;
        }
    }
}

/// The number that `text` writes in decimal or, after `0x`, in hexadecimal digits.
fn integer(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lex::tokens;
    use super::*;

    fn read(text: &str) -> Result<String, ScriptError> {
        let tokens = tokens(text)?;
        Words::new(&tokens).value().map(|value| value.to_string())
    }

    #[test]
    fn chunks_and_structures_are_read_and_printed_in_one_notation() {
        for text in [
            "INIT[flgs=0, tag=1, a_rwnd=..., SUPPORTED_EXTENSIONS[types=[NR_SACK, 192]], ...]",
            "SACK[flgs=0, cum_tsn=1, gaps=[2:3, 5:5], dups=[]]",
            "I_FORWARD_TSN[cum_tsn=2, ids=[{1, 0, 0}]]",
            "{spp_address=..., spp_flags=SPP_HB_DISABLE|SPP_PMTUD_DISABLE, snd_ppid=htonl(3)}",
            "[-1, \"a\"]",
        ] {
            assert_eq!(read(text).expect("readable"), text);
        }
    }

    #[test]
    fn brackets_without_end_are_refused() {
        assert!(read(&"[".repeat(10_000)).is_err());
        assert_eq!(
            read("[1, 2").expect_err("open").to_string(),
            "1: expected `,`, got the end of the script"
        );
    }
}
