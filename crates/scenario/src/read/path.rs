//! Reads one `[[path]]`: links in a row.

use super::fields::Fields;
use super::name::{LocatedName, name, names};
use super::reader::SettingReader;
use super::shapes;
use crate::fault::Read;
use crate::settings::{PATH, PathOptions};
use crate::tree::Node;

/// A path before copies are made.
#[derive(Debug)]
pub(crate) struct PathDraft {
    pub name: LocatedName,
    pub links: Vec<LocatedName>,
    pub options: PathOptions,
}

/// Reads one `[[path]]`.
pub(crate) fn path(node: &Node) -> Read<PathDraft> {
    let fields = Fields::of(&shapes::PATH, node)?;
    let name = name(fields.require("name", "\"wifi\"")?)?;
    let links = names(fields.require("links", "[\"wifi\"]")?, "[\"wifi\"]")?;
    let mut options = PathOptions::default();
    SettingReader::PLAIN.set_all(PATH.iter(), fields.table(), &mut options)?;
    Ok(PathDraft { name, links, options })
}
