//! SHUTDOWN-COMPLETE: the last packet of a graceful shutdown.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::ChunkError;

/// A SHUTDOWN-COMPLETE chunk (RFC 9260 §3.3.13).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 14   |  Reserved   |T|          Length = 4           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownComplete {
    /// T bit: the packet's Verification Tag is reflected, because its sender has none.
    pub tag_reflected: bool,
}

impl ShutdownComplete {
    /// The chunk type.
    pub const KIND: u8 = 14;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<ShutdownComplete, ChunkError> {
        raw.fixed::<0>().map(|_| ShutdownComplete { tag_reflected: raw.flags & TAG_REFLECTED != 0 })
    }
}

impl EncodeChunk for ShutdownComplete {
    fn kind(&self) -> u8 {
        ShutdownComplete::KIND
    }

    fn value_len(&self) -> usize {
        0
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let flags = if self.tag_reflected { TAG_REFLECTED } else { 0 };
        raw::encode(self, ShutdownComplete::KIND, flags, out, |_| ());
    }
}

impl fmt::Display for ShutdownComplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tag_reflected { "SHUTDOWN-COMPLETE[T]" } else { "SHUTDOWN-COMPLETE" })
    }
}

const TAG_REFLECTED: u8 = 1;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn a_shutdown_complete_of_usrsctp() {
        let complete = ShutdownComplete { tag_reflected: false };
        assert_is_chunk("0e000004", &Chunk::ShutdownComplete(complete));
        assert_eq!(complete.to_string(), "SHUTDOWN-COMPLETE");
    }

    #[test]
    fn a_shutdown_complete_of_usrsctp_for_a_shutdown_ack_of_no_association_reflects_its_tag() {
        let complete = ShutdownComplete { tag_reflected: true };
        assert_is_chunk("0e010004", &Chunk::ShutdownComplete(complete));
        assert_eq!(complete.to_string(), "SHUTDOWN-COMPLETE[T]");
    }

    #[test]
    fn a_shutdown_complete_with_content_is_an_error() {
        let error = chunk_error("0e000008 00000000");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 8, expected: 4 });
    }
}
