//! AUTH: a code that authenticates the chunks after it in its packet.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::ChunkError;
use crate::wire::fields::u16_at;

/// An AUTH chunk (RFC 4895 §5.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 0x0F   |   Flags=0     |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Shared Key Identifier      |        HMAC Identifier        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                             HMAC                              \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auth<'a> {
    /// The identifier of the endpoint pair shared key; 0 for the empty one.
    pub key: u16,
    /// The identifier of the algorithm, which may be unknown.
    pub algorithm: u16,
    /// The code.
    pub code: &'a [u8],
}

/// A hash function for HMAC (RFC 4895 §3.3, Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HmacAlgorithm {
    /// SHA-1, which every endpoint supports.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl<'a> Auth<'a> {
    /// The chunk type.
    pub const KIND: u8 = 15;

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<Auth<'a>, ChunkError> {
        let (fields, code) = raw.fields::<4>()?;
        Ok(Auth { key: u16_at(fields, 0), algorithm: u16_at(fields, 2), code })
    }
}

impl HmacAlgorithm {
    /// The algorithm with the identifier `id`, if it is known.
    pub(crate) fn from_id(id: u16) -> Option<HmacAlgorithm> {
        [HmacAlgorithm::Sha1, HmacAlgorithm::Sha256].into_iter().find(|algorithm| algorithm.id() == id)
    }

    /// The identifier.
    pub const fn id(self) -> u16 {
        match self {
            HmacAlgorithm::Sha1 => 1,
            HmacAlgorithm::Sha256 => 3,
        }
    }

    /// A code of the right length that authenticates nothing: the field "filled with zeroes" (RFC 4895 §6.2).
    pub(crate) const fn blank(self) -> &'static [u8] {
        match self {
            HmacAlgorithm::Sha1 => &[0; 20],
            HmacAlgorithm::Sha256 => &[0; 32],
        }
    }
}

impl EncodeChunk for Auth<'_> {
    fn kind(&self) -> u8 {
        Auth::KIND
    }

    fn value_len(&self) -> usize {
        4 + self.code.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Auth::KIND, 0, out, |out| {
            out.extend_from_slice(&self.key.to_be_bytes());
            out.extend_from_slice(&self.algorithm.to_be_bytes());
            out.extend_from_slice(self.code);
        });
    }
}

impl fmt::Display for Auth<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AUTH(key={} algorithm={} code of {} bytes)", self.key, self.algorithm, self.code.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    // Written according to the RFC's diagram.
    #[test]
    fn it_names_its_key_and_its_algorithm_before_the_code() {
        let auth = Auth { key: 0, algorithm: 1, code: HmacAlgorithm::Sha1.blank() };
        let dump = format!("0f00001c 00000001 {}", "00".repeat(20));
        assert_is_chunk(&dump, &Chunk::Auth(auth));
        assert_eq!(auth.to_string(), "AUTH(key=0 algorithm=1 code of 20 bytes)");
        assert_eq!(
            [1, 2, 3].map(HmacAlgorithm::from_id),
            [Some(HmacAlgorithm::Sha1), None, Some(HmacAlgorithm::Sha256)]
        );
    }

    #[test]
    fn without_an_algorithm_it_is_an_error() {
        let error = chunk_error("0f000006 00000000");
        assert_eq!(error.fault, ChunkFault::TooShort { length: 6, minimum: 8 });
    }
}
