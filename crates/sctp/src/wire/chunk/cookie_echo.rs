//! COOKIE-ECHO: returns the State Cookie.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};

/// A COOKIE-ECHO chunk (RFC 9260 §3.3.11). It borrows its cookie.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 10   |  Chunk Flags  |            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                            Cookie                             /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieEcho<'a> {
    /// The cookie of the INIT-ACK.
    pub cookie: &'a [u8],
}

impl<'a> CookieEcho<'a> {
    /// The chunk type.
    pub const KIND: u8 = 10;

    pub(super) fn decode(raw: RawChunk<'a>) -> CookieEcho<'a> {
        CookieEcho { cookie: raw.value }
    }
}

impl EncodeChunk for CookieEcho<'_> {
    fn kind(&self) -> u8 {
        CookieEcho::KIND
    }

    fn value_len(&self) -> usize {
        self.cookie.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, CookieEcho::KIND, 0, out, |out| out.extend_from_slice(self.cookie));
    }
}

impl fmt::Display for CookieEcho<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "COOKIE-ECHO({} bytes)", self.cookie.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::assert_is_chunk;

    #[test]
    fn a_cookie_echo_as_usrsctp_begins_it() {
        // Only the first 16 of the cookie's 316 bytes are kept here.
        let echo = CookieEcho { cookie: b"KAME-BSD 1.1\0\0\0\0" };
        assert_is_chunk("0a000014 4b414d45 2d425344 20312e31 00000000", &Chunk::CookieEcho(echo));
        assert_eq!(echo.to_string(), "COOKIE-ECHO(16 bytes)");
    }

    #[test]
    fn a_cookie_of_any_length_is_padded() {
        assert_is_chunk("0a000007 01020300", &Chunk::CookieEcho(CookieEcho { cookie: &[1, 2, 3] }));
    }
}
