//! Writes the packets of a script.

mod error;
mod header;
mod tail;

use crc_fast::crc32_iscsi;

use super::form::{Family, Field, Form, Tail};
use super::numbers::{Numbers, Sender};
use super::value::{is_any, nested, number};
use super::{HEADER, NODE_HEADER};
use crate::script::{Checksum, Content, Node, SctpPacket, Value};
pub(crate) use error::PacketError;
use error::bad;
use header::{check_names, explicit_length, header};

/// The byte that fills values of which a script names only the length.
const FILLER: u8 = b'A';

/// The type of an INIT.
const INIT_KIND: u8 = 1;
/// The length of an INIT without parameters.
const INIT_LENGTH: i64 = 20;

/// The bytes of a packet of the peer from and to `ports`.
///
/// # Errors
///
/// A chunk, a parameter or a cause of the packet is unknown or has a field that it cannot have.
pub(crate) fn encode(
    packet: &SctpPacket,
    ports: (u16, u16),
    numbers: &Numbers,
) -> Result<Vec<u8>, PacketError> {
    let mut out = Vec::new();
    out.extend(ports.0.to_be_bytes());
    out.extend(ports.1.to_be_bytes());
    out.extend(verification_tag(packet, numbers).to_be_bytes());
    out.extend([0; 4]);
    match &packet.content {
        Content::Bytes(bytes) => out.extend(bytes),
        Content::Chunks(chunks) => {
            let writer = Writer { numbers, sender: Sender::Peer };
            for chunk in chunks {
                writer.node(Family::Chunk, chunk, false, &mut out)?;
                pad(&mut out);
            }
        }
    }
    let right = crc32_iscsi(&out);
    let checksum = match packet.checksum {
        Checksum::Right => right,
        Checksum::Bad => !right,
        Checksum::Zero => 0,
    };
    // The low byte comes first (RFC 9260 appendix A).
    out[HEADER - 4..HEADER].copy_from_slice(&checksum.to_le_bytes());
    Ok(out)
}

/// The verification tag of a packet of the peer (RFC 9260 §8.5).
fn verification_tag(packet: &SctpPacket, numbers: &Numbers) -> u32 {
    let (chunks, is_init) = match &packet.content {
        Content::Chunks(chunks) => (chunks.as_slice(), chunks.iter().any(is_init)),
        Content::Bytes(bytes) => (&[][..], bytes.first() == Some(&INIT_KIND)),
    };
    let reflects = chunks.iter().any(has_t_bit);
    match packet.tag {
        Some(tag) if reflects => tag,
        Some(tag) => numbers.our_live_tag(tag),
        None if is_init => 0,
        None if reflects => numbers.peer_tags().last().copied().unwrap_or(0),
        // Before the machine has a tag it is any but zero, which belongs to INIT.
        None => numbers.live_tag().max(1),
    }
}

/// Finds an INIT: by name, or by type and with all its fields.
fn is_init(chunk: &Node) -> bool {
    let field = |name| chunk.field(name).and_then(|value| number(value, &[]));
    chunk.name == "INIT" || field("type") == Some(INIT_KIND.into()) && field("len") >= Some(INIT_LENGTH)
}

/// Finds the bit T: the verification tag is that of the sender instead of the receiver (RFC 9260 §8.5.1).
pub(super) fn has_t_bit(chunk: &Node) -> bool {
    let flags = chunk.field("flgs").and_then(|flags| number(flags, &[('T', 1)])).unwrap_or(0);
    matches!(chunk.name.as_str(), "ABORT" | "SHUTDOWN_COMPLETE") && flags & 1 != 0
}

/// The chunk, parameter or cause `node` on the wire, with the numbers as they are and without padding.
pub(super) fn encode_node(family: Family, node: &Node) -> Result<Vec<u8>, PacketError> {
    let mut out = Vec::new();
    let numbers = Numbers::default();
    Writer { numbers: &numbers, sender: Sender::Us }.node(family, node, false, &mut out)?;
    Ok(out)
}

/// Fills `out` up to a multiple of four bytes.
fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

/// Writes nodes of one sender.
#[derive(Clone, Copy, Debug)]
struct Writer<'a> {
    numbers: &'a Numbers,
    sender: Sender,
}

impl Writer<'_> {
    /// Writes `node` without padding. `answers` is set inside a HEARTBEAT_ACK.
    fn node(self, family: Family, node: &Node, answers: bool, out: &mut Vec<u8>) -> Result<(), PacketError> {
        let form = family.named(&node.name).ok_or_else(|| PacketError::UnknownName {
            name: node.name.clone(),
            family: match family {
                Family::Chunk => "chunk",
                Family::Parameter => "parameter",
                Family::Cause => "cause",
            },
        })?;
        check_names(family, form, node)?;
        let start = out.len();
        header(family, form, node, out)?;
        self.fields(form.fields, node, out)?;
        let echo = self.echo(node, answers);
        if let Some(bytes) = echo {
            out.extend(bytes);
        } else {
            self.tail(form, node, out)?;
        }
        let named = explicit_length(node)?.filter(|_| echo.is_none());
        if let Some(length) = named {
            fill(form, node, start + length, out);
        }
        let length = u16::try_from(named.unwrap_or(out.len() - start));
        let length = length.map_err(|_| PacketError::TooLong { node: node.name.clone() })?;
        out[start + 2..start + NODE_HEADER].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    /// The bytes of ours that the peer returns in `node`: a cookie or heartbeat information.
    fn echo(&self, node: &Node, answers: bool) -> Option<&[u8]> {
        if !is_any(node.field("val")) || self.sender == Sender::Us {
            return None;
        }
        match node.name.as_str() {
            "COOKIE_ECHO" => self.numbers.cookie.as_deref(),
            "HEARTBEAT_INFORMATION" if answers => self.numbers.heartbeat.as_deref(),
            _ => None,
        }
    }

    fn fields(self, fields: &[Field], node: &Node, out: &mut Vec<u8>) -> Result<(), PacketError> {
        for field in fields {
            let value = node.field(field.name).unwrap_or(&Value::Any);
            let number = match value {
                Value::Any => 0,
                value => number(value, &[]).ok_or_else(|| bad(node, field.name, value))?,
            };
            self.number(*field, number, out).ok_or_else(|| bad(node, field.name, value))?;
        }
        Ok(())
    }

    /// Writes `number` as `field`; `None` if it does not fit.
    fn number(self, field: Field, number: i64, out: &mut Vec<u8>) -> Option<()> {
        let number = u32::try_from(number).ok()?;
        if field.width < 4 && number >> (8 * field.width) != 0 {
            return None;
        }
        let live = self.numbers.to_live(field.numbering, self.sender, number);
        out.extend(&live.to_be_bytes()[4 - field.width..]);
        Some(())
    }

    /// Writes nodes with padding between them, and none after the last.
    fn nodes<'n>(
        self,
        family: Family,
        nodes: impl Iterator<Item = &'n Node>,
        answers: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), PacketError> {
        let start = out.len();
        for node in nodes {
            // Relative to the start of the list, which is aligned inside every packet.
            let length = (out.len() - start).next_multiple_of(4);
            out.resize(start + length, 0);
            self.node(family, node, answers, out)?;
        }
        Ok(())
    }

    /// Writes the nodes without a name inside `node`.
    fn nested(self, family: Family, node: &Node, out: &mut Vec<u8>) -> Result<(), PacketError> {
        self.nodes(family, nested(node), node.name == "HEARTBEAT_ACK", out)
    }
}

/// Fills the content up to `end` if the script does not write it.
fn fill(form: &Form, node: &Node, end: usize, out: &mut Vec<u8>) {
    let filler = match form.tail {
        Tail::UserData | Tail::PpidOrFsn => 0,
        Tail::Bytes(name) if is_any(node.field(name)) => FILLER,
        _ => return,
    };
    out.resize(end.max(out.len()), filler);
}

#[cfg(test)]
mod tests;
