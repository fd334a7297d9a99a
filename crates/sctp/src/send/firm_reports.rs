//! The chunks that NR-SACKs report for good: the receiver never takes them back, so that their user data is dropped
//! before the cumulative acknowledgement (draft-natarajan-tsvwg-sctp-nrsack).

use std::ops::Range;

use super::gap_diff::added;
use super::gap_reports::{above, read_blocks};
use super::new_gaps::joined;
use crate::wire::GapBlock;

/// The positions that NR blocks report, as ascending ranges. Plain SACKs cost one comparison while there are none.
#[derive(Debug, Default)]
pub(super) struct FirmReports {
    /// The chunks above the cumulative ack point that are acknowledged for good.
    firm: Vec<Range<u64>>,
    /// The NR blocks of the NR-SACK being read.
    claimed: Vec<Range<u64>>,
}

impl FirmReports {
    /// Reads the NR blocks of an NR-SACK, as positions after `new_first`, by the rules for gap blocks.
    pub(super) fn read(&mut self, new_first: u64, blocks: impl Iterator<Item = GapBlock>) {
        read_blocks(&mut self.claimed, new_first, blocks);
    }

    /// Ends the NR-SACK: of its NR blocks, the chunks that are now `acked` by gap blocks are acknowledged for good.
    /// Returns those that were not before, as ascending ranges.
    pub(super) fn settle(&mut self, acked: &[Range<u64>]) -> Vec<Range<u64>> {
        let ignored: Vec<Range<u64>> = added(acked, &self.claimed).collect();
        let confirmed: Vec<Range<u64>> = added(&ignored, &self.claimed).collect();
        let new: Vec<Range<u64>> = added(&self.firm, &confirmed).collect();
        if !new.is_empty() {
            let firm = std::mem::take(&mut self.firm);
            self.firm = joined(firm.into_iter().chain(new.iter().cloned()).collect());
        }
        new
    }

    /// Drops the chunks below `new_first`, which are cumulatively acknowledged.
    pub(super) fn pass(&mut self, new_first: u64) {
        if self.firm.first().is_some_and(|block| block.start < new_first) {
            self.firm = above(&self.firm, new_first).collect();
        }
    }

    /// Returns true if no chunk is acknowledged for good.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.firm.is_empty()
    }

    /// The chunks that are acknowledged for good.
    pub(super) fn blocks(&self) -> &[Range<u64>] {
        &self.firm
    }

    /// The NR blocks of the NR-SACK being read.
    pub(super) fn claimed(&self) -> &[Range<u64>] {
        &self.claimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_gap_blocks_acknowledge_is_firm_and_only_once_new() {
        let mut firm = FirmReports::default();
        let blocks = [(2, 4), (3, 9), (6, 8)].map(|(start, end)| GapBlock { start, end });
        firm.read(5, blocks.into_iter());
        assert_eq!(firm.claimed(), [6..9, 10..13], "a block that overlaps is skipped");
        assert_eq!(firm.settle(&[6..8, 10..20]), [6..8, 10..13]);
        assert_eq!(firm.settle(&[6..9, 10..20]), vec![8..9], "the rest is new later");
        assert_eq!(firm.blocks(), [6..9, 10..13]);
        firm.pass(8);
        assert_eq!(firm.blocks(), [8..9, 10..13]);
        firm.pass(13);
        assert!(firm.is_empty());
    }
}
