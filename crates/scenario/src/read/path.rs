//! Reads one `[[path]]`: links in a row.

use super::fields::Fields;
use super::name::{LocatedName, name, names};
use super::{shapes, value};
use crate::fault::Read;
use crate::tree::{Node, Span};

/// A path as the file has it, before copies are made.
#[derive(Debug)]
pub(crate) struct PathDraft {
    pub name: LocatedName,
    pub links: Vec<LocatedName>,
    /// How many there are of it, and where that is said.
    pub copies: Option<(usize, Span)>,
}

/// Reads one `[[path]]`.
pub(crate) fn path(node: &Node) -> Read<PathDraft> {
    let fields = Fields::of(&shapes::PATH, node)?;
    let name = name(fields.require("name", "\"wifi\"")?)?;
    let links = names(fields.require("links", "[\"wifi\"]")?, "[\"wifi\"]")?;
    let copies = fields.maybe("copies", |node| {
        let count: u32 = value::whole(node, 1, super::copies::MOST as u32)?;
        Ok((count as usize, node.span))
    })?;
    Ok(PathDraft { name, links, copies })
}
