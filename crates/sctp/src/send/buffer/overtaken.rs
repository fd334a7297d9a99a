//! Loss detection by the order of sending: finds the chunks that were sent on their path before one that arrived.

use super::super::chunks::Chunks;
use super::super::departures::Departure;
use super::SendBuffer;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;
use crate::seq::Tsn;

impl SendBuffer {
    /// Finds overtaken chunks without a SACK.
    pub(crate) fn find_due(&mut self, news: &mut SackNews) {
        self.clear(news);
        news.departed = self.log.packet();
        self.find_overtaken(news);
    }

    /// The chunk in flight on `path` that was sent last.
    pub(crate) fn latest_departure(&mut self, path: PathId) -> Option<Tsn> {
        let latest = self.log.latest(path, |departure| is_outstanding(&self.chunks, departure, path));
        latest.map(|departure| self.chunks.tsn(departure.position))
    }

    /// The chunk in flight on `path` that was sent first.
    pub(super) fn earliest_departure(&mut self, path: PathId) -> Option<Departure> {
        self.log.earliest(path, |departure| is_outstanding(&self.chunks, departure, path))
    }

    /// Notes each path's first chunk before a SACK is read.
    pub(super) fn note_earliest(&mut self) {
        self.log.note_earliest(|departure, path| is_outstanding(&self.chunks, departure, path));
    }

    /// Finds the chunks that were sent on their path before one that the SACK acknowledges, and did not arrive.
    pub(super) fn find_overtaken(&mut self, news: &mut SackNews) {
        for index in 0..self.in_flight.paths() {
            let path = PathId::from_index(index);
            let Some(newest) = self.log.newest_arrived(path, &news.acked) else { continue };
            let (chunks, reports) = (&self.chunks, &self.reports);
            let before = news.holes.len();
            self.log.each_before(
                path,
                newest,
                |departure| is_outstanding(chunks, departure, path),
                |position| {
                    let is_reneged = reports.is_taken_back(position);
                    news.holes.extend(chunks.at(position).hole(chunks.tsn(position), is_reneged));
                },
            );
            news.examined += news.holes.len() - before;
        }
        if news.may_be_cut_short() {
            news.holes.retain(|hole| hole.tsn.is_before(news.highest_reported));
        }
        let ack_point = self.chunks.ack_point();
        news.holes.sort_unstable_by_key(|hole| hole.tsn.distance_from(ack_point));
    }

    /// Notes for each path whether a SACK acknowledges the chunk in flight there that was sent first.
    pub(super) fn compare_earliest(&self, news: &mut SackNews) {
        for (&earliest, path) in self.log.earliest_before().iter().zip(&mut news.paths) {
            let is_acked = earliest.is_some_and(|position| self.chunks.is_acked(position));
            path.sent_once = is_acked;
            path.lowest |= is_acked;
        }
    }
}

/// Returns true if the chunk is in flight on `path` since this departure.
fn is_outstanding(chunks: &Chunks, departure: Departure, path: PathId) -> bool {
    chunks.held(departure.position).is_some_and(|chunk| {
        let last = chunk.last();
        chunk.is_in_flight() && last.path == path && last.departure == departure.number
    })
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::super::tests::{ONE, buffer, tsn, two};
    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::wire::GapBlock;

    /// A buffer of `count` chunks by the order of departures. The chunks of `order` were sent from it, each in a
    /// packet.
    fn left(count: usize, order: &[(u32, PathId)]) -> SendBuffer {
        let mut buffer = buffer(count).by_departure(true);
        order.iter().for_each(|&(offset, path)| leave(&mut buffer, offset, path));
        buffer
    }

    fn leave(buffer: &mut SendBuffer, offset: u32, path: PathId) {
        buffer.begin_packet(Time::ZERO);
        buffer.on_sent(tsn(offset), path, 0);
    }

    /// Reads a SACK for the first `acked` chunks and the ones from `gap.0` to `gap.1`.
    fn sack(buffer: &mut SendBuffer, acked: u32, gap: Option<(u16, u16)>) -> SackNews {
        let mut news = SackNews::default();
        let gaps = gap
            .into_iter()
            .map(|(first, last)| GapBlock { start: first + 1 - acked as u16, end: last + 1 - acked as u16 });
        assert_eq!(buffer.on_sack(tsn(acked).previous(), gaps, &mut news), Ok(true));
        news
    }

    /// The position of the first chunk in flight on `path`, and the number of its packet.
    fn earliest(buffer: &mut SendBuffer, path: PathId) -> Option<(u64, u64)> {
        buffer.earliest_departure(path).map(|first| (first.position, first.number))
    }

    fn holes(news: &SackNews) -> Vec<u32> {
        news.holes.iter().map(|hole| hole.tsn.distance_from(tsn(0))).collect()
    }

    #[test]
    fn a_hole_is_a_chunk_that_left_before_one_that_arrived_on_its_path() {
        let mut buffer = left(6, &[(5, ONE), (0, ONE), (3, two()), (1, ONE), (2, ONE)]);
        let news = sack(&mut buffer, 1, None);
        assert_eq!(holes(&news), [5], "it has the highest TSN, and left first");
        assert!(!news.paths[0].sent_once && !news.paths[0].lowest);
        let news = sack(&mut buffer, 3, None);
        assert_eq!(holes(&news), [5], "the chunk on path 2 was not overtaken");
        let news = sack(&mut buffer, 3, Some((5, 5)));
        assert!(news.paths[0].sent_once && news.paths[0].lowest && holes(&news).is_empty());
    }

    /// Sixty-four packets on path 2 arrived, each behind a gap, and the chunk after them, which was sent first on path
    /// 1.
    #[test]
    fn a_sack_with_many_gap_blocks_says_nothing_of_chunks_above_the_last_one() {
        for (count, found) in [(64, 0), (63, 1)] {
            let mut order = vec![(129, ONE), (130, ONE)];
            order.extend((0..=128).map(|offset| (offset, if offset % 2 == 1 { two() } else { ONE })));
            let mut buffer = left(140, &order);
            let mut news = SackNews::default();
            let blocks = (0..count).map(|number| GapBlock { start: 2 * number + 1, end: 2 * number + 1 });
            assert_eq!(buffer.on_sack(tsn(0), blocks, &mut news), Ok(true));
            assert_eq!(news.holes.iter().filter(|hole| hole.tsn == tsn(129)).count(), found);
        }
    }

    #[test]
    fn the_first_departure_is_of_a_chunk_that_is_in_flight_there() {
        let mut buffer = left(4, &[(3, ONE), (0, ONE), (1, ONE)]);
        assert_eq!(earliest(&mut buffer, ONE), Some((4, 1)));
        buffer.mark(tsn(3), ONE, LostBy::MissingReports);
        assert_eq!(earliest(&mut buffer, ONE), Some((1, 2)), "it is marked");
        leave(&mut buffer, 3, two());
        assert_eq!((earliest(&mut buffer, two()), earliest(&mut buffer, ONE)), (Some((4, 4)), Some((1, 2))));
        buffer.mark(tsn(0), ONE, LostBy::Timeout);
        buffer.begin_packet(Time::ZERO);
        assert!(buffer.on_sent(tsn(0), ONE, 0).is_lowest_again, "T3-rtx ran for it");
        assert_eq!(earliest(&mut buffer, ONE), Some((2, 3)));
    }

    #[test]
    fn a_chunk_that_was_sent_again_overtakes_nothing() {
        let mut buffer = left(3, &[(0, ONE), (1, ONE)]);
        buffer.mark(tsn(0), ONE, LostBy::MissingReports);
        leave(&mut buffer, 2, ONE);
        leave(&mut buffer, 0, ONE);
        assert!(holes(&sack(&mut buffer, 1, None)).is_empty());
    }

    #[test]
    fn a_chunk_that_is_taken_back_has_its_place_again() {
        let mut buffer = left(3, &[(2, ONE), (0, ONE), (1, ONE)]);
        sack(&mut buffer, 0, Some((2, 2)));
        assert_eq!(earliest(&mut buffer, ONE), Some((1, 2)));
        assert!(holes(&sack(&mut buffer, 0, None)).is_empty(), "nothing arrived after it");
        assert_eq!(holes(&sack(&mut buffer, 1, None)), [2]);
    }

    #[test]
    fn a_copy_takes_the_place_in_which_it_left() {
        let mut buffer = left(4, &[(0, ONE), (1, two()), (2, two())]);
        buffer.begin_packet(Time::ZERO);
        buffer.on_copied(tsn(0), two(), 0);
        leave(&mut buffer, 3, two());
        buffer.mark(tsn(0), ONE, LostBy::MissingReports);
        let news = sack(&mut buffer, 0, Some((3, 3)));
        assert_eq!(holes(&news), [0, 1, 2], "all left before the packet of the last one");
    }
}
