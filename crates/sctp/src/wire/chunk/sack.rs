//! SACK: reports the DATA that arrived.

use std::fmt;

use super::raw::{self, RawChunk};
use super::{EncodeChunk, Word, WordList};
use crate::seq::Tsn;
use crate::wire::fields::{u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault};

/// A SACK chunk (RFC 9260 §3.3.4). The lists stay in the packet: decoding allocates nothing.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 3    |  Chunk Flags  |         Chunk Length          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      Cumulative TSN Ack                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          Advertised Receiver Window Credit (a_rwnd)           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Number of Gap Ack Blocks = N  |  Number of Duplicate TSNs = M |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Gap Ack Block #1 Start     |     Gap Ack Block #1 End      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Gap Ack Block #N Start     |     Gap Ack Block #N End      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                        Duplicate TSN 1                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                        Duplicate TSN M                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack<'a> {
    /// The last TSN before the first missing one.
    pub cumulative_tsn_ack: Tsn,
    /// Free bytes of the receive buffer.
    pub a_rwnd: u32,
    /// The flags octet: zero in the RFC; with DAC it holds the packet count.
    pub flags: u8,
    /// Blocks of TSNs that arrived beyond the first missing one.
    pub gap_blocks: GapBlocks<'a>,
    /// TSNs that arrived again since the last SACK.
    pub duplicates: Duplicates<'a>,
}

/// The gap ack blocks of a SACK.
pub type GapBlocks<'a> = WordList<'a, GapBlock>;

/// The duplicate TSNs of a SACK.
pub type Duplicates<'a> = WordList<'a, Tsn>;

/// A block of TSNs that arrived, from `start` to `end` inclusive, as offsets from the cumulative TSN ack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GapBlock {
    /// The offset of the first TSN, at least 2 in a well-formed SACK: the TSN at 1 is missing.
    pub start: u16,
    /// The offset of the last TSN.
    pub end: u16,
}

impl<'a> Sack<'a> {
    /// The chunk type.
    pub const KIND: u8 = 3;

    /// The bytes of a SACK without gap blocks and duplicates; each of these adds `Sack::ENTRY_LEN`.
    pub const HEADER_LEN: usize = 16;

    /// The bytes of a gap block or a duplicate TSN.
    pub(crate) const ENTRY_LEN: usize = 4;

    /// The flag of a SACK that has only new gap blocks, and in place of duplicates the TSNs that were dropped (M-IPCC-9).
    pub(crate) const NEW_GAPS: u8 = 0x20;

    /// The flags for the number of packets with DATA that a delayed SACK answers: `min(packets, 3)` in the two high
    /// bits, as in FreeBSD for CMT's delayed acks. 0 is the flags octet of a plain SACK.
    pub fn flags_of_packet_count(packets: u32) -> u8 {
        (packets.min(3) as u8) << PACKET_COUNT_SHIFT
    }

    /// The number of packets with DATA that this SACK answers, up to 3; 0 if the peer does not report it.
    pub(crate) fn packet_count(&self) -> u8 {
        self.flags >> PACKET_COUNT_SHIFT
    }

    /// Returns true if the gap blocks ascend, do not overlap, are not empty, and are all above the cumulative TSN ack.
    /// Decoding a SACK does not check this.
    pub fn is_well_formed(&self) -> bool {
        let mut last = 0;
        self.gap_blocks.iter().all(|GapBlock { start, end }| {
            let is_behind = last < start && start <= end;
            last = end;
            is_behind
        })
    }

    #[inline]
    pub(super) fn decode(raw: RawChunk<'a>) -> Result<Sack<'a>, ChunkError> {
        let (fields, lists) = raw.fields::<12>()?;
        let (gap_blocks, duplicates) = (u16_at(fields, 8), u16_at(fields, 10));
        let (words, rest) = lists.as_chunks::<4>();
        let counted = usize::from(gap_blocks) + usize::from(duplicates);
        if words.len() != counted || !rest.is_empty() {
            return Err(raw.error(ChunkFault::SackCounts { length: raw.length(), gap_blocks, duplicates }));
        }
        let (gap_blocks, duplicates) = words.split_at(usize::from(gap_blocks));
        Ok(Sack {
            cumulative_tsn_ack: Tsn::new(u32_at(fields, 0)),
            a_rwnd: u32_at(fields, 4),
            flags: raw.flags,
            gap_blocks: WordList::from_wire(gap_blocks),
            duplicates: WordList::from_wire(duplicates),
        })
    }
}

impl EncodeChunk for Sack<'_> {
    fn kind(&self) -> u8 {
        Sack::KIND
    }

    fn value_len(&self) -> usize {
        12 + Sack::ENTRY_LEN * (self.gap_blocks.len() + self.duplicates.len())
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Sack::KIND, self.flags, out, |out| {
            out.extend_from_slice(&self.cumulative_tsn_ack.get().to_be_bytes());
            out.extend_from_slice(&self.a_rwnd.to_be_bytes());
            // The chunk's 16-bit length limits both counts.
            out.extend_from_slice(&(self.gap_blocks.len() as u16).to_be_bytes());
            out.extend_from_slice(&(self.duplicates.len() as u16).to_be_bytes());
            self.gap_blocks.encode(out);
            self.duplicates.encode(out);
        });
    }
}

impl Word for GapBlock {
    fn from_wire(bytes: [u8; 4]) -> GapBlock {
        GapBlock { start: u16_at(&bytes, 0), end: u16_at(&bytes, 2) }
    }

    fn to_wire(self) -> [u8; 4] {
        let ([a, b], [c, d]) = (self.start.to_be_bytes(), self.end.to_be_bytes());
        [a, b, c, d]
    }
}

impl Word for Tsn {
    fn from_wire(bytes: [u8; 4]) -> Tsn {
        Tsn::new(u32::from_be_bytes(bytes))
    }

    fn to_wire(self) -> [u8; 4] {
        self.get().to_be_bytes()
    }
}

impl fmt::Display for GapBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

impl fmt::Display for Sack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SACK(cum={} a_rwnd={}", self.cumulative_tsn_ack, self.a_rwnd)?;
        if self.flags != 0 {
            write!(f, " flags={:#04x}", self.flags)?;
        }
        self.gap_blocks.write_named("gaps", f)?;
        self.duplicates.write_named("duplicates", f)?;
        f.write_str(")")
    }
}

const PACKET_COUNT_SHIFT: u32 = 6;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    fn plain() -> Sack<'static> {
        Sack {
            cumulative_tsn_ack: Tsn::new(0x7ce4_7145),
            a_rwnd: 0x1fcf4,
            flags: 0,
            gap_blocks: GapBlocks::EMPTY,
            duplicates: Duplicates::EMPTY,
        }
    }

    fn with_gaps(gaps: &[GapBlock]) -> Sack<'_> {
        Sack { gap_blocks: gaps.into(), ..plain() }
    }

    #[test]
    fn a_plain_sack_of_usrsctp() {
        let sack = Sack { a_rwnd: 131_072, ..plain() };
        assert_is_chunk("03000010 7ce47145 00020000 00000000", &Chunk::Sack(sack));
    }

    #[test]
    fn a_sack_of_usrsctp_with_two_gap_blocks() {
        let gaps = [GapBlock { start: 2, end: 3 }, GapBlock { start: 5, end: 5 }];
        let sack = with_gaps(&gaps);
        assert_is_chunk("03000018 7ce47145 0001fcf4 00020000 00020003 00050005", &Chunk::Sack(sack));
        assert_eq!(sack.to_string(), "SACK(cum=2095345989 a_rwnd=130292 gaps=[2-3 5-5])");
    }

    #[test]
    fn a_sack_of_usrsctp_with_a_duplicate() {
        let twice = [Tsn::new(0x7ce4_714c)];
        let sack =
            Sack { cumulative_tsn_ack: twice[0], a_rwnd: 131_072, duplicates: twice[..].into(), ..plain() };
        assert_is_chunk("03000014 7ce4714c 00020000 00000001 7ce4714c", &Chunk::Sack(sack));
        assert_eq!(sack.to_string(), "SACK(cum=2095345996 a_rwnd=131072 duplicates=[2095345996])");
    }

    #[test]
    fn a_sack_of_dac_by_the_form_of_freebsd_stands_for_two_packets() {
        let sack = Sack { flags: Sack::flags_of_packet_count(2), ..plain() };
        assert_is_chunk("03800010 7ce47145 0001fcf4 00000000", &Chunk::Sack(sack));
        assert_eq!(sack.packet_count(), 2);
        assert_eq!([0, 1, 3, 4, 1_000].map(Sack::flags_of_packet_count), [0, 0x40, 0xc0, 0xc0, 0xc0]);
    }

    #[test]
    fn counts_that_do_not_agree_with_the_length_are_an_error() {
        let error = chunk_error("03000014 7ce4714c 00020000 00010001 7ce4714c");
        assert_eq!(error.fault, ChunkFault::SackCounts { length: 20, gap_blocks: 1, duplicates: 1 });
        let error = chunk_error("03000014 7ce4714c 00020000 00000000 7ce4714c");
        assert_eq!(error.fault, ChunkFault::SackCounts { length: 20, gap_blocks: 0, duplicates: 0 });
        let error = chunk_error("03000013 7ce4714c 00020000 00000000 7ce47100");
        assert_eq!(error.fault, ChunkFault::SackCounts { length: 19, gap_blocks: 0, duplicates: 0 });
    }

    #[test]
    fn a_sack_is_well_formed_if_its_blocks_ascend_and_none_is_empty() {
        let block = |start, end| GapBlock { start, end };
        assert!(plain().is_well_formed());
        assert!(with_gaps(&[block(2, 2), block(4, 9), block(10, u16::MAX)]).is_well_formed());
        assert!(!with_gaps(&[block(0, 3)]).is_well_formed());
        assert!(!with_gaps(&[block(5, 4)]).is_well_formed());
        assert!(!with_gaps(&[block(2, 4), block(4, 5)]).is_well_formed());
        assert!(!with_gaps(&[block(7, 8), block(2, 4)]).is_well_formed());
    }
}
