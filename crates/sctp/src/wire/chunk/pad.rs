//! PAD: padding that gives a packet the wanted length.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};

/// A PAD chunk (RFC 4820 §3). A receiver that does not support it skips it without a report, because of the two high
/// bits of its type.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type = 0x84   |   Flags=0     |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                         Padding Data                          /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pad {
    /// The bytes of padding data, which are all zero. The padding data of a received chunk has no meaning and is not
    /// kept.
    pub len: usize,
}

impl Pad {
    /// The chunk type.
    pub const KIND: u8 = 0x84;

    pub(super) fn decode(raw: RawChunk<'_>) -> Pad {
        Pad { len: raw.value.len() }
    }

    /// The chunk that takes `room` bytes of a packet, including its header; `None` unless `room` is a multiple of 4
    /// and at least as long as the header.
    pub fn filling(room: usize) -> Option<Pad> {
        let len = room.checked_sub(raw::HEADER_LEN)?;
        room.is_multiple_of(4).then_some(Pad { len })
    }
}

impl EncodeChunk for Pad {
    fn kind(&self) -> u8 {
        Pad::KIND
    }

    fn value_len(&self) -> usize {
        self.len
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Pad::KIND, 0, out, |out| out.resize(out.len() + self.len, 0));
    }
}

impl fmt::Display for Pad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PAD({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chunk, UnrecognizedAction};
    use super::*;
    use crate::wire::capture::{assert_is_chunk, hex, packet};
    use crate::wire::{Checksum, Packet};

    #[test]
    fn padding_is_zeros_of_any_length() {
        assert_is_chunk("84000004", &Chunk::Pad(Pad { len: 0 }));
        assert_is_chunk("84000007 00000000", &Chunk::Pad(Pad { len: 3 }));
        assert_eq!(Pad { len: 3 }.to_string(), "PAD(3 bytes)");
    }

    #[test]
    fn it_fills_a_room_exactly_or_not_at_all() {
        let filled = |room| Pad::filling(room).map(|pad| pad.encoded_len());
        assert_eq!(
            [0, 3, 4, 5, 7, 8, 1_428].map(filled),
            [None, None, Some(4), None, None, Some(8), Some(1_428)]
        );
    }

    #[test]
    fn what_it_holds_means_nothing() {
        let bytes = packet(&hex("84000008 deadbeef"));
        let chunk = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().next();
        assert_eq!(chunk, Some(Ok(Chunk::Pad(Pad { len: 4 }))));
    }

    #[test]
    fn a_receiver_that_does_not_support_it_skips_it_silently() {
        assert_eq!(UnrecognizedAction::of_chunk(Pad::KIND), UnrecognizedAction::Skip);
    }
}
