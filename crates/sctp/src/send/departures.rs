//! The order of sending (departures) on each path. A scheduler may send a chunk before those with lower TSNs, so that
//! it arrives in time. Then only the order of sending on a path shows which chunk was overtaken (compare RFC 8985).

use std::collections::VecDeque;

use anabranch_base::Time;

use super::chunk::Transmission;
use crate::policy::PathId;
use crate::policy::loss_detection::AckedChunk;

/// The packets sent, and, if it is kept, the order of sending on each path.
///
/// The parameter `is_outstanding` returns true if a chunk is in flight on its path since a departure. Other departures
/// are dropped when they are read.
#[derive(Debug, Default)]
pub(super) struct DepartureLog {
    is_kept: bool,
    /// For loss detection by time, the last sent packet of each path that arrived: chunks that it overtook may still
    /// arrive.
    newest: Option<Vec<u64>>,
    /// The number of the last packet, and its sending time.
    packet: u64,
    packet_at: Time,
    paths: Vec<Departures>,
    /// Each path's first chunk when a SACK arrived.
    earliest_before: Vec<Option<u64>>,
}

/// A chunk that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Departure {
    /// The number of its packet, among the packets of the association.
    pub number: u64,
    /// The chunk's position.
    pub position: u64,
}

impl DepartureLog {
    /// Keeps the order of sending if `is_wanted`.
    pub(super) fn keep(&mut self, is_wanted: bool) {
        self.is_kept = is_wanted;
    }

    /// Keeps the last arrived packet if `is_wanted`, so that overtaken chunks are found again.
    pub(crate) fn count_time(&mut self, is_wanted: bool) {
        self.newest = is_wanted.then(Vec::new);
    }

    /// Makes room for `path`.
    pub(super) fn add_path(&mut self, path: PathId) {
        self.paths.resize_with(self.paths.len().max(path.index() + 1), Departures::default);
    }

    /// Begins a packet, in which the next chunks are sent.
    pub(crate) fn begin_packet(&mut self, now: Time) {
        self.packet += 1;
        self.packet_at = now;
    }

    /// Adds the chunk at `position`, which was sent on `path` in the packet `number`, or is in flight again since then.
    #[inline]
    pub(super) fn insert(&mut self, position: u64, path: PathId, number: u64) {
        if self.is_kept {
            self.paths[path.index()].insert(number, position);
        }
    }

    /// The first departure on `path`.
    pub(super) fn earliest(
        &mut self,
        path: PathId,
        is_outstanding: impl Fn(Departure) -> bool,
    ) -> Option<Departure> {
        self.paths[path.index()].first(is_outstanding)
    }

    /// Notes the first chunk of each path before a SACK is read.
    pub(crate) fn note_earliest(&mut self, is_outstanding: impl Fn(Departure, PathId) -> bool) {
        self.earliest_before.clear();
        for (index, departures) in self.paths.iter_mut().enumerate() {
            let path = PathId::from_index(index);
            let earliest = departures.first(|departure| is_outstanding(departure, path));
            self.earliest_before.push(earliest.map(|departure| departure.position));
        }
    }

    /// Calls `found` with the position of each chunk on `path` that was sent before the packet `number`.
    pub(crate) fn each_before(
        &mut self,
        path: PathId,
        number: u64,
        is_outstanding: impl Fn(Departure) -> bool,
        found: impl FnMut(u64),
    ) {
        self.paths[path.index()].each_before(number, is_outstanding, found);
    }

    /// The last packet sent on `path` among those of the chunks in `acked`, or, with loss detection by time, among all
    /// that arrived. Retransmitted chunks do not count: the acknowledgement may answer the first packet.
    pub(crate) fn newest_arrived(&mut self, path: PathId, acked: &[AckedChunk]) -> Option<u64> {
        let of_path = acked.iter().filter(|chunk| chunk.path == path && !chunk.was_copied);
        let counts_time = self.newest.is_some();
        let newest =
            of_path.filter(|chunk| counts_time || !chunk.is_retransmitted).map(|chunk| chunk.departure).max();
        let Some(stored) = &mut self.newest else { return newest };
        stored.resize(self.paths.len(), 0);
        let stored = &mut stored[path.index()];
        *stored = newest.map_or(*stored, |newest| newest.max(*stored));
        Some(*stored)
    }

    /// A transmission on `path`, in the round `round` of its window, in the current packet.
    #[inline]
    pub(super) fn transmission(&self, path: PathId, round: u64) -> Transmission {
        Transmission { path, round, departure: self.packet, sent_at: self.packet_at }
    }

    /// The last departure on `path`.
    pub(super) fn latest(
        &self,
        path: PathId,
        is_outstanding: impl Fn(Departure) -> bool,
    ) -> Option<Departure> {
        let mut latest = self.paths[path.index()].entries.iter().rev().copied();
        latest.find(|&departure| is_outstanding(departure))
    }

    /// The first chunk of each path before the SACK.
    pub(crate) fn earliest_before(&self) -> &[Option<u64>] {
        &self.earliest_before
    }

    /// Returns true if the order of sending is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// The number of the current packet, or of the last one.
    pub(super) fn packet(&self) -> u64 {
        self.packet
    }
}

/// The chunks sent on one path, in the order of sending. Entries of chunks that are no longer in flight on the path are
/// dropped when they are read.
#[derive(Debug, Default)]
struct Departures {
    entries: VecDeque<Departure>,
}

impl Departures {
    /// Adds the chunk at `position`, which was sent in the packet `number`, or is in flight again since then.
    fn insert(&mut self, number: u64, position: u64) {
        let departure = Departure { number, position };
        if self.entries.back().is_none_or(|last| last.number <= number) {
            return self.entries.push_back(departure);
        }
        // It is in flight again: packets were sent after it.
        let at = self.entries.partition_point(|earlier| earlier.number <= number);
        self.entries.insert(at, departure);
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

    /// Calls `found` with each chunk that `is_outstanding` and was sent before the packet `number`. The others up to
    /// there are dropped: each is read once.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The chunks of `order`, sent on a path, each in a separate packet.
    fn left(order: &[u64]) -> Departures {
        let mut departures = Departures::default();
        for (number, &position) in (1..).zip(order) {
            departures.insert(number, position);
        }
        departures
    }

    #[test]
    fn departures_are_in_the_order_of_packets_also_those_that_return() {
        let mut departures = left(&[9, 4, 5]);
        assert_eq!(departures.first(|_| true), Some(Departure { number: 1, position: 9 }));
        assert_eq!(departures.first(|departure| departure.position == 5).map(|first| first.number), Some(3));
        departures.insert(2, 4);
        assert_eq!(departures.first(|_| true), Some(Departure { number: 2, position: 4 }));
        assert_eq!(departures.first(|_| false), None);
    }

    #[test]
    fn what_left_before_a_packet_is_found_as_long_as_it_is_outstanding() {
        let mut departures = left(&[9, 4, 5, 6]);
        let found = |departures: &mut Departures, arrived: u64| {
            let mut positions = Vec::new();
            let is_outstanding = |departure: Departure| departure.position != arrived;
            departures.each_before(4, is_outstanding, |position| positions.push(position));
            positions
        };
        assert_eq!(found(&mut departures, 4), [9, 5]);
        assert_eq!(found(&mut departures, 9), [5]);
    }

    #[test]
    fn what_is_no_longer_in_flight_is_read_once() {
        let mut departures = left(&(0..40).collect::<Vec<u64>>());
        for last in 2..39 {
            let is_outstanding = |departure: Departure| departure.position == 0 || departure.position > last;
            departures.each_before(last + 2, is_outstanding, |_| ());
            assert!(departures.entries.len() <= 40 - last as usize + 1);
        }
    }

    #[test]
    fn a_packet_that_arrived_later_is_kept_only_where_time_counts() {
        let arrived = |departure| AckedChunk {
            tsn: crate::seq::Tsn::new(1),
            path: PathId::FIRST,
            round: 0,
            departure,
            sent_at: Time::ZERO,
            weight: anabranch_base::ByteCount::ZERO,
            payload: anabranch_base::ByteCount::ZERO,
            is_retransmitted: true,
            was_copied: false,
            was_lost: false,
        };
        let mut log = DepartureLog::default();
        log.add_path(PathId::FIRST);
        assert_eq!(
            log.newest_arrived(PathId::FIRST, &[arrived(7)]),
            None,
            "it may have been the first packet"
        );
        log.count_time(true);
        assert_eq!(log.newest_arrived(PathId::FIRST, &[arrived(7)]), Some(7));
        assert_eq!(log.newest_arrived(PathId::FIRST, &[arrived(5)]), Some(7));
    }
}
