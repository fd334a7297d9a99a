//! I-FORWARD-TSN: lets the receiver skip abandoned I-DATA.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::{Mid, Tsn};
use crate::wire::fields::{u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault, StreamId};

/// An I-FORWARD-TSN chunk (RFC 8260 §2.3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Type = 194   | Flags = 0x00  |       Length = Variable       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      New Cumulative TSN                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |       Stream Identifier       |          Reserved           |U|
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Message Identifier                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IForwardTsn {
    /// The TSN up to which all count as received.
    pub new_cumulative_tsn: Tsn,
    /// The messages up to which each stream is skipped.
    pub skipped: Vec<SkippedMessage>,
}

/// The last message of a stream that is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SkippedMessage {
    /// The stream.
    pub stream: StreamId,
    /// True for the unordered messages of the stream.
    pub unordered: bool,
    /// The message.
    pub mid: Mid,
}

impl IForwardTsn {
    /// The chunk type.
    pub const KIND: u8 = 194;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<IForwardTsn, ChunkError> {
        let (tsn, list) = raw.fields::<4>()?;
        let (entries, []) = list.as_chunks::<8>() else {
            return Err(raw.error(ChunkFault::BrokenEntry { length: raw.length() }));
        };
        let skipped = entries.iter().map(SkippedMessage::from_wire).collect();
        Ok(IForwardTsn { new_cumulative_tsn: Tsn::new(u32::from_be_bytes(*tsn)), skipped })
    }
}

impl SkippedMessage {
    fn from_wire(bytes: &[u8; 8]) -> SkippedMessage {
        SkippedMessage {
            stream: StreamId::new(u16_at(bytes, 0)),
            unordered: bytes[3] & 1 != 0,
            mid: Mid::new(u32_at(bytes, 4)),
        }
    }
}

impl EncodeChunk for IForwardTsn {
    fn kind(&self) -> u8 {
        IForwardTsn::KIND
    }

    fn value_len(&self) -> usize {
        4 + 8 * self.skipped.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, IForwardTsn::KIND, 0, out, |out| {
            out.extend_from_slice(&self.new_cumulative_tsn.get().to_be_bytes());
            for skipped in &self.skipped {
                out.extend_from_slice(&skipped.stream.get().to_be_bytes());
                out.extend_from_slice(&u16::from(skipped.unordered).to_be_bytes());
                out.extend_from_slice(&skipped.mid.get().to_be_bytes());
            }
        });
    }
}

impl fmt::Display for IForwardTsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "I-FORWARD-TSN(cum={}", self.new_cumulative_tsn)?;
        for (index, skipped) in self.skipped.iter().enumerate() {
            f.write_str(if index == 0 { " skipped=[" } else { " " })?;
            let letter = if skipped.unordered { "U" } else { "" };
            write!(f, "{}:{letter}{}", skipped.stream, skipped.mid)?;
        }
        f.write_str(if self.skipped.is_empty() { ")" } else { "])" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn each_stream_has_an_entry_for_ordered_and_one_for_unordered_messages() {
        let entry =
            |unordered, mid| SkippedMessage { stream: StreamId::new(3), unordered, mid: Mid::new(mid) };
        let skipped = vec![entry(false, 65_536), entry(true, 7)];
        let forward = IForwardTsn { new_cumulative_tsn: Tsn::new(5), skipped };
        assert_eq!(forward.to_string(), "I-FORWARD-TSN(cum=5 skipped=[3:65536 3:U7])");
        let bytes = "c2000018 00000005 00030000 00010000 00030001 00000007";
        assert_is_chunk(bytes, &Chunk::IForwardTsn(forward));
        let none = IForwardTsn { new_cumulative_tsn: Tsn::new(5), skipped: Vec::new() };
        assert_eq!(none.to_string(), "I-FORWARD-TSN(cum=5)");
    }

    #[test]
    fn half_an_entry_is_an_error() {
        let error = chunk_error("c200000c 00000005 00030000");
        assert_eq!(error.fault, ChunkFault::BrokenEntry { length: 12 });
    }
}
