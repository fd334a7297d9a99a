//! The standard content: all gap blocks, then all duplicates, as far as they fit.

use anabranch_base::ByteCount;

use super::content::{Arrived, Listed, SackContent};
use crate::wire::Sack;

/// Everything that fits (RFC 9260 §3.3.4, §6.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct FullSack;

impl SackContent for FullSack {
    fn fill(&mut self, arrived: Arrived<'_>, limit: ByteCount, listed: &mut Listed) {
        let entries = limit.as_len().saturating_sub(Sack::HEADER_LEN) / Sack::ENTRY_LEN;
        listed.gaps.clear();
        listed.gaps.extend(arrived.gaps.take(entries));
        // A missing gap block may cause a retransmission, a missing duplicate has no effect: blocks come first.
        let left = entries - listed.gaps.len();
        listed.duplicates.clear();
        listed.duplicates.extend(arrived.duplicates.iter().take(left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Tsn;
    use crate::wire::GapBlock;

    const GAPS: [GapBlock; 2] = [GapBlock { start: 2, end: 3 }, GapBlock { start: 5, end: 5 }];
    const DUPLICATES: [Tsn; 2] = [Tsn::new(7), Tsn::new(9)];

    fn listed_within(limit: u64) -> Listed {
        let mut gaps = GAPS.into_iter();
        let arrived = Arrived { cumulative: Tsn::new(10), gaps: &mut gaps, duplicates: &DUPLICATES };
        let mut listed = Listed { gaps: vec![GapBlock { start: 8, end: 8 }], duplicates: vec![Tsn::new(1)] };
        FullSack.fill(arrived, ByteCount::new(limit), &mut listed);
        listed
    }

    #[test]
    fn everything_is_listed_when_there_is_room() {
        assert_eq!(listed_within(32), Listed { gaps: GAPS.to_vec(), duplicates: DUPLICATES.to_vec() });
    }

    #[test]
    fn duplicates_are_left_out_before_gap_blocks() {
        assert_eq!(listed_within(31), Listed { gaps: GAPS.to_vec(), duplicates: DUPLICATES[..1].to_vec() });
        assert_eq!(listed_within(24), Listed { gaps: GAPS.to_vec(), duplicates: vec![] });
    }

    #[test]
    fn the_highest_gap_blocks_are_left_out_first() {
        assert_eq!(listed_within(23), Listed { gaps: GAPS[..1].to_vec(), duplicates: vec![] });
        assert_eq!(listed_within(0), Listed::default());
    }
}
