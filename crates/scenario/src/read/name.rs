//! Names that users give to links, paths and flows.

use std::collections::BTreeMap;

use super::value;
use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::tree::{Node, Span, quoted};

/// A name, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct LocatedName {
    pub text: String,
    pub span: Span,
}

/// A name: letters, digits, `_` and `-`. Without dots, so that `--set link.NAME.KEY` is read in one way only, and
/// without slashes, so that it may be part of a file's name.
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

/// In characters.
const LONGEST: usize = 64;

/// A list of names, of which there is at least one.
pub(crate) fn names(node: &Node, example: &str) -> Read<Vec<LocatedName>> {
    let given = value::list(node, example)?;
    if given.is_empty() {
        let fault = Fault::value(node.span, "this list is empty");
        return Err(fault.expected(format!("at least one name, such as {example}")));
    }
    // Not `name`: one that is written wrong is answered with the nearest known one.
    given
        .iter()
        .map(|node| Ok(LocatedName { text: value::text(node)?.to_owned(), span: node.span }))
        .collect()
}

/// What is called how: the index of each name's first bearer, and how many there are.
#[derive(Debug)]
pub(crate) struct NameIndex {
    what: &'static str,
    known: BTreeMap<String, CopiesOf>,
    /// Those a user wrote, in order: the others are copies.
    written: Vec<String>,
}

/// The copies that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopiesOf {
    /// The index of the first.
    pub first: usize,
    /// How many there are, if it is a name of copies.
    pub copies: Option<usize>,
}

impl NameIndex {
    /// Nothing is called anything; `what` is what will be.
    pub fn new(what: &'static str) -> NameIndex {
        NameIndex { what, known: BTreeMap::new(), written: Vec::new() }
    }

    /// `name` stands for this.
    pub fn add(&mut self, name: &LocatedName, named: CopiesOf) -> Read<()> {
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

    /// Returns true if something is called `text`.
    pub fn has(&self, text: &str) -> bool {
        self.known.contains_key(text)
    }

    /// What `name` stands for.
    pub fn find(&self, name: &LocatedName) -> Read<CopiesOf> {
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
    /// The there are, in a sentence.
    fn all(&self) -> String {
        let names = listed(self.written.iter().map(String::as_str));
        match self.written.len() {
            1 => format!("the only {} is {names}", self.what),
            _ => format!("the {}s are {names}", self.what),
        }
    }
}

/// What the copy with this index is called; names count from 1.
pub(crate) fn copy_name(name: &str, index: usize) -> String {
    format!("{name}-{}", index + 1)
}
