//! The names of links, paths and flows.

use std::collections::BTreeMap;

use super::value;
use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::tree::{Node, Span, quoted};

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct LocatedName {
    pub text: String,
    pub span: Span,
}

/// Reads a name: letters, digits, `_` and `-`. It has no dots, so that `--set link.NAME.KEY` is unambiguous, and no
/// slashes, so that it may be part of a file's name.
pub(crate) fn name(node: &Node) -> Read<LocatedName> {
    let text = value::text(node)?;
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if text.is_empty() || text.starts_with('-') || !is_plain || text.len() > LONGEST {
        let fault = Fault::value(node.span, format!("{} is not a valid name", quoted(text)));
        let expected = format!("up to {LONGEST} letters, digits, `_` and `-`, not beginning with `-`");
        return Err(fault.expected(expected));
    }
    Ok(LocatedName { text: text.to_owned(), span: node.span })
}

/// The longest name, in characters.
const LONGEST: usize = 64;

/// Reads a list of at least one name.
pub(crate) fn names(node: &Node, example: &str) -> Read<Vec<LocatedName>> {
    let given = value::list(node, example)?;
    if given.is_empty() {
        let fault = Fault::value(node.span, "this list is empty");
        return Err(fault.expected(format!("at least one name, such as {example}")));
    }
    // Not `name`: for a misspelt one, the nearest known name is suggested.
    given
        .iter()
        .map(|node| Ok(LocatedName { text: value::text(node)?.to_owned(), span: node.span }))
        .collect()
}

/// The index of the first bearer of each name, and the number of its copies.
#[derive(Debug)]
pub(crate) struct NameIndex {
    what: &'static str,
    known: BTreeMap<String, CopiesOf>,
    /// The names as written, in order, without those of copies.
    written: Vec<String>,
}

/// The copies that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopiesOf {
    pub first: usize,
    /// The number of copies; `None` for a single thing.
    pub copies: Option<usize>,
}

impl NameIndex {
    /// An empty index; `what` names its entries in messages.
    pub(super) fn new(what: &'static str) -> NameIndex {
        NameIndex { what, known: BTreeMap::new(), written: Vec::new() }
    }

    /// Adds a name and those of its copies.
    pub(super) fn add(&mut self, name: &LocatedName, named: CopiesOf) -> Read<()> {
        let last = named.copies.map(|copies| copy_name(&name.text, copies.saturating_sub(1)));
        if last.is_some_and(|last| last.len() > LONGEST) {
            let message = format!("the names of the copies of {:?} would be too long", name.text);
            return Err(Fault::value(name.span, message).expected(format!("up to {LONGEST} characters each")));
        }
        self.written.push(name.text.clone());
        let copies = (0..named.copies.unwrap_or(0))
            .map(|copy| (copy_name(&name.text, copy), CopiesOf { first: named.first + copy, copies: None }));
        let all = copies.chain([(name.text.clone(), named)]);
        for (text, named) in all {
            if self.known.insert(text.clone(), named).is_some() {
                let fault = Fault::value(name.span, format!("there are two {}s called {text:?}", self.what));
                return Err(fault.help(
                    "each name must be unique, including the names of copies (NAME-1, \
                                       NAME-2, …)",
                ));
            }
        }
        Ok(())
    }

    /// Returns true if `text` is a name in this index.
    pub(super) fn has(&self, text: &str) -> bool {
        self.known.contains_key(text)
    }

    /// The copies that `name` stands for.
    pub(super) fn find(&self, name: &LocatedName) -> Read<CopiesOf> {
        self.known.get(&name.text).copied().ok_or_else(|| {
            let fault =
                Fault::unknown(name.span, format!("there is no {} {}", self.what, quoted(&name.text)));
            let near = nearest(&name.text, self.written.iter().map(String::as_str));
            let fault = fault.nearest(near.map(|name| format!("{name:?}")));
            if near.is_some() { fault } else { fault.help(self.all()) }
        })
    }
}

impl NameIndex {
    /// A sentence that lists the known names.
    fn all(&self) -> String {
        let names = listed(self.written.iter().map(String::as_str));
        match self.written.len() {
            1 => format!("the only {} is {names}", self.what),
            _ => format!("the {}s are {names}", self.what),
        }
    }
}

/// The name of the copy with this index; names count from 1.
pub(crate) fn copy_name(name: &str, index: usize) -> String {
    format!("{name}-{}", index + 1)
}
