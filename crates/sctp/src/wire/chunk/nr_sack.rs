//! NR-SACK: reports the DATA that arrived, and which of it the receiver never takes back.

use std::fmt;

use super::raw::{self, RawChunk};
use super::{Duplicates, EncodeChunk, GapBlock, GapBlocks, Sack, WordList};
use crate::seq::Tsn;
use crate::wire::fields::{u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault};

/// An NR-SACK chunk (draft-natarajan-tsvwg-sctp-nrsack). The lists stay in the packet: decoding allocates nothing.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 16   |  Chunk Flags  |         Chunk Length          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      Cumulative TSN Ack                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          Advertised Receiver Window Credit (a_rwnd)           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Number of R Gap Ack Blocks = N |Number of NR Gap Ack Blocks = M|
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Number of Duplicate TSNs = X |           Reserved            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   R Gap Ack Block #1 Start    |    R Gap Ack Block #1 End     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   NR Gap Ack Block #1 Start   |    NR Gap Ack Block #1 End    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                        Duplicate TSN 1                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NrSack<'a> {
    /// The last TSN before the first missing one.
    pub cumulative_tsn_ack: Tsn,
    /// Free bytes of the receive buffer.
    pub a_rwnd: u32,
    /// The flags octet, as in a SACK.
    pub flags: u8,
    /// The number of blocks in `gap_blocks` that the receiver may still take back: the first ones.
    pub renegable: u16,
    /// Blocks of TSNs that arrived beyond the first missing one: first the R blocks, then the NR blocks. One list keeps
    /// the chunk as small as a SACK.
    pub gap_blocks: GapBlocks<'a>,
    /// TSNs that arrived again since the last report.
    pub duplicates: Duplicates<'a>,
}

impl<'a> NrSack<'a> {
    /// The chunk type.
    pub const KIND: u8 = 16;

    /// The bytes of an NR-SACK without blocks and duplicates; each of these adds `Sack::ENTRY_LEN`.
    pub(crate) const HEADER_LEN: usize = 20;

    /// The R blocks: TSNs that arrived and that the receiver may take back.
    pub(crate) fn renegable_blocks(&self) -> impl Iterator<Item = GapBlock> + use<'a> {
        self.gap_blocks.iter().take(self.renegable.into())
    }

    /// The NR blocks: TSNs that arrived and that the receiver never takes back.
    pub(crate) fn firm_blocks(&self) -> impl Iterator<Item = GapBlock> + use<'a> {
        self.gap_blocks.iter().skip(self.renegable.into())
    }

    /// The NR-SACK that reports what `sack` does, all for good.
    pub(crate) fn all_firm(sack: Sack<'a>) -> NrSack<'a> {
        let Sack { cumulative_tsn_ack, a_rwnd, flags, gap_blocks, duplicates } = sack;
        NrSack { cumulative_tsn_ack, a_rwnd, flags, renegable: 0, gap_blocks, duplicates }
    }

    /// The fields that it has in common with a SACK, without blocks.
    pub(crate) fn without_blocks(&self) -> Sack<'a> {
        let &NrSack { cumulative_tsn_ack, a_rwnd, flags, duplicates, .. } = self;
        Sack { cumulative_tsn_ack, a_rwnd, flags, gap_blocks: GapBlocks::EMPTY, duplicates }
    }

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<NrSack<'a>, ChunkError> {
        let (fields, lists) = raw.fields::<16>()?;
        let [renegable, firm, duplicates] = [8, 10, 12].map(|at| u16_at(fields, at));
        let (words, rest) = lists.as_chunks::<4>();
        let gap_blocks = usize::from(renegable) + usize::from(firm);
        if words.len() != gap_blocks + usize::from(duplicates) || !rest.is_empty() {
            let length = raw.length();
            return Err(raw.error(ChunkFault::NrSackCounts { length, renegable, firm, duplicates }));
        }
        let (gap_blocks, duplicates) = words.split_at(gap_blocks);
        Ok(NrSack {
            cumulative_tsn_ack: Tsn::new(u32_at(fields, 0)),
            a_rwnd: u32_at(fields, 4),
            flags: raw.flags,
            renegable,
            gap_blocks: WordList::from_wire(gap_blocks),
            duplicates: WordList::from_wire(duplicates),
        })
    }

    /// The numbers of R and NR blocks.
    fn counts(&self) -> (usize, usize) {
        let renegable = usize::from(self.renegable).min(self.gap_blocks.len());
        (renegable, self.gap_blocks.len() - renegable)
    }
}

impl EncodeChunk for NrSack<'_> {
    fn kind(&self) -> u8 {
        NrSack::KIND
    }

    fn value_len(&self) -> usize {
        16 + Sack::ENTRY_LEN * (self.gap_blocks.len() + self.duplicates.len())
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, NrSack::KIND, self.flags, out, |out| {
            out.extend_from_slice(&self.cumulative_tsn_ack.get().to_be_bytes());
            out.extend_from_slice(&self.a_rwnd.to_be_bytes());
            let (renegable, firm) = self.counts();
            // The chunk's 16-bit length limits all counts.
            for count in [renegable, firm, self.duplicates.len(), 0] {
                out.extend_from_slice(&(count as u16).to_be_bytes());
            }
            self.gap_blocks.encode(out);
            self.duplicates.encode(out);
        });
    }
}

impl fmt::Display for NrSack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NR-SACK(cum={} a_rwnd={}", self.cumulative_tsn_ack, self.a_rwnd)?;
        if self.flags != 0 {
            write!(f, " flags={:#04x}", self.flags)?;
        }
        let (renegable, firm): (Vec<_>, Vec<_>) =
            (self.renegable_blocks().collect(), self.firm_blocks().collect());
        GapBlocks::from(renegable.as_slice()).write_named("gaps", f)?;
        GapBlocks::from(firm.as_slice()).write_named("nr", f)?;
        self.duplicates.write_named("duplicates", f)?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    fn block(start: u16, end: u16) -> GapBlock {
        GapBlock { start, end }
    }

    fn with<'a>(renegable: u16, gap_blocks: &'a [GapBlock], duplicates: &'a [Tsn]) -> NrSack<'a> {
        NrSack {
            cumulative_tsn_ack: Tsn::new(0x7ce4_7145),
            a_rwnd: 0x1fcf4,
            flags: 0,
            renegable,
            gap_blocks: gap_blocks.into(),
            duplicates: duplicates.into(),
        }
    }

    #[test]
    fn an_nr_sack_without_lists_has_twenty_bytes() {
        let bytes = "10000014 7ce47145 0001fcf4 00000000 00000000";
        assert_is_chunk(bytes, &Chunk::NrSack(with(0, &[], &[])));
    }

    #[test]
    fn r_blocks_come_before_nr_blocks_and_duplicates_last() {
        let blocks = [block(2, 3), block(5, 5), block(9, 12)];
        let twice = [Tsn::new(0x7ce4_714c)];
        let nr_sack = with(1, &blocks, &twice);
        let bytes = "10000024 7ce47145 0001fcf4 00010002 00010000 00020003 00050005 0009000c 7ce4714c";
        assert_is_chunk(bytes, &Chunk::NrSack(nr_sack));
        assert_eq!(nr_sack.renegable_blocks().collect::<Vec<_>>(), [block(2, 3)]);
        assert_eq!(nr_sack.firm_blocks().collect::<Vec<_>>(), [block(5, 5), block(9, 12)]);
        assert_eq!(
            nr_sack.to_string(),
            "NR-SACK(cum=2095345989 a_rwnd=130292 gaps=[2-3] nr=[5-5 9-12] duplicates=[2095345996])"
        );
    }

    #[test]
    fn counts_that_do_not_agree_with_the_length_are_an_error() {
        let fault = |renegable, firm, duplicates, length| ChunkFault::NrSackCounts {
            length,
            renegable,
            firm,
            duplicates,
        };
        let error = chunk_error("10000018 7ce4714c 00020000 00010001 00000000 00020002");
        assert_eq!(error.fault, fault(1, 1, 0, 24));
        let error = chunk_error("10000018 7ce4714c 00020000 00000000 00000000 00020002");
        assert_eq!(error.fault, fault(0, 0, 0, 24));
        let error = chunk_error("10000014 7ce4714c 00020000 ffffffff ffff0000");
        assert_eq!(error.fault, fault(u16::MAX, u16::MAX, u16::MAX, 20));
        let error = chunk_error("10000010 7ce4714c 00020000 00000000");
        assert_eq!(error.fault, ChunkFault::TooShort { length: 16, minimum: 20 });
    }

    #[test]
    fn a_chunk_is_no_larger_for_it() {
        assert_eq!(size_of::<NrSack<'_>>(), size_of::<Sack<'_>>());
    }
}
