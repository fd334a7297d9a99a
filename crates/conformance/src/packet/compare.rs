//! Compares a packet of the machine under test with the one that the script expects. Only fields that the script names
//! count.

mod nodes;

use std::fmt::{Display, Formatter};

use super::decode::LivePacket;
use super::numbers::Numbers;
use crate::script::{Checksum, Content, SctpPacket};

/// A part of a packet that differs from what the script expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The part: `DATA.tsn`.
    pub(crate) place: String,
    /// The part that the script expects.
    pub(crate) expected: String,
    /// The part that left the machine.
    pub(crate) got: String,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: expected {}, got {}", self.place, self.expected, self.got)
    }
}

/// The differences between `live` and `expected`.
pub(crate) fn differences(expected: &SctpPacket, live: &LivePacket, numbers: &Numbers) -> Vec<Difference> {
    let mut out = Vec::new();
    let mut note = |place: &str, expected: String, got: String| {
        out.push(Difference { place: place.to_owned(), expected, got });
    };
    let is_checksum_right = match expected.checksum {
        Checksum::Right => live.checksum_is_right,
        Checksum::Bad => !live.checksum_is_right,
        Checksum::Zero => live.checksum_is_zero,
    };
    if !is_checksum_right {
        let got = match (live.checksum_is_zero, live.checksum_is_right) {
            (true, _) => "zero",
            (false, true) => "the CRC32c",
            (false, false) => "a wrong one",
        };
        note("checksum", format!("{:?}", expected.checksum), got.to_owned());
    }
    if let Some(tag) = wrong_tag(expected, live, numbers) {
        note("tag", tag.to_string(), live.tag.to_string());
    }
    match &expected.content {
        Content::Chunks(chunks) => out.extend(nodes::chunks(chunks, &live.chunks)),
        Content::Bytes(bytes) if *bytes != live.bytes => {
            note("bytes", format!("{bytes:02x?}"), format!("{:02x?}", live.bytes));
        }
        Content::Bytes(_) => {}
    }
    out
}

/// The tag that is expected, if `live` has another one.
fn wrong_tag(expected: &SctpPacket, live: &LivePacket, numbers: &Numbers) -> Option<u32> {
    if let Some(tag) = expected.tag {
        return (tag != live.tag).then_some(tag);
    }
    if live.chunks.iter().any(|chunk| chunk.name == "INIT") {
        return (live.tag != 0).then_some(0);
    }
    let newest = *numbers.peer_tags().last()?;
    // A packet that reflects a tag may answer a packet of no association (RFC 9260 §8.4).
    (!live.reflects && !numbers.peer_tags().contains(&live.tag)).then_some(newest)
}

#[cfg(test)]
mod tests;
