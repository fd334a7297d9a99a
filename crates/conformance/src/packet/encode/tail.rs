//! Writes the content of variable length.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{PacketError, Writer, bad};
use crate::packet::form::{Family, Field, Form, Numbering, Tail, plain};
use crate::packet::value::{address, bytes, is_any, list, number};
use crate::script::{Node, Value};

impl Writer<'_> {
    /// Writes the content of `node` after the fields.
    pub(super) fn tail(self, form: &Form, node: &Node, out: &mut Vec<u8>) -> Result<(), PacketError> {
        match form.tail {
            Tail::Nothing | Tail::UserData => Ok(()),
            Tail::PpidOrFsn => self.ppid_or_fsn(node, out),
            Tail::Bytes(name) => text(node, name, out),
            Tail::Text(name) => {
                text(node, name, out)?;
                // A host name ends with a zero byte (RFC 9260 §3.3.2.4).
                out.extend(form.name.starts_with("HOSTNAME").then_some(0));
                Ok(())
            }
            Tail::Ipv4(name) => {
                let octets = octets(node, name, |address: Ipv4Addr| address.octets().to_vec(), 4)?;
                out.extend(octets);
                Ok(())
            }
            Tail::Ipv6(name) => {
                let octets = octets(node, name, |address: Ipv6Addr| address.octets().to_vec(), 16)?;
                out.extend(octets);
                Ok(())
            }
            Tail::Nodes(family) => self.nested(family, node, out),
            Tail::NodeList(name, family) => self.node_list(family, node, name, out),
            Tail::OneNode(name, family) => self.one_node(family, node, name, out),
            Tail::Gaps => self.blocks(node, &["gaps"], out),
            Tail::NrGaps => self.blocks(node, &["gaps", "nr_gaps"], out),
            Tail::StreamIds(widths) => self.stream_ids(node, widths, out),
            Tail::Numbers(name, width) => self.numbers(node, name, plain("", width), out),
            Tail::Counted(name) => {
                let count = list(node.field(name)).map_or(0, <[Value]>::len) as u32;
                out.extend(count.to_be_bytes());
                self.numbers(node, name, plain("", 2), out)
            }
            Tail::Optional(fields) if fields.iter().any(|field| node.field(field.name).is_some()) => {
                self.fields(fields, node, out)
            }
            Tail::Optional(_) => Ok(()),
        }
    }

    fn ppid_or_fsn(self, node: &Node, out: &mut Vec<u8>) -> Result<(), PacketError> {
        let name = if node.field("fsn").is_some() { "fsn" } else { "ppid" };
        self.fields(&[plain(name, 4)], node, out)
    }

    fn node_list(
        self,
        family: Family,
        node: &Node,
        name: &str,
        out: &mut Vec<u8>,
    ) -> Result<(), PacketError> {
        let mut nodes = Vec::new();
        for value in values(node, name)? {
            match value {
                Value::Node(inner) => nodes.push(inner),
                value => return Err(bad(node, name, value)),
            }
        }
        self.nodes(family, nodes.into_iter(), false, out)
    }

    /// Writes a node that came from the receiver.
    fn one_node(self, family: Family, node: &Node, name: &str, out: &mut Vec<u8>) -> Result<(), PacketError> {
        let returned = Writer { sender: self.sender.other(), ..self };
        match node.field(name) {
            None | Some(Value::Any) => Ok(()),
            Some(Value::Node(inner)) => returned.node(family, inner, false, out),
            Some(value) => Err(bad(node, name, value)),
        }
    }

    /// Writes the blocks of a SACK or an NR-SACK: the counts, the blocks of each of `names`, the duplicates.
    fn blocks(self, node: &Node, names: &[&str], out: &mut Vec<u8>) -> Result<(), PacketError> {
        for name in names.iter().chain(&["dups"]) {
            let count = u16::try_from(values(node, name)?.len());
            out.extend(count.map_err(|_| PacketError::TooLong { node: node.name.clone() })?.to_be_bytes());
        }
        if names.len() > 1 {
            out.extend([0; 2]);
        }
        for name in names {
            for value in values(node, name)? {
                let Value::Range(from, to) = value else { return Err(bad(node, name, value)) };
                for number in [*from, *to] {
                    self.number(plain("", 2), number, out).ok_or_else(|| bad(node, name, value))?;
                }
            }
        }
        let duplicate = Field { numbering: Numbering::ReceiverTsn, ..plain("", 4) };
        self.numbers(node, "dups", duplicate, out)
    }

    fn stream_ids(self, node: &Node, widths: &[usize], out: &mut Vec<u8>) -> Result<(), PacketError> {
        for value in values(node, "ids")? {
            let refused = || bad(node, "ids", value);
            let Value::Struct(items) = value else { return Err(refused()) };
            if items.len() != widths.len() {
                return Err(refused());
            }
            for (item, width) in items.iter().zip(widths) {
                let number = number(&item.value, &[('U', 1)]).ok_or_else(refused)?;
                self.number(plain("", *width), number, out).ok_or_else(refused)?;
            }
        }
        Ok(())
    }

    fn numbers(self, node: &Node, name: &str, field: Field, out: &mut Vec<u8>) -> Result<(), PacketError> {
        for value in values(node, name)? {
            let written = number(value, &[]).and_then(|number| self.number(field, number, out));
            written.ok_or_else(|| bad(node, name, value))?;
        }
        Ok(())
    }
}

/// The values of the list `name`; none for `...`.
fn values<'n>(node: &'n Node, name: &str) -> Result<&'n [Value], PacketError> {
    match node.field(name) {
        value if is_any(value) => Ok(&[]),
        Some(Value::List(values)) => Ok(values),
        Some(value) => Err(bad(node, name, value)),
        None => Ok(&[]),
    }
}

/// Writes bytes or a text; nothing for `...`.
fn text(node: &Node, name: &str, out: &mut Vec<u8>) -> Result<(), PacketError> {
    match node.field(name) {
        value if is_any(value) => Ok(()),
        Some(value) => {
            out.extend(bytes(value).ok_or_else(|| bad(node, name, value))?);
            Ok(())
        }
        None => Ok(()),
    }
}

/// The octets of an address; zeros for `...`.
fn octets<T: std::str::FromStr>(
    node: &Node,
    name: &str,
    octets: impl Fn(T) -> Vec<u8>,
    width: usize,
) -> Result<Vec<u8>, PacketError> {
    match node.field(name) {
        None | Some(Value::Any) => Ok(vec![0; width]),
        Some(value) => address(value).map(octets).ok_or_else(|| bad(node, name, value)),
    }
}
