//! Applies a SACK to the chunks. The cost is the number of gap blocks, newly acknowledged chunks and holes, not the
//! size of the flight. An acknowledgement that the SACK takes back costs credit.

use std::ops::Range;

use super::SendBuffer;
use super::paths::sends_on;
use crate::policy::loss_detection::{Hole, PathNews, SackNews};
use crate::seq::Tsn;
use crate::wire::GapBlock;

/// A SACK that violates the protocol: it acknowledges a chunk that was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it acknowledges TSN {acked}, and the highest TSN ever sent is {highest_sent}")]
pub(crate) struct BadSack {
    /// The highest TSN that it acknowledges.
    pub acked: Tsn,
    /// The highest TSN that was sent.
    pub highest_sent: Tsn,
}

impl SendBuffer {
    /// Reads a SACK and writes the changes of chunks into `news`. Returns `false`, and leaves `news` as it is, for a
    /// SACK that is older than one already read (RFC 9260 §6.2.1 i). The cost is the number of blocks, newly
    /// acknowledged chunks and holes.
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent; nothing has changed.
    pub(crate) fn on_sack(
        &mut self,
        cumulative: Tsn,
        gaps: impl Iterator<Item = GapBlock>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.chunks.position_after(cumulative) else { return Ok(false) };
        self.reports.read(new_first, gaps);
        self.apply(cumulative, new_first, news)
    }

    /// Like [`on_sack`](SendBuffer::on_sack), for an NR-SACK: reads the union of both lists, and drops the user data of
    /// the chunks that it acknowledges for good.
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent; nothing has changed.
    pub(crate) fn on_nr_sack(
        &mut self,
        cumulative: Tsn,
        renegable: impl Iterator<Item = GapBlock>,
        firm: impl Iterator<Item = GapBlock>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.chunks.position_after(cumulative) else { return Ok(false) };
        self.reports.read(new_first, renegable);
        self.firm.read(new_first, firm);
        self.reports.include(new_first, self.firm.claimed());
        let is_new = self.apply(cumulative, new_first, news)?;
        self.release_firm();
        Ok(is_new)
    }

    /// Like [`on_sack`](SendBuffer::on_sack), for a SACK that reports only new gap blocks and the TSNs that the receiver
    /// has `dropped` although an earlier SACK reported them.
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent; nothing has changed.
    pub(crate) fn on_new_gaps(
        &mut self,
        cumulative: Tsn,
        gaps: impl Iterator<Item = GapBlock>,
        dropped: impl Iterator<Item = Tsn>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.chunks.position_after(cumulative) else { return Ok(false) };
        let dropped = self.positions_of(dropped);
        self.reports.read_new(new_first, gaps, &dropped);
        self.apply(cumulative, new_first, news)
    }

    /// Reads the acknowledgement in a SHUTDOWN, which is cumulative and has no gap blocks: "the receiver of the
    /// SHUTDOWN chunk MUST NOT interpret the lack of a Gap Ack Block as a renege" (RFC 9260 §3.3.8). Otherwise as
    /// [`on_sack`](SendBuffer::on_sack).
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent; nothing has changed.
    pub(crate) fn on_cumulative_ack(
        &mut self,
        cumulative: Tsn,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.chunks.position_after(cumulative) else { return Ok(false) };
        self.reports.read_none(new_first);
        self.apply(cumulative, new_first, news)
    }

    /// Stores the missing reports that were counted in `holes`.
    pub(crate) fn on_counted(&mut self, holes: &[Hole]) {
        for hole in holes {
            let position = self.chunks.position(hole.tsn);
            self.chunks.at_mut(position).count_missing(hole.missing_reports);
        }
    }

    /// Applies the acknowledgement of the chunks before `new_first` and of those in the gap blocks.
    fn apply(&mut self, cumulative: Tsn, new_first: u64, news: &mut SackNews) -> Result<bool, BadSack> {
        if !self.firm.is_empty() {
            // The receiver cannot take them back, so that a report without them says nothing of them.
            self.reports.include(new_first, self.firm.blocks());
        }
        let claimed = self.reports.claimed(new_first);
        if claimed > self.chunks.sent_end() {
            let acked = self.chunks.tsn(claimed).previous();
            return Err(BadSack { acked, highest_sent: self.highest_sent() });
        }
        self.begin(claimed, news);
        news.has_advanced = new_first > self.chunks.first();
        news.cumulative = cumulative;
        self.ack_cumulatively(new_first, news);
        self.bound_taking_back();
        self.ack_gaps(news);
        self.take_back(news);
        self.reports.settle();
        news.highest_reported = self.chunks.tsn(self.reports.highest(new_first)).previous();
        news.departed = self.log.packet();
        news.blocks = self.reports.count();
        if self.log.is_kept() {
            self.find_overtaken(news);
            self.compare_earliest(news);
        } else {
            self.find_holes(news);
            self.compare_lowest(news);
        }
        Ok(true)
    }

    /// Empties `news` and notes each path's lowest chunks.
    fn begin(&mut self, claimed: u64, news: &mut SackNews) {
        self.clear(news);
        news.examined = self.reports.cost();
        let (chunks, copies) = (&self.chunks, &self.copies);
        self.in_flight.note_lowest(|position, path| sends_on(chunks, copies, position, path));
        if self.ns2.lowest_stays() {
            self.stand(claimed);
        }
        if self.log.is_kept() {
            self.note_earliest();
        }
    }

    /// Empties the lists of `news`.
    pub(super) fn clear(&self, news: &mut SackNews) {
        news.acked.clear();
        news.acked_again.clear();
        news.holes.clear();
        news.paths.clear();
        news.paths.resize(self.in_flight.paths(), PathNews::default());
    }

    /// Finds the chunks in flight below the highest reported one, and those whose acknowledgement was just taken back.
    /// If nothing is newly acknowledged, only the latter: the others would have no effect.
    fn find_holes(&self, news: &mut SackNews) {
        let mut from = self.chunks.first();
        if !news.acked.is_empty() {
            for between in self.reports.holes(from) {
                news.examined += (between.end - between.start) as usize;
                news.holes.extend(between.filter_map(|position| self.hole(position)));
            }
            from = self.reports.highest(from);
        }
        let beyond = self.reports.taken_back().iter().filter(|&&position| position >= from);
        news.holes.extend(beyond.filter_map(|&position| self.hole(position)));
    }

    /// The chunk at `position` for the loss detection, if it is in flight.
    fn hole(&self, position: u64) -> Option<Hole> {
        let is_reneged = self.reports.is_taken_back(position);
        self.chunks.at(position).hole(self.chunks.tsn(position), is_reneged)
    }

    fn compare_lowest(&self, news: &mut SackNews) {
        let is_acked = |position: u64| self.chunks.is_acked(position);
        for (&(once, again), path) in self.in_flight.lowest_before().iter().zip(&mut news.paths) {
            path.sent_once = once.is_some_and(is_acked);
            path.sent_again = again.is_some_and(is_acked);
            path.lowest |= once.into_iter().chain(again).min().is_some_and(is_acked);
        }
    }

    /// The positions of chunks that are kept, each as a block of its own.
    fn positions_of(&self, tsns: impl Iterator<Item = Tsn>) -> Vec<Range<u64>> {
        let held = tsns.filter(|&tsn| !self.chunks.is_passed(tsn));
        let mut positions: Vec<u64> = held.filter_map(|tsn| self.chunks.position_if_held(tsn)).collect();
        positions.sort_unstable();
        positions.dedup();
        positions.into_iter().map(|position| position..position + 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ONE, buffer, sent, tsn, two};
    use super::*;
    use crate::policy::retransmission::LostBy;

    fn sack(buffer: &mut SendBuffer, acked: u32, gaps: &[(u16, u16)]) -> SackNews {
        let mut news = SackNews::default();
        let blocks = gaps.iter().map(|&(start, end)| GapBlock { start, end });
        assert_eq!(buffer.on_sack(tsn(acked).previous(), blocks, &mut news), Ok(true));
        news
    }

    fn acked(news: &SackNews) -> Vec<u32> {
        news.acked.iter().map(|chunk| chunk.tsn.distance_from(tsn(0))).collect()
    }

    fn holes(news: &SackNews) -> Vec<u32> {
        news.holes.iter().map(|hole| hole.tsn.distance_from(tsn(0))).collect()
    }

    #[test]
    fn a_sack_acks_cumulatively_and_by_gaps_each_chunk_once() {
        let mut buffer = buffer(10);
        sent(&mut buffer, 0..10, ONE);
        let news = sack(&mut buffer, 2, &[(3, 4)]);
        assert_eq!((acked(&news), holes(&news)), (vec![0, 1, 4, 5], vec![2, 3]));
        assert_eq!(news.paths[0].left.get(), 400);
        let news = sack(&mut buffer, 2, &[(3, 6)]);
        assert_eq!((acked(&news), holes(&news)), (vec![6, 7], vec![2, 3]));
        let news = sack(&mut buffer, 8, &[]);
        assert_eq!((acked(&news), holes(&news)), (vec![2, 3], vec![]));
        assert_eq!(buffer.held_bytes().get(), 200);
        assert_eq!(buffer.rwnd_flight().get(), 200);
    }

    #[test]
    fn an_old_sack_is_passed_over_and_an_impossible_one_refused() {
        let mut buffer = buffer(10);
        sent(&mut buffer, 0..5, ONE);
        sack(&mut buffer, 3, &[]);
        let mut news = SackNews::default();
        assert_eq!(buffer.on_sack(tsn(1), std::iter::empty(), &mut news), Ok(false));
        let bad = buffer.on_sack(tsn(5), std::iter::empty(), &mut news);
        assert_eq!(bad, Err(BadSack { acked: tsn(5), highest_sent: tsn(4) }));
        let gap = std::iter::once(GapBlock { start: 2, end: 60_000 });
        assert!(buffer.on_sack(tsn(2), gap, &mut news).is_err());
        assert_eq!(buffer.held_bytes().get(), 700);
    }

    #[test]
    fn a_gap_that_is_taken_back_is_in_flight_again_and_counts_as_acked_only_once() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..6, ONE);
        sack(&mut buffer, 0, &[(3, 4)]);
        let news = sack(&mut buffer, 0, &[(3, 3)]);
        assert_eq!(news.paths[0].returned.get(), 100);
        let reneged: Vec<bool> = news.holes.iter().map(|hole| hole.is_reneged).collect();
        assert_eq!((holes(&news), reneged), (vec![3], vec![true]), "nothing is known of the others");
        assert_eq!(buffer.in_flight_on(ONE).len(), 5);
        let news = sack(&mut buffer, 0, &[(3, 4)]);
        assert_eq!((acked(&news), news.paths[0].left.get()), (vec![], 100));
    }

    /// Otherwise no timer of the path would find the chunk, and it would not be sent a third time.
    #[test]
    fn a_chunk_that_was_taken_back_is_in_flight_however_often_it_is_sent_again() {
        let mut buffer = buffer(3);
        sent(&mut buffer, 0..3, ONE);
        sack(&mut buffer, 0, &[(2, 2)]);
        sack(&mut buffer, 0, &[]);
        assert_eq!(buffer.in_flight_on(ONE), [tsn(0), tsn(1), tsn(2)]);
        for from in [ONE, two()] {
            assert!(buffer.mark(tsn(1), from, LostBy::Timeout).is_some());
            buffer.on_sent(tsn(1), two(), 0);
            assert_eq!(
                (buffer.in_flight_on(ONE), buffer.in_flight_on(two())),
                (vec![tsn(0), tsn(2)], vec![tsn(1)])
            );
        }
        sack(&mut buffer, 3, &[]);
        assert!(buffer.in_flight_on(two()).is_empty());
    }

    /// The credit of the first window is used up, and six chunks cost more than they have earned.
    #[test]
    fn what_there_is_no_credit_for_stays_acknowledged_from_the_top() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..6, ONE);
        sack(&mut buffer, 0, &[(2, 6)]);
        while buffer.credit.spend(1_000) > 1 {}
        sack(&mut buffer, 0, &[(4, 4)]);
        assert_eq!(buffer.in_flight_on(ONE), [tsn(0), tsn(1)], "one may always be taken back");
        let news = sack(&mut buffer, 0, &[(2, 3)]);
        assert_eq!((news.paths[0].left.get(), holes(&news)), (100, vec![3]), "and the next one");
        assert_eq!(buffer.in_flight_on(ONE), [tsn(0), tsn(3)]);
        buffer.credit.earn();
        sack(&mut buffer, 0, &[]);
        assert_eq!(buffer.in_flight_on(ONE), (0..6).map(tsn).collect::<Vec<_>>());
    }

    #[test]
    fn a_sack_without_gaps_takes_all_gaps_back() {
        let mut buffer = buffer(4);
        sent(&mut buffer, 0..4, ONE);
        sack(&mut buffer, 0, &[(2, 4)]);
        let news = sack(&mut buffer, 0, &[]);
        assert_eq!((holes(&news), news.paths[0].returned.get()), (vec![1, 2, 3], 300));
    }

    /// G27: path 1 sent 1 and 3, path 2 sent 2 and 4. The SACK that acks 2 by a gap acks the lowest of path 2
    /// only; the one that then acks 1 and 2 cumulatively acks the lowest of path 1 only.
    #[test]
    fn g27_each_path_has_its_own_lowest_chunk() {
        let mut buffer = buffer(4);
        for (offset, path) in [(0, ONE), (1, two()), (2, ONE), (3, two())] {
            buffer.on_sent(tsn(offset), path, 0);
        }
        let news = sack(&mut buffer, 0, &[(2, 2)]);
        assert_eq!((news.paths[0].lowest, news.paths[1].lowest), (false, true));
        let news = sack(&mut buffer, 2, &[]);
        assert_eq!((news.paths[0].lowest, news.paths[1].lowest), (true, false));
    }

    #[test]
    fn a_shutdown_takes_no_gap_back() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..6, ONE);
        sack(&mut buffer, 1, &[(3, 4)]);
        let mut news = SackNews::default();
        assert_eq!(buffer.on_cumulative_ack(tsn(1), &mut news), Ok(true));
        assert_eq!((acked(&news), news.paths[0].left.get()), (vec![1], 100));
        assert!(news.paths[0].returned.is_zero());
        assert_eq!(buffer.in_flight_on(ONE), [tsn(2), tsn(5)]);
    }
}
