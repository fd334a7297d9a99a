//! SACKs whose gap blocks are only the new ones: what earlier SACKs reported stays acknowledged until it is named as
//! dropped (M-IPCC-9).

use std::ops::Range;

use super::buffer::SendBuffer;
use super::gap_diff::added;
use super::sack::BadSack;
use crate::policy::loss_detection::SackNews;
use crate::seq::Tsn;
use crate::wire::GapBlock;

impl SendBuffer {
    /// Like [`on_sack`](SendBuffer::on_sack), for a SACK that reports only new gap blocks and the TSNs that the receiver
    /// has `dropped` although an earlier SACK reported them.
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent. Nothing has changed then.
    pub fn on_new_gaps(
        &mut self,
        cumulative: Tsn,
        gaps: impl Iterator<Item = GapBlock>,
        dropped: impl Iterator<Item = Tsn>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.position_after(cumulative) else { return Ok(false) };
        self.read_blocks(new_first, gaps);
        let above = |block: &Range<u64>| block.start.max(new_first)..block.end;
        let known: Vec<Range<u64>> =
            self.gap_acked.iter().map(above).filter(|block| !block.is_empty()).collect();
        let dropped = self.positions_of(dropped);
        let all = joined(added(&self.reported, &known).chain(self.reported.iter().cloned()).collect());
        self.reported.clear();
        self.reported.extend(added(&dropped, &all));
        self.apply(cumulative, new_first, news)
    }

    /// The positions of chunks that are kept, each as a block of its own.
    fn positions_of(&self, tsns: impl Iterator<Item = Tsn>) -> Vec<Range<u64>> {
        let held = tsns.filter(|tsn| !tsn.is_before(self.first_tsn));
        let mut positions: Vec<u64> = held.filter_map(|tsn| self.position_if_held(tsn)).collect();
        positions.sort_unstable();
        positions.dedup();
        positions.into_iter().map(|position| position..position + 1).collect()
    }
}

/// The blocks in ascending order; those that touch are one.
fn joined(mut blocks: Vec<Range<u64>>) -> Vec<Range<u64>> {
    blocks.sort_unstable_by_key(|block| block.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match joined.last_mut().filter(|last| block.start <= last.end) {
            Some(last) => last.end = last.end.max(block.end),
            None => joined.push(block),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{ONE, buffer, sent, tsn};
    use super::*;

    /// Reads a SACK for the first `acked` chunks, and returns the newly acknowledged ones and those in flight.
    fn sack(
        buffer: &mut SendBuffer,
        acked: u32,
        gaps: &[(u16, u16)],
        dropped: &[u32],
    ) -> (Vec<u32>, Vec<u32>) {
        let mut news = SackNews::default();
        let gaps = gaps.iter().map(|&(start, end)| GapBlock { start, end });
        let dropped = dropped.iter().map(|&offset| tsn(offset));
        assert_eq!(buffer.on_new_gaps(tsn(acked).previous(), gaps, dropped, &mut news), Ok(true));
        let offsets = |tsns: Vec<Tsn>| tsns.into_iter().map(|at| at.distance_from(tsn(0))).collect();
        (offsets(news.acked.iter().map(|chunk| chunk.tsn).collect()), offsets(buffer.in_flight_on(ONE)))
    }

    #[test]
    fn what_is_not_named_again_stays_acknowledged() {
        let mut buffer = buffer(10);
        sent(&mut buffer, 0..10, ONE);
        assert_eq!(sack(&mut buffer, 0, &[(3, 4)], &[]).0, [2, 3]);
        assert_eq!(sack(&mut buffer, 0, &[(7, 7)], &[]), (vec![6], vec![0, 1, 4, 5, 7, 8, 9]));
        assert_eq!(sack(&mut buffer, 0, &[], &[]), (vec![], vec![0, 1, 4, 5, 7, 8, 9]));
        assert_eq!(
            sack(&mut buffer, 1, &[(4, 6)], &[]),
            (vec![0, 4, 5], vec![1, 7, 8, 9]),
            "a block that grew"
        );
        assert_eq!(sack(&mut buffer, 7, &[], &[]), (vec![1], vec![7, 8, 9]));
    }

    #[test]
    fn what_is_named_as_dropped_is_in_flight_again() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..6, ONE);
        sack(&mut buffer, 0, &[(2, 6)], &[]);
        assert_eq!(sack(&mut buffer, 0, &[], &[3, 5]).1, [0, 3, 5]);
        assert_eq!(
            sack(&mut buffer, 0, &[(4, 4)], &[]),
            (vec![], vec![0, 5]),
            "acknowledged once in its life"
        );
        // What was never reported, was passed, or is not there, changes nothing.
        assert_eq!(sack(&mut buffer, 1, &[], &[0, 5, 5, 77]).1, [5]);
    }

    #[test]
    fn a_block_of_what_was_never_sent_is_refused() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..3, ONE);
        let gap = std::iter::once(GapBlock { start: 2, end: 9 });
        let refused =
            buffer.on_new_gaps(tsn(0).previous(), gap, std::iter::empty(), &mut SackNews::default());
        assert!(refused.is_err());
        assert_eq!(buffer.in_flight_on(ONE).len(), 3);
    }
}
