//! Reads the packets of the machine under test into nodes of a script, with the numbers of the script. A node that is
//! unknown or malformed has the generic form.

mod tail;

use std::fmt::{Display, Formatter};

use crc_fast::crc32_iscsi;

use super::encode::has_t_bit;
use super::form::{Family, Field, Form};
use super::numbers::{Numbers, Sender};
use super::value::{bytes_value, flags_value, item};
use super::{HEADER, NODE_HEADER};
use crate::script::{Item, Node, Value};

/// Nodes inside nodes, at most.
const DEPTH: usize = 8;
/// Bytes of a value that are printed, at most.
const PRINTED: usize = 16;

/// A packet of the machine under test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LivePacket {
    /// The verification tag, as the script counts it.
    pub(super) tag: u32,
    /// The tag is that of the sender (RFC 9260 §8.5.1).
    pub(super) reflects: bool,
    /// The checksum is the CRC32c.
    pub(super) checksum_is_right: bool,
    /// The checksum is zero.
    pub(super) checksum_is_zero: bool,
    /// The bytes after the common header.
    pub(super) bytes: Vec<u8>,
    /// The chunks.
    pub(super) chunks: Vec<Node>,
}

impl Display for LivePacket {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "sctp(tag={}): ", self.tag)?;
        for (at, chunk) in self.chunks.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "; " })?;
            shortened(chunk).fmt(f)?;
        }
        Ok(())
    }
}

/// The node with `...` for long lists of bytes.
pub(super) fn shortened(node: &Node) -> Node {
    let items =
        node.items.iter().map(|item| Item { name: item.name.clone(), value: shortened_value(&item.value) });
    Node { name: node.name.clone(), items: items.collect() }
}

fn shortened_value(value: &Value) -> Value {
    match value {
        Value::Node(node) => Value::Node(shortened(node)),
        Value::List(values)
            if values.len() > PRINTED && values.iter().all(|v| matches!(v, Value::Number(_))) =>
        {
            Value::Any
        }
        Value::List(values) => Value::List(values.iter().map(shortened_value).collect()),
        value => value.clone(),
    }
}

/// Reads a packet of the machine under test.
pub(crate) fn decode(bytes: &[u8], numbers: &Numbers) -> LivePacket {
    let Some((header, body)) = bytes.split_at_checked(HEADER) else {
        return LivePacket {
            tag: 0,
            reflects: false,
            checksum_is_right: false,
            checksum_is_zero: false,
            bytes: Vec::new(),
            chunks: Vec::new(),
        };
    };
    let live_tag = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    let checksum = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    let mut unsigned = bytes.to_vec();
    unsigned[HEADER - 4..HEADER].fill(0);
    let chunks = chunks(body, numbers);
    let reflects = chunks.iter().any(has_t_bit);
    LivePacket {
        tag: if reflects { numbers.our_script_tag(live_tag) } else { live_tag },
        reflects,
        checksum_is_right: checksum == crc32_iscsi(&unsigned),
        checksum_is_zero: checksum == 0,
        bytes: body.to_vec(),
        chunks,
    }
}

/// The chunks of our packet with the body `body`.
pub(super) fn chunks(body: &[u8], numbers: &Numbers) -> Vec<Node> {
    let reader = Reader { numbers, sender: Sender::Us, depth: DEPTH };
    let mut left = body;
    let mut chunks = Vec::new();
    while !left.is_empty() {
        let (node, rest) = take_node(left).unwrap_or((left, &[]));
        chunks.push(reader.node(Family::Chunk, node));
        left = rest;
    }
    chunks
}

/// Splits the first node, without its padding, from the nodes after it; `None` if its length is wrong.
fn take_node(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::from(u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]));
    if length < NODE_HEADER {
        return None;
    }
    let node = bytes.get(..length)?;
    let next = length.next_multiple_of(4).min(bytes.len());
    Some((node, &bytes[next..]))
}

/// The chunk, parameter or cause `bytes` in its generic form.
pub(super) fn generic(family: Family, bytes: &[u8]) -> Node {
    let at = |place: usize| bytes.get(place).copied().unwrap_or(0);
    let mut items = Vec::new();
    if family == Family::Chunk {
        items.push(item("type", Value::Number(at(0).into())));
        items.push(item("flgs", Value::Number(at(1).into())));
    } else {
        let kind = u16::from_be_bytes([at(0), at(1)]);
        items.push(item(family.kind_field(), Value::Number(kind.into())));
    }
    items.push(item("len", Value::Number(u16::from_be_bytes([at(2), at(3)]).into())));
    let name = if family == Family::Cause { "info" } else { "val" };
    items.push(item(name, bytes_value(bytes.get(NODE_HEADER..).unwrap_or(&[]))));
    Node { name: family.generic().name.to_owned(), items }
}

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self, width: usize) -> Option<u32> {
        Some(self.take(width)?.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Reads nodes of one sender.
#[derive(Clone, Copy, Debug)]
struct Reader<'a> {
    numbers: &'a Numbers,
    sender: Sender,
    /// The nodes inside this one, at most: hostile bytes must not exhaust the stack.
    depth: usize,
}

impl Reader<'_> {
    /// The node that `bytes` are, without padding.
    fn node(self, family: Family, bytes: &[u8]) -> Node {
        self.known(family, bytes).unwrap_or_else(|| generic(family, bytes))
    }

    /// The node if its form is known and `bytes` have that form.
    fn known(self, family: Family, bytes: &[u8]) -> Option<Node> {
        let inner = Reader { depth: self.depth.checked_sub(1)?, ..self };
        let (header, content) = bytes.split_at_checked(NODE_HEADER)?;
        if usize::from(u16::from_be_bytes([header[2], header[3]])) != bytes.len() {
            return None;
        }
        let kind = match family {
            Family::Chunk => header[0].into(),
            Family::Parameter | Family::Cause => u16::from_be_bytes([header[0], header[1]]),
        };
        let form = family.of_kind(kind)?;
        let mut items = Vec::new();
        if family == Family::Chunk {
            items.push(item("flgs", flags_value(header[1], form.letters)));
        }
        if form.shows_length() {
            items.push(item("len", Value::Number(bytes.len() as i64)));
        }
        let mut cursor = Cursor(content);
        inner.fields(form.fields, &mut cursor, &mut items)?;
        inner.tail(form, header[1], &mut cursor, &mut items)?;
        cursor.0.is_empty().then(|| Node { name: form.name.to_owned(), items })
    }

    fn fields(self, fields: &[Field], cursor: &mut Cursor<'_>, items: &mut Vec<Item>) -> Option<()> {
        for field in fields {
            let value = self.number(*field, cursor)?;
            if !field.name.is_empty() {
                items.push(item(field.name, value));
            }
        }
        Some(())
    }

    /// The number `field`, as the script counts it.
    fn number(self, field: Field, cursor: &mut Cursor<'_>) -> Option<Value> {
        let live = cursor.number(field.width)?;
        Some(Value::Number(self.numbers.to_script(field.numbering, self.sender, live).into()))
    }

    /// The nodes that `bytes` are; `None` if they end inside a node.
    fn nodes(self, family: Family, bytes: &[u8]) -> Option<Vec<Node>> {
        let mut left = bytes;
        let mut nodes = Vec::new();
        while !left.is_empty() {
            let (node, rest) = take_node(left)?;
            nodes.push(self.node(family, node));
            left = rest;
        }
        Some(nodes)
    }
}

/// Reads `node` again in its generic form; `None` if it cannot be written.
pub(super) fn as_generic(family: Family, node: &Node) -> Option<Node> {
    super::encode::encode_node(family, node).ok().map(|bytes| generic(family, &bytes))
}

/// The form of `node`.
pub(super) fn form_of(family: Family, node: &Node) -> Option<&'static Form> {
    family.named(&node.name)
}

#[cfg(test)]
mod tests;
