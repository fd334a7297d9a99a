//! The gap blocks of the last SACK and of the one being read: the new acknowledgements, and those taken back.

use std::ops::Range;

use super::gap_diff::added;
use super::new_gaps::with_new;
use crate::wire::GapBlock;

/// The positions that gap blocks report, as ascending ranges. While a SACK is read, there are two lists: the last one,
/// and the one of this SACK, which [`settle`](GapReports::settle) puts in its place.
#[derive(Debug, Default)]
pub(super) struct GapReports {
    /// The chunks acknowledged by gap blocks: an index of the chunks in the state
    /// [`Acked`](super::chunk::State::Acked).
    acked: Vec<Range<u64>>,
    /// The chunks that the SACK being read reports.
    reported: Vec<Range<u64>>,
    /// The chunks, ascending, that were acknowledged and that the last SACK no longer reports.
    taken_back: Vec<u64>,
}

impl GapReports {
    /// Reads the gap blocks of a SACK, as positions after `new_first`, the first chunk that it does not acknowledge
    /// cumulatively. Blocks that are out of order, or end before their start, are skipped.
    #[inline]
    pub(super) fn read(&mut self, new_first: u64, gaps: impl Iterator<Item = GapBlock>) {
        read_blocks(&mut self.reported, new_first, gaps);
    }

    /// Adds the parts of `blocks` from `new_first` on to the reports of the SACK being read.
    pub(super) fn include(&mut self, new_first: u64, blocks: &[Range<u64>]) {
        let more: Vec<Range<u64>> = above(blocks, new_first).collect();
        self.reported = with_new(&self.reported, &more, &[]);
    }

    /// Reads a SACK that has only new gap blocks, and the positions that are `dropped`.
    pub(crate) fn read_new(
        &mut self,
        new_first: u64,
        gaps: impl Iterator<Item = GapBlock>,
        dropped: &[Range<u64>],
    ) {
        self.read(new_first, gaps);
        let known: Vec<Range<u64>> = above(&self.acked, new_first).collect();
        self.reported = with_new(&known, &self.reported, dropped);
    }

    /// Reads a cumulative acknowledgement without gap blocks: those of the last SACK remain.
    pub(crate) fn read_none(&mut self, new_first: u64) {
        self.reported.clear();
        self.reported.extend(above(&self.acked, new_first));
    }

    /// Drops the chunks below `new_first`, which are cumulatively acknowledged.
    pub(super) fn pass(&mut self, new_first: u64) {
        self.acked.retain_mut(|block| {
            block.start = block.start.max(new_first);
            block.start < block.end
        });
    }

    /// The number of acknowledgements that the SACK takes back.
    pub(crate) fn count_taken_back(&self) -> u64 {
        self.no_longer().map(|block| block.end - block.start).sum()
    }

    /// Takes back only the lowest `most` of these acknowledgements. The other chunks do not change, and the SACK's
    /// reports above the last of these are ignored.
    pub(crate) fn take_back_only(&mut self, most: u64) {
        let mut left = most;
        let end = self.no_longer().find_map(|block| {
            let chunks = left.min(block.end - block.start);
            left -= chunks;
            (left == 0).then_some(block.start + chunks)
        });
        let Some(end) = end else { return };
        self.reported.retain_mut(|block| {
            block.end = block.end.min(end);
            block.start < block.end
        });
        self.reported.extend(above(&self.acked, end));
    }

    /// Notes the acknowledgements that the SACK takes back. Returns these chunks, ascending.
    pub(super) fn take_back(&mut self) -> &[u64] {
        self.taken_back.clear();
        self.taken_back.extend(added(&self.reported, &self.acked).flatten());
        &self.taken_back
    }

    /// Ends the SACK: its reports replace those of the last one.
    pub(super) fn settle(&mut self) {
        std::mem::swap(&mut self.acked, &mut self.reported);
    }

    /// The chunks, ascending, that the SACK acknowledges by gap blocks and the last one did not.
    pub(crate) fn newly_acked(&self) -> impl Iterator<Item = u64> {
        added(&self.acked, &self.reported).flatten()
    }

    /// The positions from `first` on between the blocks that are acknowledged.
    pub(super) fn holes(&self, first: u64) -> impl Iterator<Item = Range<u64>> {
        let starts = std::iter::once(first).chain(self.acked.iter().map(|block| block.end));
        starts.zip(&self.acked).map(|(start, block)| start..block.start)
    }

    /// Returns true if the last SACK took the acknowledgement of the chunk at `position` back.
    pub(crate) fn is_taken_back(&self, position: u64) -> bool {
        self.taken_back.binary_search(&position).is_ok()
    }

    /// The chunks whose acknowledgement the last SACK took back, ascending.
    pub(crate) fn taken_back(&self) -> &[u64] {
        &self.taken_back
    }

    /// One past the highest position that the SACK being read reports, which is not below `new_first`.
    pub(crate) fn claimed(&self, new_first: u64) -> u64 {
        self.reported.last().map_or(new_first, |block| block.end)
    }

    /// One past the highest position that is acknowledged by gap blocks, which is not below `first`.
    pub(super) fn highest(&self, first: u64) -> u64 {
        self.acked.last().map_or(first, |block| block.end)
    }

    /// The number of blocks that are acknowledged.
    pub(super) fn count(&self) -> usize {
        self.acked.len()
    }

    /// The number of blocks of this SACK and the last one.
    pub(super) fn cost(&self) -> usize {
        self.acked.len() + self.reported.len()
    }

    /// The chunks that are acknowledged by gap blocks.
    pub(super) fn acked(&self) -> &[Range<u64>] {
        &self.acked
    }

    /// The chunks that the last SACK reported, and this one does not.
    fn no_longer(&self) -> impl Iterator<Item = Range<u64>> {
        added(&self.reported, &self.acked)
    }
}

/// Writes the positions that `gaps` report after `new_first` into `positions`. Blocks that are out of order, or end before
/// their start, are skipped.
#[inline]
pub(super) fn read_blocks(
    positions: &mut Vec<Range<u64>>,
    new_first: u64,
    gaps: impl Iterator<Item = GapBlock>,
) {
    positions.clear();
    let mut from = new_first;
    for block in gaps {
        let (start, end) = (new_first - 1 + u64::from(block.start), new_first + u64::from(block.end));
        if start >= from && start < end {
            positions.push(start..end);
            from = end;
        }
    }
}

/// The parts of `blocks` from position `least` on.
pub(super) fn above(blocks: &[Range<u64>], least: u64) -> impl Iterator<Item = Range<u64>> {
    blocks.iter().map(move |block| block.start.max(least)..block.end).filter(|block| !block.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports after `old` blocks, and a SACK with `new` ones that acknowledges four chunks cumulatively.
    fn reports(old: &[(u16, u16)], new: &[(u16, u16)]) -> GapReports {
        let blocks = |blocks: &[(u16, u16)]| {
            blocks.iter().map(|&(start, end)| GapBlock { start, end }).collect::<Vec<_>>().into_iter()
        };
        let mut reports = GapReports::default();
        reports.read(5, blocks(old));
        reports.settle();
        reports.read(5, blocks(new));
        reports
    }

    #[test]
    fn what_is_new_and_what_is_taken_back_is_the_difference_to_the_last_sack() {
        let mut reports = reports(&[(2, 3), (6, 7)], &[(3, 4), (9, 8), (7, 7), (2, 2)]);
        assert_eq!(reports.newly_acked().collect::<Vec<_>>(), [8], "blocks out of order are skipped");
        assert_eq!((reports.count_taken_back(), reports.cost(), reports.claimed(5)), (2, 4, 12));
        assert_eq!(reports.take_back(), [6, 10]);
        reports.settle();
        assert_eq!(reports.holes(5).collect::<Vec<_>>(), [5..7, 9..11]);
        assert!(reports.is_taken_back(10) && !reports.is_taken_back(11));
        reports.pass(8);
        assert_eq!((reports.count(), reports.highest(8)), (2, 12));
    }

    #[test]
    fn what_may_not_be_taken_back_stays_and_new_blocks_above_it_are_ignored() {
        let mut reports = reports(&[(2, 5)], &[(3, 3), (8, 9)]);
        assert_eq!(reports.count_taken_back(), 3);
        reports.take_back_only(2);
        assert_eq!(reports.take_back(), [6, 8]);
        assert_eq!(reports.newly_acked().count(), 0);
        reports.settle();
        assert_eq!(reports.highest(5), 10);
    }

    #[test]
    fn a_message_that_says_nothing_of_gaps_changes_none() {
        let mut reports = reports(&[(2, 3), (6, 7)], &[]);
        reports.read_none(11);
        reports.pass(11);
        assert!(reports.take_back().is_empty());
        assert_eq!((reports.newly_acked().count(), reports.claimed(11)), (0, 12));
    }
}
