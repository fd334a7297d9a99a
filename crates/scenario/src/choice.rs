//! Reads one word out of several; makes the error for an unknown word.

use anabranch_base::setting::Words;

use crate::fault::{Fault, Read};
use crate::nearest::{listed, nearest};
use crate::tree::{Node, Span, TreeValue, quoted};

/// The words that a value may be.
pub(crate) struct Choice<'w> {
    /// The name of the choice in a message: `congestion control`.
    pub what: &'w str,
    /// The words that work.
    pub built: Vec<&'w str>,
    /// The words that are known but not built yet.
    pub planned: Vec<&'w str>,
}

impl Choice<'static> {
    /// The choice among the words of a setting.
    pub(crate) fn of(words: &Words) -> Choice<'static> {
        Choice { what: words.what, built: (words.built)(), planned: words.planned.to_vec() }
    }
}

impl<'w> Choice<'w> {
    /// The word at `node`.
    pub(crate) fn pick(&self, node: &Node) -> Read<&'w str> {
        let TreeValue::Text(word) = &node.value else {
            return Err(self.refused(node.span, &node.value.describe()));
        };
        if let Some(found) = self.built.iter().find(|name| **name == word) {
            return Ok(found);
        }
        if self.planned.contains(&word.as_str()) {
            return Err(self.not_built(word, node.span));
        }
        let built = nearest(word, self.built.iter().copied()).map(|name| format!("{name:?}"));
        let planned = || nearest(word, self.planned.iter().copied());
        let fault = self.refused(node.span, &quoted(word));
        Err(fault
            .nearest(built.or_else(|| planned().map(|name| format!("{name:?}, which is not built yet")))))
    }

    /// The error for a known word that is not built yet.
    pub(crate) fn not_built(&self, word: &str, span: Span) -> Box<Fault> {
        let are = if self.built.len() == 1 { "is only" } else { "are" };
        let built = listed(self.built.iter().copied());
        Fault::not_built(span, format!("{} {word:?} is not built yet; there {are} {built}", self.what))
    }

    fn refused(&self, span: Span, found: &str) -> Box<Fault> {
        let or = match self.built[..] {
            [one] => format!("{one:?}, the only one that is built yet"),
            _ => format!("one of {}", listed(self.built.iter().copied())),
        };
        Fault::unknown(span, format!("{found} is not a valid {}", self.what)).expected(or)
    }
}
