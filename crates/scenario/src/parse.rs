//! Parses text into the tree, with the `toml` crate.

mod depth;
mod syntax;

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use syntax::SyntaxFault;

use crate::fault::{Fault, Read};
use crate::tree::{Entry, Node, Span, Table, TextOrigin, TreeValue};
use depth::{BRACKETS, DOTS, Excess, excess, excess_of_value};

/// The tree of a scenario file.
pub(crate) fn document(text: &str) -> Read<Table> {
    let place = At { origin: TextOrigin::File, offset: 0 };
    if text.len() > LARGEST {
        let message = format!("the file has {} bytes; a scenario has at most {LARGEST}", text.len());
        return Err(Fault::value(Span::START, message));
    }
    place.refuse_excess(excess(text))?;
    match DeTable::parse(text) {
        Ok(table) => place.table(table.get_ref()),
        Err(error) => Err(place.refused(text, &error, syntax::of_document)),
    }
}

/// The tree of a value alone, at `offset` of its setting.
pub(crate) fn value(text: &str, origin: TextOrigin, offset: usize) -> Read<Node> {
    let place = At { origin, offset };
    place.refuse_excess(excess_of_value(text))?;
    match DeValue::parse(text) {
        Ok(value) => place.node(&value),
        Err(error) => Err(place.refused(text, &error, syntax::of_value)),
    }
}

/// The text being read, and the offset in it.
#[derive(Clone, Copy)]
struct At {
    origin: TextOrigin,
    offset: usize,
}

impl At {
    fn span(self, range: Range<usize>) -> Span {
        Span { origin: self.origin, start: self.offset + range.start, end: self.offset + range.end }
    }

    fn refuse_excess(self, excess: Option<Excess>) -> Read<()> {
        let (at, message) = match excess {
            None => return Ok(()),
            Some(Excess::Brackets(at)) => (at, format!("more than {BRACKETS} brackets are nested")),
            Some(Excess::Dots(at)) => (at, format!("this key has more than {DOTS} dots")),
        };
        let fault = Fault::syntax(self.span(at..at + 1), message);
        Err(fault.help("no setting needs more"))
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
            DeValue::String(text) => TreeValue::Text(text.to_string()),
            DeValue::Integer(number) => {
                let value = i128::from_str_radix(number.as_str(), number.radix()).ok();
                TreeValue::Integer(value.ok_or_else(|| Fault::value(span, "this number is too large"))?)
            }
            DeValue::Float(number) => {
                let value = number.as_str().parse().ok();
                TreeValue::Float(value.ok_or_else(|| Fault::value(span, "this is not a number"))?)
            }
            DeValue::Boolean(value) => TreeValue::Boolean(*value),
            DeValue::Datetime(_) => TreeValue::Date,
            DeValue::Array(values) => {
                TreeValue::List(values.iter().map(|value| self.node(value)).collect::<Read<_>>()?)
            }
            DeValue::Table(table) => TreeValue::Table(self.table(table)?),
        };
        Ok(Node { span, value })
    }

    /// The fault where the parser gave up: a syntax error, explained by `reason`, or a repeated key.
    fn refused(
        self,
        text: &str,
        error: &toml::de::Error,
        reason: fn(&str, &Range<usize>) -> Option<SyntaxFault>,
    ) -> Box<Fault> {
        let range = error.span().unwrap_or(0..0);
        let span = self.span(range.clone());
        match reason(text, &range) {
            Some(SyntaxFault { message, expected }) if expected.is_empty() => Fault::syntax(span, message),
            Some(SyntaxFault { message, expected }) => Fault::syntax(span, message).expected(expected),
            None => repeated(text, &range, span).unwrap_or_else(|| Fault::syntax(span, error.message())),
        }
    }
}

/// The fault for a repeated key or table, with the line of the first; `None` if it is not repeated.
fn repeated(text: &str, range: &Range<usize>, span: Span) -> Option<Box<Fault>> {
    let key = text.get(range.clone())?;
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let header = text[line_start..].lines().next().unwrap_or("").trim();
    let (what, first) = if header.starts_with('[') {
        let same = |line: &str| line.trim().starts_with(header);
        ("table", text.lines().position(same).map(|index| index + 1))
    } else {
        // The nearest key of that name before this one, in the part that could be read.
        let (table, _) = DeTable::parse_recoverable(text);
        let mut starts = Vec::new();
        key_starts(table.get_ref(), key.trim_matches(['"', '\'']), &mut starts);
        ("key", starts.into_iter().filter(|start| *start < range.start).max().map(line_of))
    };
    let fault = Fault::syntax(span, format!("the {what} `{key}` is given twice"));
    first.map(|first| {
        if first < line_of(range.start) {
            fault.help(format!("it is already on line {first}"))
        } else {
            fault
        }
    })
}

fn key_starts(table: &DeTable<'_>, key: &str, starts: &mut Vec<usize>) {
    for (name, value) in table {
        if name.get_ref() == key {
            starts.push(name.span().start);
        }
        key_starts_within(value.get_ref(), key, starts);
    }
}

fn key_starts_within(value: &DeValue<'_>, key: &str, starts: &mut Vec<usize>) {
    match value {
        DeValue::Table(table) => key_starts(table, key, starts),
        DeValue::Array(values) => {
            values.iter().for_each(|value| key_starts_within(value.get_ref(), key, starts));
        }
        _ => {}
    }
}

/// A limit far above any scenario, so that a wrong file does not fill the memory.
const LARGEST: usize = 32 << 20;
