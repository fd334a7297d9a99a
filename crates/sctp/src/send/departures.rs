//! The order in which chunks left on each path. A scheduler may send a chunk before those with lower TSNs, so that it
//! arrives when it is due. For such chunks, only the order of departure on a path tells which one was overtaken (compare
//! RFC 8985).

use std::collections::VecDeque;

use anabranch_base::Time;

use super::buffer::SendBuffer;
use super::chunk::State;
use crate::policy::PathId;
use crate::policy::loss_detection::{PathNews, SackNews};
use crate::seq::Tsn;

/// The packets that left, and, if they are kept, the orders in which chunks left on the paths.
#[derive(Debug, Default)]
pub(super) struct DepartureLog {
    is_kept: bool,
    /// Of each path, the last packet that left of those that arrived, if time counts: what it overtook may still arrive.
    newest: Option<Vec<u64>>,
    /// The number of the last packet, and when it left.
    pub packet: u64,
    pub packet_at: Time,
    paths: Vec<Departures>,
    /// Each path's first chunk when a SACK arrived.
    earliest_before: Vec<Option<u64>>,
}

/// The chunks that left on one path, in the order of their departures. Entries of chunks that are no longer in flight
/// on the path are dropped when they are read.
#[derive(Debug, Default)]
struct Departures {
    entries: VecDeque<Departure>,
}

/// A chunk that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Departure {
    /// The number of its packet, among the packets of the association.
    number: u64,
    /// The chunk's position.
    position: u64,
}

impl Departures {
    /// The chunk at `position` left, or is in flight again, by the packet `number`.
    fn insert(&mut self, number: u64, position: u64) {
        let departure = Departure { number, position };
        let at = self.entries.partition_point(|earlier| earlier.number <= number);
        match at == self.entries.len() {
            true => self.entries.push_back(departure),
            false => self.entries.insert(at, departure),
        }
    }

    /// The first chunk that `is_outstanding`.
    fn first(&mut self, is_outstanding: impl Fn(Departure) -> bool) -> Option<Departure> {
        while let Some(&departure) = self.entries.front() {
            if is_outstanding(departure) {
                return Some(departure);
            }
            self.entries.pop_front();
        }
        None
    }

    /// Calls `found` with each chunk that `is_outstanding` and left before the packet `number`. The others up to there
    /// are dropped: each is read once.
    fn each_before(
        &mut self,
        number: u64,
        is_outstanding: impl Fn(Departure) -> bool,
        mut found: impl FnMut(u64),
    ) {
        let end = self.entries.partition_point(|departure| departure.number < number);
        let mut kept = 0;
        for at in 0..end {
            let departure = self.entries[at];
            if is_outstanding(departure) {
                found(departure.position);
                self.entries[kept] = departure;
                kept += 1;
            }
        }
        self.entries.drain(kept..end);
    }
}

impl SendBuffer {
    /// This buffer, which detects losses by the order of departures if `is_wanted`.
    pub fn by_departure(mut self, is_wanted: bool) -> SendBuffer {
        self.log.is_kept = is_wanted;
        self
    }

    /// This buffer, which gives what was overtaken with every SACK until it arrives or is lost, if `is_wanted`.
    pub fn by_time(mut self, is_wanted: bool) -> SendBuffer {
        self.log.newest = is_wanted.then(Vec::new);
        self
    }

    /// Finds what was overtaken on its path, although no SACK arrived.
    pub fn find_due(&mut self, news: &mut SackNews) {
        news.acked.clear();
        news.acked_again.clear();
        news.holes.clear();
        news.paths.clear();
        news.paths.resize(self.paths.len(), PathNews::default());
        news.departed = self.log.packet;
        self.find_overtaken(news);
    }

    /// A packet begins: what is sent from now on leaves in it.
    pub fn begin_packet(&mut self, now: Time) {
        self.log.packet += 1;
        self.log.packet_at = now;
    }

    /// Whether losses are detected by the order of departures.
    pub(super) fn is_by_departure(&self) -> bool {
        self.log.is_kept
    }

    /// Makes room for the departures on as many paths as there are.
    pub(super) fn add_departures(&mut self) {
        self.log.paths.resize_with(self.paths.len(), Departures::default);
    }

    /// The chunk at `position` left on `path` in the current packet, or returned to the flight of the path on which
    /// it left in the packet `number`.
    pub(super) fn on_departed(&mut self, position: u64, path: PathId, number: u64) {
        if self.log.is_kept {
            self.log.paths[path.index()].insert(number, position);
        }
    }

    /// The position of the first chunk in flight on `path` by the order of departures, and the number of its packet.
    pub(super) fn earliest_departure(&mut self, path: PathId) -> Option<(u64, u64)> {
        let mut departures = std::mem::take(&mut self.log.paths[path.index()]);
        let first = departures.first(|departure| self.is_outstanding(departure, path));
        self.log.paths[path.index()] = departures;
        first.map(|departure| (departure.position, departure.number))
    }

    /// The chunk in flight on `path` that left last.
    pub fn latest_departure(&mut self, path: PathId) -> Option<Tsn> {
        let departures = std::mem::take(&mut self.log.paths[path.index()]);
        let mut latest = departures.entries.iter().rev();
        let found = latest
            .find(|departure| self.is_outstanding(**departure, path))
            .map(|last| self.tsn(last.position));
        self.log.paths[path.index()] = departures;
        found
    }

    /// Whether the chunk at `position`, which is sent again, left its path before all chunks in flight there.
    pub(super) fn is_before_all_departures(&mut self, position: u64) -> bool {
        if !self.log.is_kept {
            return false;
        }
        let (path, number) = (self.chunk(position).path, self.chunk(position).departure);
        self.earliest_departure(path).is_none_or(|(_, earliest)| number <= earliest)
    }

    /// Notes each path's first chunk before a SACK is read.
    pub(super) fn note_earliest(&mut self) {
        self.log.earliest_before.clear();
        for index in 0..self.paths.len() {
            let earliest = self.earliest_departure(PathId::from_index(index));
            self.log.earliest_before.push(earliest.map(|(position, _)| position));
        }
    }

    /// The chunks that left on their path before one that the SACK acknowledges, and did not arrive. A chunk that was sent
    /// again is no evidence: its acknowledgement may answer the first packet.
    pub(super) fn find_overtaken(&mut self, news: &mut SackNews) {
        for index in 0..self.paths.len() {
            let path = PathId::from_index(index);
            let Some(newest) = self.newest_arrived(path, news) else { continue };
            let mut departures = std::mem::take(&mut self.log.paths[index]);
            let before = news.holes.len();
            departures.each_before(
                newest,
                |departure| self.is_outstanding(departure, path),
                |position| news.holes.extend(self.hole(position)),
            );
            self.log.paths[index] = departures;
            news.examined += news.holes.len() - before;
        }
        if news.may_be_cut_short() {
            news.holes.retain(|hole| hole.tsn.is_before(news.highest_reported));
        }
        news.holes.sort_unstable_by_key(|hole| hole.tsn.distance_from(self.first_tsn));
    }

    /// The last packet that left on `path` of those that this SACK acknowledges, or, if time counts, that any did.
    fn newest_arrived(&mut self, path: PathId, news: &SackNews) -> Option<u64> {
        let of_path = news.acked.iter().filter(|chunk| chunk.path == path && !chunk.was_copied);
        let counts_time = self.log.newest.is_some();
        let newest =
            of_path.filter(|chunk| counts_time || !chunk.is_retransmitted).map(|chunk| chunk.departure).max();
        let Some(stored) = &mut self.log.newest else { return newest };
        stored.resize(self.paths.len(), 0);
        let stored = &mut stored[path.index()];
        *stored = newest.map_or(*stored, |newest| newest.max(*stored));
        Some(*stored)
    }

    /// What a SACK means for each path by the order of departures: whether its first chunk arrived.
    pub(super) fn compare_earliest(&self, news: &mut SackNews) {
        for (&earliest, path) in self.log.earliest_before.iter().zip(&mut news.paths) {
            let is_acked = earliest
                .is_some_and(|position| position < self.first || self.chunk(position).state == State::Acked);
            path.sent_once = is_acked;
            path.lowest |= is_acked;
        }
    }

    /// Whether the chunk is in flight on `path` since this departure.
    fn is_outstanding(&self, departure: Departure, path: PathId) -> bool {
        departure.position >= self.first && {
            let chunk = self.chunk(departure.position);
            chunk.state == State::InFlight && chunk.path == path && chunk.departure == departure.number
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{ONE, buffer, tsn, two};
    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::wire::GapBlock;

    /// A buffer of `count` chunks by the order of departures. The chunks of `order` left in it, each in a packet.
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

    /// Sixty-four packets on path 2 arrived, each behind a gap, and the chunk after them, which left path 1 first.
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
        assert_eq!(buffer.earliest_departure(ONE), Some((4, 1)));
        buffer.mark(tsn(3), ONE, LostBy::MissingReports);
        assert_eq!(buffer.earliest_departure(ONE), Some((1, 2)), "it is marked");
        leave(&mut buffer, 3, two());
        assert_eq!(
            (buffer.earliest_departure(two()), buffer.earliest_departure(ONE)),
            (Some((4, 4)), Some((1, 2)))
        );
        buffer.mark(tsn(0), ONE, LostBy::Timeout);
        buffer.begin_packet(Time::ZERO);
        assert!(buffer.on_sent(tsn(0), ONE, 0).is_lowest_again, "T3-rtx ran for it");
        assert_eq!(buffer.earliest_departure(ONE), Some((2, 3)));
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
        assert_eq!(buffer.earliest_departure(ONE), Some((1, 2)));
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

    #[test]
    fn what_is_no_longer_in_flight_is_read_once() {
        let order: Vec<(u32, PathId)> = (0..40).map(|offset| (offset, ONE)).collect();
        let mut buffer = left(40, &order);
        for last in 2..39 {
            sack(&mut buffer, 0, Some((1, last)));
            assert!(buffer.log.paths[0].entries.len() <= 40 - usize::from(last) + 1);
        }
    }
}
