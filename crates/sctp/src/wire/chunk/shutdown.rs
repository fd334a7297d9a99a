//! SHUTDOWN: begins the graceful shutdown of an association.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::ChunkError;

/// A SHUTDOWN chunk (RFC 9260 §3.3.8).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 7    |  Chunk Flags  |          Length = 8           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      Cumulative TSN Ack                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shutdown {
    /// The last TSN before the first missing one.
    pub cumulative_tsn_ack: Tsn,
}

impl Shutdown {
    /// The chunk type.
    pub const KIND: u8 = 7;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<Shutdown, ChunkError> {
        Ok(Shutdown { cumulative_tsn_ack: Tsn::new(u32::from_be_bytes(*raw.fixed()?)) })
    }
}

impl EncodeChunk for Shutdown {
    fn kind(&self) -> u8 {
        Shutdown::KIND
    }

    fn value_len(&self) -> usize {
        4
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Shutdown::KIND, 0, out, |out| {
            out.extend_from_slice(&self.cumulative_tsn_ack.get().to_be_bytes());
        });
    }
}

impl fmt::Display for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHUTDOWN(cum={})", self.cumulative_tsn_ack)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn a_shutdown_of_usrsctp() {
        let shutdown = Shutdown { cumulative_tsn_ack: Tsn::new(0x73a7_d11f) };
        assert_is_chunk("07000008 73a7d11f", &Chunk::Shutdown(shutdown));
        assert_eq!(shutdown.to_string(), "SHUTDOWN(cum=1940377887)");
    }

    #[test]
    fn a_shutdown_of_another_length_is_an_error() {
        let fault = |length| ChunkFault::WrongLength { length, expected: 8 };
        assert_eq!(chunk_error("07000004").fault, fault(4));
        assert_eq!(chunk_error("0700000c 73a7d11f 00000000").fault, fault(12));
    }
}
