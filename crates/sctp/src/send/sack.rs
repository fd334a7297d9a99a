//! Applies a SACK to the chunks in the send buffer. The cost is the number of gap blocks, newly acknowledged chunks
//! and holes, not the size of the flight. An acknowledgement that the SACK takes back costs credit.

use anabranch_base::ByteCount;

use super::buffer::{KEPT_CHUNKS, SendBuffer, index};
use super::chunk::State;
use super::gap_diff::added;
use crate::policy::PathId;
use crate::policy::loss_detection::{AckedChunk, Hole, PathNews, SackNews};
use crate::policy::ns2::{Ns2Rule, Ns2Rules};
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;
use crate::wire::GapBlock;

/// A SACK that an honest receiver never sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it acknowledges TSN {acked}, and the highest TSN ever sent is {highest_sent}")]
pub struct BadSack {
    /// The highest TSN that it acknowledges.
    pub acked: Tsn,
    /// The highest TSN that was sent.
    pub highest_sent: Tsn,
}

impl SendBuffer {
    /// Reads a SACK and writes what it means for each chunk into `news`. Returns `false`, and leaves `news` as it is,
    /// for a SACK that is older than one already read (RFC 9260 §6.2.1 i). The cost is the number of blocks, newly
    /// acknowledged chunks and holes.
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent. Nothing has changed then.
    pub fn on_sack(
        &mut self,
        cumulative: Tsn,
        gaps: impl Iterator<Item = GapBlock>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let Some(new_first) = self.position_after(cumulative) else { return Ok(false) };
        self.read_blocks(new_first, gaps);
        self.apply(cumulative, new_first, news)
    }

    /// A SHUTDOWN acknowledges cumulatively and has no gap blocks: "the receiver of the SHUTDOWN chunk MUST
    /// NOT interpret the lack of a Gap Ack Block as a renege" (RFC 9260 §3.3.8). Otherwise as
    /// [`on_sack`](SendBuffer::on_sack).
    ///
    /// # Errors
    /// It acknowledges a chunk that was never sent. Nothing has changed then.
    pub fn on_cumulative_ack(&mut self, cumulative: Tsn, news: &mut SackNews) -> Result<bool, BadSack> {
        let Some(new_first) = self.position_after(cumulative) else { return Ok(false) };
        self.reported.clear();
        self.reported.extend(self.gap_acked.iter().filter_map(|block| {
            let start = block.start.max(new_first);
            (start < block.end).then_some(start..block.end)
        }));
        self.apply(cumulative, new_first, news)
    }

    /// The position of the first chunk after `cumulative`; `None` if `cumulative` is below the ack point.
    pub(super) fn position_after(&self, cumulative: Tsn) -> Option<u64> {
        let ack_point = self.first_tsn.previous();
        let is_old = cumulative.is_before(ack_point);
        (!is_old).then(|| self.first + u64::from(cumulative.distance_from(ack_point)))
    }

    /// All chunks before `new_first` arrived, and those in `reported`.
    pub(super) fn apply(
        &mut self,
        cumulative: Tsn,
        new_first: u64,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let claimed = self.reported.last().map_or(new_first, |block| block.end);
        if claimed > self.sent_end {
            let highest_sent = self.tsn(self.sent_end).previous();
            return Err(BadSack { acked: self.tsn(claimed).previous(), highest_sent });
        }
        self.begin(claimed, news);
        news.has_advanced = new_first > self.first;
        news.cumulative = cumulative;
        self.ack_cumulatively(new_first, news);
        self.bound_taking_back();
        self.ack_gaps(news);
        self.take_back(news);
        std::mem::swap(&mut self.gap_acked, &mut self.reported);
        let highest = self.gap_acked.last().map_or(new_first, |block| block.end);
        news.highest_reported = self.tsn(highest).previous();
        news.departed = self.log.packet;
        news.blocks = self.gap_acked.len();
        self.find_holes(news);
        match self.is_by_departure() {
            true => self.compare_earliest(news),
            false => self.compare_lowest(news),
        }
        Ok(true)
    }

    /// Stores the missing reports that were counted in `holes`.
    pub fn on_counted(&mut self, holes: &[Hole]) {
        for hole in holes {
            let position = self.position(hole.tsn);
            self.chunk_mut(position).missing_reports = hole.missing_reports;
        }
    }

    /// Empties `news` and notes each path's two lowest positions.
    fn begin(&mut self, claimed: u64, news: &mut SackNews) {
        news.examined = self.gap_acked.len() + self.reported.len();
        news.acked.clear();
        news.acked_again.clear();
        news.holes.clear();
        news.paths.clear();
        news.paths.resize(self.paths.len(), PathNews::default());
        self.taken_back.clear();
        self.lowest_before.clear();
        for index in 0..self.paths.len() {
            let lowest = self.lowest_positions(PathId::from_index(index));
            self.lowest_before.push(lowest);
        }
        if self.ns2 != Ns2Rules::NONE {
            self.stand(claimed);
        }
        if self.is_by_departure() {
            self.note_earliest();
        }
    }

    /// Converts the gap blocks to positions. Blocks that are out of order, or end before their start, are skipped.
    pub(super) fn read_blocks(&mut self, new_first: u64, gaps: impl Iterator<Item = GapBlock>) {
        self.reported.clear();
        let mut from = new_first;
        for block in gaps {
            let (start, end) = (new_first - 1 + u64::from(block.start), new_first + u64::from(block.end));
            if start >= from && start < end {
                self.reported.push(start..end);
                from = end;
            }
        }
    }

    fn ack_cumulatively(&mut self, new_first: u64, news: &mut SackNews) {
        for position in self.first..new_first {
            self.ack_up_to(position, news);
            if let Some(chunk) = self.chunks.pop_front() {
                self.held_bytes -= ByteCount::of_len(chunk.payload.len());
                self.held_by_path.on_released(chunk.path, chunk.payload.len());
            }
            self.first += 1;
            self.first_tsn = self.first_tsn.next();
        }
        if self.chunks.is_empty() {
            self.chunks.shrink_to(KEPT_CHUNKS);
        }
        self.gap_acked.retain_mut(|block| {
            block.start = block.start.max(new_first);
            block.start < block.end
        });
    }

    /// Acknowledgements that are taken back cost credit: a SACK without new acknowledgements is short, and could take
    /// back a whole window. Chunks for which no credit is left, the highest ones, stay as they were, and what the
    /// SACK reports above that point is ignored.
    fn bound_taking_back(&mut self) {
        let taken_back = || added(&self.reported, &self.gap_acked);
        let wanted = taken_back().map(|block| block.end - block.start).sum();
        let mut left = self.credit.spend(wanted);
        if left == wanted {
            return;
        }
        let end = taken_back().find_map(|block| {
            let chunks = left.min(block.end - block.start);
            left -= chunks;
            (left == 0).then_some(block.start + chunks)
        });
        let Some(end) = end else { return };
        self.reported.retain_mut(|block| {
            block.end = block.end.min(end);
            block.start < block.end
        });
        self.reported.extend(self.gap_acked.iter().filter_map(|block| {
            let start = block.start.max(end);
            (start < block.end).then_some(start..block.end)
        }));
    }

    fn ack_gaps(&mut self, news: &mut SackNews) {
        let (old, new) = (std::mem::take(&mut self.gap_acked), std::mem::take(&mut self.reported));
        for position in added(&old, &new).flatten() {
            self.ack(position, news);
        }
        (self.gap_acked, self.reported) = (old, new);
    }

    /// RFC 9260 §6.2.1 iv: a TSN that an earlier gap block acknowledged, and that this SACK does not report, is
    /// missing again.
    fn take_back(&mut self, news: &mut SackNews) {
        let (old, new) = (std::mem::take(&mut self.gap_acked), std::mem::take(&mut self.reported));
        for position in added(&new, &old).flatten() {
            news.examined += 1;
            let rwnd_charge = self.rwnd_charge;
            let charge = self.charge;
            let chunk = self.chunk_mut(position);
            chunk.state = State::InFlight;
            let length = chunk.payload.len();
            let (path, departure) = (chunk.path, chunk.departure);
            self.on_departed(position, path, departure);
            self.rwnd_flight += rwnd_charge.weigh(length);
            news.paths[path.index()].returned += charge.weigh(length);
            self.revoked.insert(position);
            self.taken_back.push(position);
        }
        (self.gap_acked, self.reported) = (old, new);
    }

    /// The chunk at `position` is acknowledged cumulatively.
    fn ack_up_to(&mut self, position: u64, news: &mut SackNews) {
        let chunk = self.chunk(position);
        if chunk.state == State::Marked && !chunk.was_acked {
            news.paths[chunk.path.index()].marked = true;
        }
        if self.ns2 != Ns2Rules::NONE {
            self.pass(position, news);
        }
        self.ack(position, news);
    }

    /// The chunk at `position` is acknowledged. It may be in any state.
    fn ack(&mut self, position: u64, news: &mut SackNews) {
        news.examined += 1;
        let (tsn, charge, rwnd_charge) = (self.tsn(position), self.charge, self.rwnd_charge);
        let counts_again = self.ns2.has(Ns2Rule::Accounts);
        let chunk = self.chunk_mut(position);
        let before = std::mem::replace(&mut chunk.state, State::Acked);
        let was_acked = std::mem::replace(&mut chunk.was_acked, true);
        let is_first_time = before != State::Acked && (!was_acked || counts_again);
        let (path, round) = (chunk.path, chunk.round);
        let (departure, sent_at) = (chunk.departure, chunk.sent_at);
        let (is_retransmitted, was_copied) = (chunk.was_sent_again, chunk.was_copied);
        let length = chunk.payload.len();
        let weight = charge.weigh(length);
        match before {
            State::InFlight => {
                self.rwnd_flight -= rwnd_charge.weigh(length);
                news.paths[path.index()].left += weight;
                self.revoked.remove(&position);
                self.ack_copies(position, weight, news);
            }
            State::Marked => {
                if self.marked.remove(&position) {
                    self.rwnd_marked -= rwnd_charge.weigh(length);
                }
            }
            State::Waiting => {
                self.waiting.take(position);
                self.waiting_bytes -= ByteCount::of_len(length);
                // A lying peer acknowledges a chunk that was not sent: it counts as sent on the path in its record.
                self.held_by_path.on_sent(path, None, length);
            }
            State::Acked => {}
        }
        if is_first_time {
            self.credit.earn();
            let payload = ByteCount::of_len(length);
            news.acked.push(AckedChunk {
                tsn,
                path,
                round,
                departure,
                sent_at,
                weight,
                payload,
                is_retransmitted,
                was_copied,
                was_lost: before == State::Marked,
            });
        } else if before != State::Acked {
            news.acked_again.push(tsn);
        }
    }

    /// The chunk at `position` is acknowledged, so all copies of it leave their flights, no matter which of them
    /// arrived.
    fn ack_copies(&mut self, position: u64, weight: ByteCount, news: &mut SackNews) {
        if !self.copies.is_empty() {
            for copy in self.copies.take_all(position) {
                news.paths[copy.path.index()].left += weight;
            }
        }
    }

    /// The chunks in flight below the highest reported one, and those whose acknowledgement was just taken back. If
    /// nothing is newly acknowledged, only the latter: for the others nothing would follow.
    fn find_holes(&mut self, news: &mut SackNews) {
        if self.is_by_departure() {
            return self.find_overtaken(news);
        }
        let mut from = self.first;
        if !news.acked.is_empty() {
            for block in &self.gap_acked {
                news.examined += index(block.start - from);
                news.holes.extend((from..block.start).filter_map(|position| self.hole(position)));
                from = block.end;
            }
        }
        let beyond = self.taken_back.iter().filter(|&&position| position >= from);
        news.holes.extend(beyond.filter_map(|&position| self.hole(position)));
    }

    pub(super) fn hole(&self, position: u64) -> Option<Hole> {
        let chunk = self.chunk(position);
        (chunk.state == State::InFlight).then(|| Hole {
            tsn: self.tsn(position),
            path: chunk.path,
            departure: chunk.departure,
            sent_at: chunk.sent_at,
            missing_reports: chunk.missing_reports,
            is_spent: chunk.losses.had(LostBy::MissingReports),
            has_timed_out: chunk.losses.had(LostBy::Timeout),
            was_acked: chunk.was_acked,
            is_reneged: self.taken_back.binary_search(&position).is_ok(),
        })
    }

    fn compare_lowest(&self, news: &mut SackNews) {
        let is_acked = |position: u64| position < self.first || self.chunk(position).state == State::Acked;
        for (&(once, again), path) in self.lowest_before.iter().zip(&mut news.paths) {
            path.sent_once = once.is_some_and(is_acked);
            path.sent_again = again.is_some_and(is_acked);
            path.lowest |= once.into_iter().chain(again).min().is_some_and(is_acked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{ONE, buffer, sent, tsn, two};
    use super::*;

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
