//! COOKIE-ACK: the answer to a COOKIE-ECHO.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::ChunkError;

/// A COOKIE-ACK chunk (RFC 9260 §3.3.12). It has no content.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 11   |  Chunk Flags  |          Length = 4           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieAck;

impl CookieAck {
    /// The chunk type.
    pub const KIND: u8 = 11;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<CookieAck, ChunkError> {
        raw.fixed::<0>().map(|_| CookieAck)
    }
}

impl EncodeChunk for CookieAck {
    fn kind(&self) -> u8 {
        CookieAck::KIND
    }

    fn value_len(&self) -> usize {
        0
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, CookieAck::KIND, 0, out, |_| ());
    }
}

impl fmt::Display for CookieAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("COOKIE-ACK")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn a_cookie_ack_of_usrsctp() {
        assert_is_chunk("0b000004", &Chunk::CookieAck);
        assert_eq!(CookieAck.to_string(), "COOKIE-ACK");
    }

    #[test]
    fn a_cookie_ack_with_content_is_an_error() {
        let error = chunk_error("0b000008 00000000");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 8, expected: 4 });
    }
}
