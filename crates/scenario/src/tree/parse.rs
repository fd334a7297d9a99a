//! From text to tree by the `toml` crate. It knows what that crate calls things, and no setting.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::depth::{BRACKETS, DOTS, Excess, excess, excess_of_value};
use super::{Entry, Node, Origin, Span, Table, Value};
use crate::fault::{Fault, Read};

/// The tree of a scenario file.
pub fn document(text: &str) -> Read<Table> {
    let place = At { origin: Origin::File, offset: 0 };
    if text.len() > LARGEST {
        let message = format!("the file has {} bytes; a scenario has at most {LARGEST}", text.len());
        return Err(Fault::value(Span::START, message));
    }
    place.refuse_excess(excess(text))?;
    match DeTable::parse(text) {
        Ok(table) => place.table(table.get_ref()),
        Err(error) => Err(place.refused(text, &error)),
    }
}

/// The tree of a value alone, which stands at `offset` of the setting with this index.
pub fn value(text: &str, origin: Origin, offset: usize) -> Read<Node> {
    let place = At { origin, offset };
    place.refuse_excess(excess_of_value(text))?;
    match DeValue::parse(text) {
        Ok(value) => place.node(&value),
        Err(error) => Err(place.refused(text, &error)),
    }
}

/// Which text is read, and where in it.
#[derive(Clone, Copy)]
struct At {
    origin: Origin,
    offset: usize,
}

impl At {
    fn span(self, range: std::ops::Range<usize>) -> Span {
        Span { origin: self.origin, start: self.offset + range.start, end: self.offset + range.end }
    }

    fn refuse_excess(self, excess: Option<Excess>) -> Read<()> {
        let (at, message) = match excess {
            None => return Ok(()),
            Some(Excess::Brackets(at)) => (at, format!("more than {BRACKETS} brackets within one another")),
            Some(Excess::Dots(at)) => (at, format!("a key with more than {DOTS} dots")),
        };
        let fault = Fault::syntax(self.span(at..at + 1), message);
        Err(fault.expected("no setting of a scenario nests so deep"))
    }

    fn table(self, table: &DeTable<'_>) -> Read<Table> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            let key_span = self.span(key.span());
            entries.push(Entry { key: key.get_ref().to_string(), key_span, node: self.node(value)? });
        }
        // The parser sorts keys by name.
        entries.sort_by_key(|entry| entry.key_span.start);
        Ok(Table { entries })
    }

    fn node(self, value: &Spanned<DeValue<'_>>) -> Read<Node> {
        let span = self.span(value.span());
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let value = i128::from_str_radix(number.as_str(), number.radix()).ok();
                Value::Integer(value.ok_or_else(|| Fault::value(span, "this number is too large"))?)
            }
            DeValue::Float(number) => {
                let value = number.as_str().parse().ok();
                Value::Float(value.ok_or_else(|| Fault::value(span, "this is no number"))?)
            }
            DeValue::Boolean(value) => Value::Boolean(*value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(values) => {
                Value::List(values.iter().map(|value| self.node(value)).collect::<Read<_>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table)?),
        };
        Ok(Node { span, value })
    }

    /// What the parser says, in words for people.
    fn refused(self, text: &str, error: &toml::de::Error) -> Box<Fault> {
        let range = error.span().unwrap_or(0..0);
        let _ = text;
        Fault::syntax(self.span(range), error.message().to_owned())
    }
}

/// No scenario is so large; it bounds the memory that a wrong file takes.
const LARGEST: usize = 16 << 20;
