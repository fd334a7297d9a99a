//! SACKs with only new gap blocks: TSNs of earlier SACKs remain acknowledged until they are reported as dropped
//! (M-IPCC-9).

use std::ops::Range;

use super::gap_diff::added;

/// The blocks in effect after a SACK with the `new` ones: these and the `known` ones, without the `dropped` ones. Each
/// list ascends, and its blocks do not overlap.
pub(super) fn with_new(known: &[Range<u64>], new: &[Range<u64>], dropped: &[Range<u64>]) -> Vec<Range<u64>> {
    let all = joined(added(new, known).chain(new.iter().cloned()).collect());
    added(dropped, &all).collect()
}

/// The blocks in ascending order; those that touch are one.
pub(super) fn joined(mut blocks: Vec<Range<u64>>) -> Vec<Range<u64>> {
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
    use super::super::SendBuffer;
    use super::super::buffer::tests::{ONE, buffer, sent, tsn};
    use super::*;
    use crate::policy::loss_detection::SackNews;
    use crate::seq::Tsn;
    use crate::wire::GapBlock;

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
    fn the_blocks_of_a_sack_are_the_known_and_the_new_ones_without_what_was_dropped() {
        let all = with_new(&[3..5, 8..9], &[5..7, 8..10], &[4..5, 20..21]);
        assert_eq!(all, [3..4, 5..7, 8..10]);
        assert_eq!(with_new(&[3..5, 8..9], &[], &[]), [3..5, 8..9]);
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
