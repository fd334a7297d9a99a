//! SHUTDOWN-ACK: the answer to a SHUTDOWN.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::ChunkError;

/// A SHUTDOWN-ACK chunk (RFC 9260 §3.3.9). It has no content.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 8    |  Chunk Flags  |          Length = 4           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownAck;

impl ShutdownAck {
    /// The chunk type.
    pub const KIND: u8 = 8;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<ShutdownAck, ChunkError> {
        raw.fixed::<0>().map(|_| ShutdownAck)
    }
}

impl EncodeChunk for ShutdownAck {
    fn kind(&self) -> u8 {
        ShutdownAck::KIND
    }

    fn value_len(&self) -> usize {
        0
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, ShutdownAck::KIND, 0, out, |_| ());
    }
}

impl fmt::Display for ShutdownAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SHUTDOWN-ACK")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn a_shutdown_ack_of_usrsctp() {
        assert_is_chunk("08000004", &Chunk::ShutdownAck);
        assert_eq!(ShutdownAck.to_string(), "SHUTDOWN-ACK");
    }

    #[test]
    fn a_shutdown_ack_with_content_is_an_error() {
        let error = chunk_error("08000008 00000000");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 8, expected: 4 });
    }
}
