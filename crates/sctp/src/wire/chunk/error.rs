//! ERROR: reports an error; the association continues.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::{Cause, ChunkError, ChunkFault, cause, tlv};

/// An ERROR chunk (RFC 9260 §3.3.10).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 9    |  Chunk Flags  |            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                   one or more Error Causes                    /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorChunk {
    /// The causes, at least one.
    pub causes: Vec<Cause>,
}

impl ErrorChunk {
    /// The chunk type.
    pub const KIND: u8 = 9;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<ErrorChunk, ChunkError> {
        if raw.value.is_empty() {
            return Err(raw.error(ChunkFault::TooShort { length: raw.length(), minimum: 8 }));
        }
        let causes = Cause::decode_list(raw.value).map_err(|error| raw.error(ChunkFault::Cause(error)))?;
        Ok(ErrorChunk { causes })
    }
}

impl EncodeChunk for ErrorChunk {
    fn kind(&self) -> u8 {
        ErrorChunk::KIND
    }

    fn value_len(&self) -> usize {
        tlv::list_len(&self.causes)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, ErrorChunk::KIND, 0, out, |out| tlv::encode_list(&self.causes, out));
    }
}

impl fmt::Display for ErrorChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ERROR")?;
        cause::write_list(&self.causes, f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error, hex};
    use crate::wire::{StreamId, TlvError};

    #[test]
    fn an_error_of_usrsctp_for_a_stream_it_does_not_have() {
        let error = ErrorChunk { causes: vec![Cause::InvalidStreamIdentifier(StreamId::new(0xffee))] };
        assert_is_chunk("0900000c 00010008 ffee0000", &Chunk::Error(error));
    }

    #[test]
    fn an_error_of_usrsctp_for_a_chunk_it_does_not_know() {
        // The chunk's padding is part of the cause's length, as usrsctp sends it.
        let error = ErrorChunk { causes: vec![Cause::UnrecognizedChunkType(hex("c5010007 01020300"))] };
        assert_is_chunk("09000010 0006000c c5010007 01020300", &Chunk::Error(error.clone()));
        assert_eq!(error.to_string(), "ERROR(unrecognized chunk type 197 of 8 bytes)");
    }

    #[test]
    fn two_causes_have_padding_between_them_and_none_in_the_length_behind_the_last() {
        let causes = vec![Cause::ProtocolViolation(b"a".to_vec()), Cause::UserInitiatedAbort(b"b".to_vec())];
        let error = ErrorChunk { causes };
        assert_is_chunk("09000011 000d0005 61000000 000c0005 62000000", &Chunk::Error(error.clone()));
        assert_eq!(error.to_string(), "ERROR(protocol violation \"a\"; user-initiated abort \"b\")");
    }

    #[test]
    fn an_error_without_a_cause_or_with_a_broken_one_is_an_error() {
        assert_eq!(chunk_error("09000004").fault, ChunkFault::TooShort { length: 4, minimum: 8 });
        let inner = TlvError::HeaderCutShort { left: 2 };
        assert_eq!(chunk_error("09000006 000d0000").fault, ChunkFault::Cause(inner));
    }
}
