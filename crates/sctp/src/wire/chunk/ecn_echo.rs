//! ECNE: a report of packets with a congestion mark.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::fields::u32_at;
use crate::wire::{ChunkError, ChunkFault};

/// An ECNE chunk. RFC 9260 only reserves the type. RFC 4960 appendix A has 8 bytes with the lowest marked TSN, FreeBSD
/// sends 12 bytes with the number of marked packets, and there is a form of 4 bytes without a TSN (YE Fig 18). The
/// codec supports all three.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 12   |  Chunk Flags  |     Length = 4, 8 or 12       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 Lowest TSN Number (optional)                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Number of Marked Packets since the last CWR (optional)    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnEcho {
    /// 4 bytes: a packet was marked.
    Bare,
    /// 8 bytes: a packet was marked, with the lowest TSN in it.
    Lowest(Tsn),
    /// 12 bytes: several packets were marked. The only form that usrsctp 0.9.5 reads.
    Counted {
        /// The lowest TSN in the first marked packet; FreeBSD has the highest in the last.
        lowest: Tsn,
        /// The number of marked packets since the last CWR.
        packets: u32,
    },
}

impl EcnEcho {
    /// The chunk type.
    pub const KIND: u8 = 12;

    /// The lowest marked TSN, if the peer reports it.
    pub fn lowest_tsn(&self) -> Option<Tsn> {
        match *self {
            EcnEcho::Bare => None,
            EcnEcho::Lowest(lowest) | EcnEcho::Counted { lowest, .. } => Some(lowest),
        }
    }

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<EcnEcho, ChunkError> {
        let value = raw.value;
        match value.len() {
            0 => Ok(EcnEcho::Bare),
            4 => Ok(EcnEcho::Lowest(Tsn::new(u32_at(value, 0)))),
            8 => Ok(EcnEcho::Counted { lowest: Tsn::new(u32_at(value, 0)), packets: u32_at(value, 4) }),
            _ => Err(raw.error(ChunkFault::WrongLength { length: raw.length(), expected: 8 })),
        }
    }
}

impl EncodeChunk for EcnEcho {
    fn kind(&self) -> u8 {
        EcnEcho::KIND
    }

    fn value_len(&self) -> usize {
        match self {
            EcnEcho::Bare => 0,
            EcnEcho::Lowest(_) => 4,
            EcnEcho::Counted { .. } => 8,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, EcnEcho::KIND, 0, out, |out| {
            if let Some(lowest) = self.lowest_tsn() {
                out.extend_from_slice(&lowest.get().to_be_bytes());
            }
            if let EcnEcho::Counted { packets, .. } = self {
                out.extend_from_slice(&packets.to_be_bytes());
            }
        });
    }
}

impl fmt::Display for EcnEcho {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EcnEcho::Bare => f.write_str("ECNE"),
            EcnEcho::Lowest(lowest) => write!(f, "ECNE(lowest={lowest})"),
            EcnEcho::Counted { lowest, packets } => write!(f, "ECNE(lowest={lowest} packets={packets})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    // The last is usrsctp's (`make interop`); the others are written according to RFC 4960 appendix A and YE Fig 18.
    #[test]
    fn all_three_forms_are_read_and_written() {
        let lowest = Tsn::new(0x82c6_36b5);
        assert_is_chunk("0c000004", &Chunk::EcnEcho(EcnEcho::Bare));
        assert_is_chunk("0c000008 82c636b5", &Chunk::EcnEcho(EcnEcho::Lowest(lowest)));
        let counted = EcnEcho::Counted { lowest, packets: 1 };
        assert_is_chunk("0c00000c 82c636b5 00000001", &Chunk::EcnEcho(counted));
        assert_eq!(counted.to_string(), "ECNE(lowest=2194028213 packets=1)");
    }

    #[test]
    fn another_length_is_an_error() {
        let error = chunk_error("0c000006 7ce40000");
        assert_eq!(error.fault, ChunkFault::WrongLength { length: 6, expected: 8 });
    }
}
