//! Reads a table with known keys: refuses unknown ones and reports missing ones.

use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::tree::{Entry, Node, Span, Table, TreeValue, quoted};

/// A table's name and the keys that it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The name in a message: `a link`.
    pub what: &'static str,
    /// The header as written, if the table has one.
    pub header: &'static str,
    pub keys: &'static [&'static str],
}

/// A table with known keys only.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t> {
    shape: &'static Shape,
    table: &'t Table,
    span: Span,
}

impl<'t> Fields<'t> {
    /// The table at `node`, if all its keys are known.
    pub(super) fn of(shape: &'static Shape, node: &'t Node) -> Read<Fields<'t>> {
        let TreeValue::Table(table) = &node.value else {
            let message = format!("{} is not a table", node.value.describe());
            return Err(Fault::value(node.span, message).expected(shape.example()));
        };
        Fields::new(shape, table, node.span)
    }

    /// The given table, if all its keys are known; what is missing is reported at `span`.
    pub(super) fn new(shape: &'static Shape, table: &'t Table, span: Span) -> Read<Fields<'t>> {
        match table.entries.iter().find(|entry| !shape.keys.contains(&entry.key.as_str())) {
            Some(entry) => Err(unknown_key(shape.what, shape.keys, entry)),
            None => Ok(Fields { shape, table, span }),
        }
    }

    /// The table itself.
    pub(super) fn table(&self) -> &'t Table {
        self.table
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// The value of `key`, if given.
    pub(super) fn find(&self, key: &'static str) -> Option<&'t Node> {
        debug_assert!(self.shape.keys.contains(&key), "{key} is not a key of {}", self.shape.what);
        self.table.find(key)
    }

    /// `key` and its value, if given.
    pub(super) fn entry(&self, key: &'static str) -> Option<&'t Entry> {
        self.table.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of `key`, which is required; `example` shows one.
    pub(crate) fn require(&self, key: &'static str, example: &str) -> Read<&'t Node> {
        self.find(key).ok_or_else(|| {
            let fault = Fault::missing(self.span, format!("{} needs a key `{key}`", self.shape.what));
            fault.help(format!("for example {key} = {example}"))
        })
    }

    /// The value of `key`, converted by `read`, or `default`.
    pub(super) fn or<T>(
        &self,
        key: &'static str,
        default: T,
        read: impl FnOnce(&Node) -> Read<T>,
    ) -> Read<T> {
        self.find(key).map_or(Ok(default), read)
    }

    /// The value of `key`, converted by `read`, if given.
    pub(super) fn maybe<T>(&self, key: &'static str, read: impl FnOnce(&Node) -> Read<T>) -> Read<Option<T>> {
        self.find(key).map(read).transpose()
    }

    /// Sets `place` to the value of `key`, if given.
    pub(super) fn set<T>(
        &self,
        key: &'static str,
        place: &mut T,
        read: impl FnOnce(&Node) -> Read<T>,
    ) -> Read<()> {
        if let Some(node) = self.find(key) {
            *place = read(node)?;
        }
        Ok(())
    }

    /// The place to report a fault of `key`: its value, or the table where the default applies.
    pub(crate) fn span_of(&self, key: &'static str) -> Span {
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

/// The error for a key that is not among `keys`, those of the table called `what`.
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
