//! Writes the headers of chunks, parameters and causes, and checks that a script names fields that they have.

use super::error::{PacketError, bad};
use crate::packet::form::{Family, Form, Tail};
use crate::packet::value::number;
use crate::script::{Node, Value};

/// Writes the type, the flags and room for the length.
pub(super) fn header(family: Family, form: &Form, node: &Node, out: &mut Vec<u8>) -> Result<(), PacketError> {
    let kind = match node.field(family.kind_field()).filter(|_| form.names_its_kind(family)) {
        None | Some(Value::Any) => form.kind,
        Some(value) => {
            let kind = number(value, &[]).and_then(|kind| u16::try_from(kind).ok());
            kind.ok_or_else(|| bad(node, family.kind_field(), value))?
        }
    };
    if family != Family::Chunk {
        out.extend(kind.to_be_bytes());
        out.extend([0; 2]);
        return Ok(());
    }
    let flags = match node.field("flgs") {
        None | Some(Value::Any) => 0,
        Some(value) => {
            let flags = number(value, form.letters).and_then(|flags| u8::try_from(flags).ok());
            flags.ok_or_else(|| bad(node, "flgs", value))?
        }
    };
    let kind = u8::try_from(kind).map_err(|_| bad(node, "type", &Value::Number(kind.into())))?;
    out.extend([kind, flags, 0, 0]);
    Ok(())
}

/// Refuses items that the form does not have.
pub(super) fn check_names(family: Family, form: &Form, node: &Node) -> Result<(), PacketError> {
    for item in &node.items {
        let is_known = match (&item.name, &item.value) {
            (Some(name), _) => form.has_name(family, name),
            (None, Value::Any) => true,
            (None, Value::Node(_)) => matches!(form.tail, Tail::Nodes(_)),
            (None, _) => false,
        };
        if !is_known {
            return Err(bad(node, item.name.as_deref().unwrap_or(""), &item.value));
        }
    }
    Ok(())
}

/// The length that the script names.
pub(super) fn explicit_length(node: &Node) -> Result<Option<usize>, PacketError> {
    match node.field("len") {
        None | Some(Value::Any) => Ok(None),
        Some(value) => {
            let length = number(value, &[]).and_then(|length| u16::try_from(length).ok());
            length.map(|length| Some(length.into())).ok_or_else(|| bad(node, "len", value))
        }
    }
}
