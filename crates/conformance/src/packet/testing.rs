//! Packets of a script for tests, and packets as the machine under test sends them.

use super::encode::encode_node;
use super::form::Family;
use super::{LivePacket, Numbers, decode, differences};
use crate::script::{Action, Body, Content, Node, Script, SctpPacket, Symbols};

/// The ports of both ends.
pub(super) const PORTS: (u16, u16) = (5001, 5002);

/// The packet `text`, without `sctp:`.
pub(super) fn packet(text: &str) -> SctpPacket {
    tagged("sctp", text)
}

/// The packet `text` with the head `head`.
pub(super) fn tagged(head: &str, text: &str) -> SctpPacket {
    let script = format!("+0.0 < {head}: {text}\n");
    let script = Script::read(&script, &Symbols::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    match script.events.into_iter().next().map(|event| event.action) {
        Some(Action::Inject(packet)) => match packet.body {
            Body::Sctp(packet) => packet,
            Body::Icmp(_) => panic!("{text}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

/// The chunks `text`.
pub(super) fn chunks(text: &str) -> Vec<Node> {
    match packet(text).content {
        Content::Chunks(chunks) => chunks,
        Content::Bytes(_) => panic!("{text}"),
    }
}

/// The packet `text` of the machine under test, with the numbers as they are.
pub(super) fn sent(tag: u32, text: &str) -> Vec<u8> {
    let mut out = vec![0; 12];
    out[4..8].copy_from_slice(&tag.to_be_bytes());
    for chunk in chunks(text) {
        out.extend(encode_node(Family::Chunk, &chunk).expect("a chunk that can be written"));
        out.resize(out.len().next_multiple_of(4), 0);
    }
    let checksum = crc_fast::crc32_iscsi(&out);
    out[8..12].copy_from_slice(&checksum.to_le_bytes());
    out
}

/// The packet `text` of the machine under test before an association.
pub(super) fn live(text: &str) -> LivePacket {
    let tag = 0;
    decode(&sent(tag, text), &Numbers::default())
}

/// The differences between the chunks `expected` and `got`.
pub(super) fn compared(expected: &str, got: &str) -> Vec<String> {
    let found = differences(&packet(expected), &live(got), &Numbers::default());
    found.iter().map(ToString::to_string).collect()
}
