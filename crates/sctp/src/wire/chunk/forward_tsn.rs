//! FORWARD-TSN: lets the receiver skip abandoned DATA.

use std::fmt;

use super::raw::{self, RawChunk};
use super::{EncodeChunk, Word, WordList};
use crate::seq::{Ssn, Tsn};
use crate::wire::fields::u16_at;
use crate::wire::{ChunkError, ChunkFault, StreamId};

/// A FORWARD-TSN chunk (RFC 3758 §3.2). The list stays in the packet.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Type = 192   |  Flags = 0x00 |        Length = Variable      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      New Cumulative TSN                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           Stream-1            |       Stream Sequence-1       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               /
/// /                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           Stream-N            |       Stream Sequence-N       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardTsn<'a> {
    /// The TSN up to which all count as received.
    pub new_cumulative_tsn: Tsn,
    /// The ordered streams in which messages are skipped.
    pub skipped: SkippedStreams<'a>,
}

/// The streams of a FORWARD-TSN.
pub type SkippedStreams<'a> = WordList<'a, SkippedStream>;

/// A stream in which messages are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SkippedStream {
    /// The stream.
    pub stream: StreamId,
    /// The last message that is skipped.
    pub ssn: Ssn,
}

impl<'a> ForwardTsn<'a> {
    /// The chunk type.
    pub const KIND: u8 = 192;

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<ForwardTsn<'a>, ChunkError> {
        let (tsn, list) = raw.fields::<4>()?;
        let (words, []) = list.as_chunks::<4>() else {
            return Err(raw.error(ChunkFault::BrokenEntry { length: raw.length() }));
        };
        let new_cumulative_tsn = Tsn::new(u32::from_be_bytes(*tsn));
        Ok(ForwardTsn { new_cumulative_tsn, skipped: WordList::from_wire(words) })
    }
}

impl EncodeChunk for ForwardTsn<'_> {
    fn kind(&self) -> u8 {
        ForwardTsn::KIND
    }

    fn value_len(&self) -> usize {
        4 + 4 * self.skipped.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, ForwardTsn::KIND, 0, out, |out| {
            out.extend_from_slice(&self.new_cumulative_tsn.get().to_be_bytes());
            self.skipped.encode(out);
        });
    }
}

impl Word for SkippedStream {
    fn from_wire(bytes: [u8; 4]) -> SkippedStream {
        SkippedStream { stream: StreamId::new(u16_at(&bytes, 0)), ssn: Ssn::new(u16_at(&bytes, 2)) }
    }

    fn to_wire(self) -> [u8; 4] {
        let ([a, b], [c, d]) = (self.stream.get().to_be_bytes(), self.ssn.get().to_be_bytes());
        [a, b, c, d]
    }
}

impl fmt::Display for SkippedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.stream, self.ssn)
    }
}

impl fmt::Display for ForwardTsn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FORWARD-TSN(cum={}", self.new_cumulative_tsn)?;
        self.skipped.write_named("skipped", f)?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn a_forward_tsn_of_usrsctp() {
        let skipped = [SkippedStream { stream: StreamId::new(3), ssn: Ssn::new(7) }];
        let forward = ForwardTsn { new_cumulative_tsn: Tsn::new(0x7ce4_714d), skipped: skipped[..].into() };
        assert_is_chunk("c000000c 7ce4714d 00030007", &Chunk::ForwardTsn(forward));
        assert_eq!(forward.to_string(), "FORWARD-TSN(cum=2095345997 skipped=[3:7])");
    }

    #[test]
    fn without_ordered_messages_its_list_is_empty() {
        let forward = ForwardTsn { new_cumulative_tsn: Tsn::new(5), skipped: SkippedStreams::EMPTY };
        assert_is_chunk("c0000008 00000005", &Chunk::ForwardTsn(forward));
    }

    #[test]
    fn half_an_entry_or_no_tsn_is_an_error() {
        let error = chunk_error("c000000a 7ce4714d 00030000");
        assert_eq!(error.fault, ChunkFault::BrokenEntry { length: 10 });
        assert_eq!(chunk_error("c0000004").fault, ChunkFault::TooShort { length: 4, minimum: 8 });
    }
}
