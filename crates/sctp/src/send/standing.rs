//! The two chunks of a path that the window update of ns-2's CMT module waits for: they stay what they are when they are
//! marked ([`Ns2Rule::LowestStays`](crate::policy::ns2::Ns2Rule::LowestStays)).

use super::buffer::SendBuffer;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;
use crate::policy::ns2::Ns2Rule;

/// Both trackers of a path, as positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// The lowest chunk that was sent once; `None` if it has to be searched.
    once: Option<u64>,
    /// The lowest chunk that was sent again; `None` if it has to be searched.
    again: Option<u64>,
    /// Where both were last, before the SACK at hand: what is acknowledged cumulatively from the lower one on restarts T3-rtx.
    last: [u64; 2],
}

impl Standing {
    /// Whether the chunk at `position`, if it is acknowledged cumulatively, restarts T3-rtx.
    fn restarts_timer(&self, position: u64) -> bool {
        self.last.iter().any(|&last| last <= position)
    }
}

impl SendBuffer {
    /// A SACK that claims nothing from position `end` on arrived. The trackers that have to search do so, among the chunks
    /// below `end`; and the chunk that was sent once takes the place of the lowest one in what the SACK is compared with.
    pub(super) fn stand(&mut self, end: u64) {
        if !self.ns2.has(Ns2Rule::LowestStays) {
            return;
        }
        for index in 0..self.paths.len() {
            let (path, before) = (PathId::from_index(index), self.paths[index].standing);
            let once = before.once.filter(|&position| self.is_unacked_on(position, path));
            let again = before.again.filter(|&position| self.is_unacked_on(position, path));
            let standing = Standing {
                once: once.or_else(|| self.lowest_below(end, path, false)),
                again: again.or_else(|| self.lowest_below(end, path, true)),
                last: [before.once.unwrap_or(before.last[0]), before.again.unwrap_or(before.last[1])],
            };
            self.paths[index].standing = standing;
            self.lowest_before[index].0 = standing.once;
        }
    }

    /// The chunk at `position` is to be acknowledged cumulatively: what follows by ns-2's rules.
    pub(super) fn pass(&mut self, position: u64, news: &mut SackNews) {
        let chunk = self.chunk(position);
        let (path, is_new) = (chunk.path, !chunk.was_acked);
        let of_path = &mut news.paths[path.index()];
        let restarts = self.paths[path.index()].standing.restarts_timer(position);
        of_path.lowest |= self.ns2.has(Ns2Rule::Accounts) && restarts;
        if is_new && self.ns2.has(Ns2Rule::LowestStays) {
            of_path.marked = true;
            self.search_lowest_anew(path);
        }
    }

    /// Both trackers of `path` search at the next SACK.
    pub fn search_lowest_anew(&mut self, path: PathId) {
        let standing = &mut self.paths[path.index()].standing;
        let Standing { once, again, last } = *standing;
        let last = [once.unwrap_or(last[0]), again.unwrap_or(last[1])];
        *standing = Standing { once: None, again: None, last };
    }

    /// The lowest chunk last sent on `path` that was never acknowledged, in flight or marked, sent `again` or once.
    fn lowest_below(&self, end: u64, path: PathId, again: bool) -> Option<u64> {
        let is_wanted = |position: &u64| {
            self.is_unacked_on(*position, path) && self.chunk(*position).was_sent_again == again
        };
        let marked = self.marked.iter().copied().find(is_wanted);
        let in_flight = self.paths[path.index()].positions(again).find(is_wanted);
        marked.into_iter().chain(in_flight).min().filter(|&position| position < end)
    }

    fn is_unacked_on(&self, position: u64, path: PathId) -> bool {
        position >= self.first && {
            let chunk = self.chunk(position);
            chunk.path == path && !chunk.was_acked
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{ONE, buffer, sent, tsn, two};
    use super::*;
    use crate::policy::ns2::Ns2Rules;
    use crate::policy::retransmission::LostBy;
    use crate::wire::GapBlock;

    /// Chunks are sent on one path; the first is lost. The path may grow: when the second is acknowledged by a gap block;
    /// when, after the first was sent again on `path`, the third is.
    fn may_grow(rules: Ns2Rules, path: PathId) -> [bool; 2] {
        let mut buffer = buffer(4).with_ns2(rules);
        sent(&mut buffer, 0..4, ONE);
        let mut news = SackNews::default();
        let mut sack = |buffer: &mut SendBuffer, end| {
            let gaps = std::iter::once(GapBlock { start: 2, end });
            assert_eq!(buffer.on_sack(tsn(0).previous(), gaps, &mut news), Ok(true));
            news.paths[0].sent_once
        };
        let first = sack(&mut buffer, 2);
        assert!(buffer.mark(tsn(0), ONE, LostBy::MissingReports).is_some());
        buffer.on_sent(tsn(0), path, 0);
        [first, sack(&mut buffer, 3)]
    }

    #[test]
    fn a_lost_chunk_stays_the_one_that_is_waited_for_until_it_moves() {
        assert_eq!(may_grow(Ns2Rules::NONE, ONE), [false, true], "ours moves on to the third");
        let stays = Ns2Rules::NONE.with(Ns2Rule::LowestStays);
        assert_eq!(may_grow(stays, ONE), [false, false]);
        assert_eq!(may_grow(stays, two()), [false, true]);
    }

    /// The second chunk is acknowledged by a gap block, which a later SACK takes back and another has again.
    #[test]
    fn a_chunk_counts_again_that_was_taken_back_where_ns2_counts_so() {
        let acked = |rules| {
            let mut buffer = buffer(3).with_ns2(rules);
            sent(&mut buffer, 0..3, ONE);
            let mut news = SackNews::default();
            [1, 0, 1].map(|gaps| {
                let gaps = std::iter::once(GapBlock { start: 2, end: 2 }).take(gaps);
                assert_eq!(buffer.on_sack(tsn(0).previous(), gaps, &mut news), Ok(true));
                news.acked.len()
            })
        };
        assert_eq!(acked(Ns2Rules::NONE), [1, 0, 0]);
        assert_eq!(acked(Ns2Rules::NONE.with(Ns2Rule::Accounts)), [1, 0, 1]);
    }
}
