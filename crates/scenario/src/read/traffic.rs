//! Reads the traffic pattern of a flow.

use super::reader::{SettingReader, TableKinds};
use crate::fault::{Fault, Read};
use crate::model::Traffic;
use crate::settings::TRAFFIC;
use crate::tree::{Node, TreeValue};

const KINDS: TableKinds<Traffic> =
    TableKinds { what: "traffic", table: "a table of traffic", variants: &TRAFFIC, planned: &[] };

/// Reads `"bulk"` or `{ kind = "cbr", rate = "8 Mbit/s", message = "1316 B" }`.
pub(crate) fn traffic(node: &Node) -> Read<Traffic> {
    if matches!(node.value, TreeValue::Table(_)) {
        return SettingReader::PLAIN.variant(&KINDS, &[], "traffic", node);
    }
    let kind = KINDS.pick(node)?;
    if !kind.required.is_empty() {
        let fault = Fault::missing(node.span, "this traffic needs a rate and a size of its messages");
        return Err(fault.help(EXAMPLE));
    }
    Ok((kind.new)())
}

pub(crate) const EXAMPLE: &str =
    "for example traffic = { kind = \"cbr\", rate = \"8 Mbit/s\", message = \"1316 B\" }";
