//! Reads a table with known keys: refuses unknown ones and reports missing ones.

use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::tree::{Entry, Node, Span, Table, TreeValue, quoted};

/// What a table is called, and the keys that it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// As a sentence has it: `a link`.
    pub what: &'static str,
    /// How its header is written, if it has one.
    pub header: &'static str,
    /// All of its keys.
    pub keys: &'static [&'static str],
}

/// A table that has no key beyond those of its shape.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t> {
    shape: &'static Shape,
    table: &'t Table,
    span: Span,
}

impl<'t> Fields<'t> {
    /// The table at `node`, if it is one with known keys only.
    pub fn of(shape: &'static Shape, node: &'t Node) -> Read<Fields<'t>> {
        let TreeValue::Table(table) = &node.value else {
            let message = format!("{} is not a table", node.value.describe());
            return Err(Fault::value(node.span, message).expected(shape.example()));
        };
        Fields::new(shape, table, node.span)
    }

    /// A table at hand, reported at `span` where something is missing.
    pub fn new(shape: &'static Shape, table: &'t Table, span: Span) -> Read<Fields<'t>> {
        match table.entries.iter().find(|entry| !shape.keys.contains(&entry.key.as_str())) {
            Some(entry) => Err(unknown_key(shape.what, shape.keys, entry)),
            None => Ok(Fields { shape, table, span }),
        }
    }

    /// The table itself.
    pub fn table(&self) -> &'t Table {
        self.table
    }

    /// Where the table stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The value of `key`, if it is given.
    pub fn find(&self, key: &'static str) -> Option<&'t Node> {
        debug_assert!(self.shape.keys.contains(&key), "{key} is not a key of {}", self.shape.what);
        self.table.find(key)
    }

    /// `key` and its value, if it is given.
    pub fn entry(&self, key: &'static str) -> Option<&'t Entry> {
        self.table.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of `key`; `example` shows how it may be given.
    pub fn require(&self, key: &'static str, example: &str) -> Read<&'t Node> {
        self.find(key).ok_or_else(|| {
            let fault = Fault::missing(self.span, format!("{} needs a key `{key}`", self.shape.what));
            fault.help(format!("for example {key} = {example}"))
        })
    }

    /// The value of `key` as `read` makes it of it, or `default`.
    pub fn or<T>(&self, key: &'static str, default: T, read: impl FnOnce(&Node) -> Read<T>) -> Read<T> {
        self.find(key).map_or(Ok(default), read)
    }

    /// The value of `key` as `read` makes it of it, if it is given.
    pub fn maybe<T>(&self, key: &'static str, read: impl FnOnce(&Node) -> Read<T>) -> Read<Option<T>> {
        self.find(key).map(read).transpose()
    }

    /// Puts the value of `key` in `place`, if it is given.
    pub fn set<T>(&self, key: &'static str, place: &mut T, read: impl FnOnce(&Node) -> Read<T>) -> Read<()> {
        if let Some(node) = self.find(key) {
            *place = read(node)?;
        }
        Ok(())
    }

    /// Where to report what is wrong with `key`: at its value, or at the table where it has its default.
    pub fn span_of(&self, key: &'static str) -> Span {
        self.find(key).map_or(self.span, |node| node.span)
    }
}

impl Shape {
    fn example(&self) -> String {
        if self.header.is_empty() {
            return format!("a table, {{ {} = … }}", self.keys.first().unwrap_or(&""));
        }
        format!("a table under {}", self.header)
    }
}

/// A key that the table called `what` does not have; `keys` are those that it has.
pub(crate) fn unknown_key(what: &str, keys: &[&'static str], entry: &Entry) -> Box<Fault> {
    let key = entry.key.as_str();
    let near = nearest(key, keys.iter().copied());
    let fault = Fault::unknown(entry.key_span, format!("{what} has no key {}", named(key)));
    match near {
        Some(near) => fault.nearest(Some(format!("`{near}`"))),
        None => fault.expected(format!("one of {}", listed(keys.iter().copied()))).stray(key),
    }
}

fn named(key: &str) -> String {
    let is_plain = key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)) && key.len() <= 40;
    if is_plain && !key.is_empty() { format!("`{key}`") } else { quoted(key) }
}
