//! CWR: the answer to an ECNE.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::ChunkError;

/// A CWR chunk (RFC 4960 appendix A; RFC 9260 only reserves the type). The flag is FreeBSD's.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 13   |  Reserved   |O|          Length = 8           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Lowest TSN Number                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionWindowReduced {
    /// The TSN of the ECNE that it answers, or a later one: other stacks end a report whose TSN is not after it.
    pub lowest_tsn: Tsn,
    /// True if it answers a report of data that its sender no longer holds, on any path (O bit).
    pub overrides: bool,
}

impl CongestionWindowReduced {
    /// The chunk type.
    pub const KIND: u8 = 13;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<CongestionWindowReduced, ChunkError> {
        let lowest_tsn = Tsn::new(u32::from_be_bytes(*raw.fixed()?));
        Ok(CongestionWindowReduced { lowest_tsn, overrides: raw.flags & OVERRIDES != 0 })
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
        let flags = if self.overrides { OVERRIDES } else { 0 };
        raw::encode(self, CongestionWindowReduced::KIND, flags, out, |out| {
            out.extend_from_slice(&self.lowest_tsn.get().to_be_bytes());
        });
    }
}

impl fmt::Display for CongestionWindowReduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CWR(lowest={})", self.lowest_tsn)
    }
}

const OVERRIDES: u8 = 1;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::ChunkFault;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    // Both are usrsctp's (`make interop`). The bit beside O, for an answer in the window of data of an earlier one, is not
    // read.
    #[test]
    fn a_cwr_carries_the_tsn_of_the_ecne() {
        let cwr = CongestionWindowReduced { lowest_tsn: Tsn::new(0xb161_f30c), overrides: false };
        assert_is_chunk("0d000008 b161f30c", &Chunk::CongestionWindowReduced(cwr));
        assert_eq!(cwr.to_string(), "CWR(lowest=2975986444)");
        let overrides = CongestionWindowReduced { lowest_tsn: Tsn::new(0xcd3d_b3da), overrides: true };
        assert_is_chunk("0d010008 cd3db3da", &Chunk::CongestionWindowReduced(overrides));
    }

    #[test]
    fn a_cwr_without_a_tsn_is_an_error() {
        let error = chunk_error("0d000004");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 4, expected: 8 });
    }
}
