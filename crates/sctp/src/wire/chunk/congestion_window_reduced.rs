//! CWR: the answer to an ECNE.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::ChunkError;

/// A CWR chunk (RFC 4960 appendix A; RFC 9260 only reserves the type).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 13   |  Chunk Flags  |          Length = 8           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Lowest TSN Number                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionWindowReduced {
    /// The TSN of the ECNE that it answers.
    pub lowest_tsn: Tsn,
}

impl CongestionWindowReduced {
    /// The chunk type.
    pub const KIND: u8 = 13;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<CongestionWindowReduced, ChunkError> {
        Ok(CongestionWindowReduced { lowest_tsn: Tsn::new(u32::from_be_bytes(*raw.fixed()?)) })
    }
}

impl EncodeChunk for CongestionWindowReduced {
    fn kind(&self) -> u8 {
        CongestionWindowReduced::KIND
    }

    fn value_len(&self) -> usize {
        4
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, CongestionWindowReduced::KIND, 0, out, |out| {
            out.extend_from_slice(&self.lowest_tsn.get().to_be_bytes());
        });
    }
}

impl fmt::Display for CongestionWindowReduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CWR(lowest={})", self.lowest_tsn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    // Written according to RFC 4960 appendix A; no implementation was observed to send it.
    #[test]
    fn a_cwr_carries_the_tsn_of_the_ecne() {
        let cwr = CongestionWindowReduced { lowest_tsn: Tsn::new(0x7ce4_7142) };
        assert_is_chunk("0d000008 7ce47142", &Chunk::CongestionWindowReduced(cwr));
        assert_eq!(cwr.to_string(), "CWR(lowest=2095345986)");
    }

    #[test]
    fn a_cwr_without_a_tsn_is_an_error() {
        let error = chunk_error("0d000004");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 4, expected: 8 });
    }
}
