//! The behaviour of ns-2's CMT module in the send buffer, where [`Ns2`](crate::policy::ns2::Ns2) enables it: finds the
//! chunks that its window update expects, and its consequences of a cumulative acknowledgement.

use super::super::chunk::Sends;
use super::SendBuffer;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;

impl SendBuffer {
    /// Restarts the search of both trackers of `path` at the next SACK.
    pub(crate) fn search_lowest_anew(&mut self, path: PathId) {
        self.standing.search_anew(path);
    }

    /// Updates the trackers for a SACK that acknowledges nothing from position `end` on, where lowest chunks remain
    /// tracked when they are marked. Trackers that have to search do so among the chunks below `end`; and the SACK is
    /// compared with the tracked chunk that was sent once, in place of the lowest one.
    pub(super) fn stand(&mut self, end: u64) {
        for index in 0..self.in_flight.paths() {
            let path = PathId::from_index(index);
            let (chunks, marked, in_flight) = (&self.chunks, &self.marked, &self.in_flight);
            let is_unacked = |position: u64| {
                chunks.held(position).is_some_and(|chunk| chunk.path() == path && !chunk.was_acked())
            };
            // The lowest chunk last sent on the path that was never acknowledged, in flight or marked.
            let lowest = |sends: Sends| {
                let is_wanted = |position: &u64| {
                    let was_sent_once = chunks.at(*position).sends() == Sends::Once;
                    is_unacked(*position) && was_sent_once == (sends == Sends::Once)
                };
                let marked = marked.positions().find(is_wanted);
                let in_flight = in_flight.listed(path, sends).find(is_wanted);
                marked.into_iter().chain(in_flight).min().filter(|&position| position < end)
            };
            let once =
                self.standing.begin(path, is_unacked, || lowest(Sends::Once), || lowest(Sends::Resend));
            self.in_flight.compare_with(path, once);
        }
    }

    /// Prepares the cumulative acknowledgement of the chunk at `position`.
    pub(super) fn pass(&mut self, position: u64, news: &mut SackNews) {
        let chunk = self.chunks.at(position);
        let path = chunk.path();
        let of_path = &mut news.paths[path.index()];
        of_path.lowest |= self.ns2.restarts_timer(&self.standing, path, position);
        if self.ns2.advances_path(chunk.was_acked()) {
            of_path.marked = true;
            self.standing.search_anew(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ONE, buffer, sent, tsn, two};
    use super::*;
    use crate::policy::ns2::Ns2;
    use crate::policy::retransmission::LostBy;
    use crate::wire::GapBlock;

    /// Chunks are sent on one path; the first is lost. The path may grow: when the second is acknowledged by a gap block;
    /// when, after the first was sent again on `path`, the third is.
    fn may_grow(rules: Ns2, path: PathId) -> [bool; 2] {
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
        assert_eq!(may_grow(Ns2::NONE, ONE), [false, true], "ours moves on to the third");
        let stays = Ns2::of_numbers(&[2]);
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
        assert_eq!(acked(Ns2::NONE), [1, 0, 0]);
        assert_eq!(acked(Ns2::of_numbers(&[8])), [1, 0, 1]);
    }
}
