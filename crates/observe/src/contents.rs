//! The content of a packet, as tables and charts show it.

use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Checksum, Chunk, Packet};

/// The content of an SCTP packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// The types of its chunks, each once, in order of occurrence.
    pub kinds: Vec<&'static str>,
    /// The TSN of its first DATA chunk.
    pub first_tsn: Option<Tsn>,
    /// The number of its DATA chunks.
    pub data_chunks: u64,
}

impl Contents {
    /// Reads a packet; the unreadable part of a damaged packet is left out.
    pub(crate) fn of(packet: &[u8]) -> Contents {
        let mut contents = Contents::default();
        let Ok(packet) = Packet::decode(packet, Checksum::Omitted) else { return contents };
        for chunk in packet.chunks().flatten() {
            let kind = chunk.name();
            if !contents.kinds.contains(&kind) {
                contents.kinds.push(kind);
            }
            if let Chunk::Data(data) = chunk {
                contents.first_tsn.get_or_insert(data.tsn);
                contents.data_chunks += 1;
            }
        }
        contents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_bundle_has_its_kinds_once_and_its_first_tsn() {
        let contents = Contents::of(&testing::data_packet(&[7, 8]));
        assert_eq!(contents.kinds, ["DATA"]);
        assert_eq!((contents.first_tsn, contents.data_chunks), (Some(Tsn::new(7)), 2));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut packet = testing::data_packet(&[7, 8]);
        let cut = packet.len() - 10;
        packet.truncate(cut);
        assert_eq!(Contents::of(&packet).data_chunks, 1);
        assert_eq!(Contents::of(&packet[..11]), Contents::default());
        assert_eq!(Contents::of(&[]), Contents::default());
    }
}
