//! Copies of chunks that keep the sender from sending: "opportunistic retransmission" (Raiciu et al., "How Hard Can It Be?
//! Designing and Implementing a Deployable Multipath TCP", 2012, §4.2).

use anabranch_base::Time;

use super::arrival::{PathForecast, bytes, forecasts};
use super::{ChunkInFlight, ChunksInFlight};
use crate::policy::{PathId, View};
use crate::seq::Tsn;

/// Sends a copy of a chunk that all others wait for, if the copy arrives sooner than the chunk or its repair.
///
/// Copies leave only if nothing else can: the peer's window has no room, or no data waits. They are at most one for
/// [twenty](CHUNKS_A_COPY) chunks that were acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockingCopies {
    /// The highest of the chunks that were the lowest in flight when the allowance was counted.
    counted_to: Option<Tsn>,
    /// How many acknowledged chunks have not been spent on copies.
    acknowledged: u32,
}

impl BlockingCopies {
    /// The next copy and its path, if one helps.
    pub fn next(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let lowest = in_flight.lowest()?;
        self.count(lowest.tsn);
        if self.acknowledged < CHUNKS_A_COPY || !is_blocked(&lowest, view) {
            return None;
        }
        let (tsn, path) = late_chunk(lowest, in_flight, view)?;
        self.acknowledged -= CHUNKS_A_COPY;
        Some((tsn, path))
    }

    /// A lost chunk is not in flight until it is sent again: then the lowest one is lower than before.
    fn count(&mut self, lowest: Tsn) {
        let before = self.counted_to.unwrap_or(lowest);
        if before.is_before(lowest) {
            let newly = lowest.distance_from(before);
            self.acknowledged = self.acknowledged.saturating_add(newly).min(CHUNKS_A_COPY * MOST_SAVED);
        }
        self.counted_to = Some(if before.is_before(lowest) { lowest } else { before });
    }
}

/// Whether the sender can send nothing new: the peer has no room for two packets, or no data waits.
fn is_blocked(chunk: &ChunkInFlight, view: &View<'_>) -> bool {
    view.queued.is_zero() || view.peer_window < chunk.packet * 2
}

/// The first of the lowest chunks in flight whose copy would arrive clearly sooner, and the copy's path.
fn late_chunk(
    lowest: ChunkInFlight,
    in_flight: &dyn ChunksInFlight,
    view: &View<'_>,
) -> Option<(Tsn, PathId)> {
    let mut chunk = lowest;
    for _ in 0..MOST_LOOKED_AT {
        if !chunk.was_copied
            && let Some(path) = quicker_path(&chunk, view)
        {
            return Some((chunk.tsn, path));
        }
        chunk = in_flight.next_above(chunk.tsn)?;
    }
    None
}

/// The path by which a copy of `chunk` arrives first, if it arrives sooner than the chunk by a quarter of the path's round
/// trip.
fn quicker_path(chunk: &ChunkInFlight, view: &View<'_>) -> Option<PathId> {
    let expected = expected_in(chunk, view)?;
    let able = forecasts(view).filter(|path| path.id != chunk.path && view.path(path.id).may_send());
    let arrivals = able.map(|path| (path.id, path.by_flow(bytes(chunk.packet)) + path.base() / 4.0));
    let (path, arrival) = arrivals.min_by(|one, other| one.1.total_cmp(&other.1))?;
    (arrival < expected).then_some(path)
}

/// In how many seconds the chunk arrives, as far as its path was measured. If its SACK is overdue it is probably lost, and
/// its repair takes a round trip.
fn expected_in(chunk: &ChunkInFlight, view: &View<'_>) -> Option<f64> {
    let sample = view.path(chunk.path);
    let delay = sample.one_way?;
    let way = delay.way.max(delay.least).as_secs_f64();
    let age = age(chunk.sent_at, view.now);
    let is_overdue = age > way + delay.back.as_secs_f64() * OVERDUE;
    Some(if is_overdue { PathForecast::of(sample).base() } else { (way - age).max(0.0) })
}

fn age(sent_at: Time, now: Time) -> f64 {
    now.since(sent_at).as_secs_f64()
}

/// One copy for so many acknowledged chunks: 5 %.
const CHUNKS_A_COPY: u32 = 20;
/// As many copies may leave at once after none was needed for a while.
const MOST_SAVED: u32 = 16;
/// So many of the lowest chunks are looked at.
const MOST_LOOKED_AT: usize = 16;
/// A SACK that takes longer than so many ways back is overdue.
const OVERDUE: f64 = 1.25;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration};

    use super::*;
    use crate::policy::view::tests::{sample, view};
    use crate::policy::{Delivery, OneWay, PathSample};

    /// Chunks in flight, ascending.
    #[derive(Debug)]
    struct Flying(Vec<ChunkInFlight>);

    impl ChunksInFlight for Flying {
        fn lowest(&self) -> Option<ChunkInFlight> {
            self.0.first().copied()
        }

        fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight> {
            self.0.iter().find(|chunk| tsn.is_before(chunk.tsn)).copied()
        }
    }

    /// A chunk that left path 0 at the beginning.
    fn chunk(tsn: u32) -> ChunkInFlight {
        ChunkInFlight {
            tsn: Tsn::new(tsn),
            path: PathId::FIRST,
            sent_at: Time::ZERO,
            packet: ByteCount::new(1480),
            was_copied: false,
        }
    }

    /// A path of 12 Mbit/s with `way` ms each way.
    fn path(index: usize, way: u64) -> PathSample {
        let mut path = sample(index);
        let (way, rate) = (Duration::from_millis(way), BitRate::from_mbps(12));
        path.one_way = Some(OneWay { way, least: way, back: Duration::from_millis(10) });
        path.delivery = Some(Delivery { rate, peak: rate });
        path
    }

    /// The copy that leaves `after` ms, if the peer has room for `room` bytes and `queued` bytes wait.
    fn copy(copies: &mut BlockingCopies, after: u64, room: u64, queued: u64) -> Option<(u32, usize)> {
        let (room, queued) = (ByteCount::new(room), ByteCount::new(queued));
        let paths = [path(0, 100), path(1, 10)];
        let now = Time::ZERO + Duration::from_millis(after);
        let view = View { now, peer_window: room, queued, ..view(&paths) };
        let copy = copies.next(&Flying(vec![chunk(1_000), chunk(1_001)]), &view);
        copy.map(|(tsn, path)| (tsn.get() - 1_000, path.index()))
    }

    /// With an allowance for `copies` copies.
    fn allowed(copies: u32) -> BlockingCopies {
        BlockingCopies { counted_to: Some(Tsn::new(1_000)), acknowledged: CHUNKS_A_COPY * copies }
    }

    #[test]
    fn a_chunk_on_a_slow_path_is_copied_if_the_sender_is_blocked_and_the_copy_arrives_sooner() {
        assert_eq!(copy(&mut allowed(1), 20, 2_900, 9_000), Some((0, 1)), "it arrives 80 ms from now");
        assert_eq!(copy(&mut allowed(1), 20, 2_960, 9_000), None, "the peer has room for two packets");
        assert_eq!(copy(&mut allowed(1), 20, 9_000, 0), Some((0, 1)), "nothing else waits");
        assert_eq!(copy(&mut allowed(1), 90, 0, 9_000), None, "it arrives as soon as a copy");
    }

    #[test]
    fn a_chunk_whose_sack_is_overdue_is_copied() {
        assert_eq!(copy(&mut allowed(1), 112, 0, 9_000), None, "its SACK takes 10 ms");
        assert_eq!(copy(&mut allowed(1), 113, 0, 9_000), Some((0, 1)));
    }

    #[test]
    fn copies_are_one_for_twenty_acknowledged_chunks() {
        let mut copies = BlockingCopies::default();
        let paths = [path(0, 100), path(1, 10)];
        let view = View { peer_window: ByteCount::ZERO, ..view(&paths) };
        let count =
            (1..=1_000).filter(|&tsn| copies.next(&Flying(vec![chunk(tsn)]), &view).is_some()).count();
        assert_eq!(count, 49, "the first allowance takes twenty chunks after the first");
        let mut saved = BlockingCopies::default();
        let jump = [1, 1_000_000].map(|tsn| saved.next(&Flying(vec![chunk(tsn)]), &view).is_some());
        assert_eq!((jump, saved.acknowledged), ([false, true], CHUNKS_A_COPY * (MOST_SAVED - 1)));
        let lower = [500_000, 1_000_000].map(|tsn| saved.next(&Flying(vec![chunk(tsn)]), &view).is_some());
        assert_eq!(lower, [true; 2]);
        assert_eq!(saved.acknowledged, CHUNKS_A_COPY * (MOST_SAVED - 3), "nothing is counted twice");
    }

    #[test]
    fn a_chunk_is_copied_once_and_then_the_next_one() {
        let paths = [path(0, 100), path(1, 10)];
        let view = View { peer_window: ByteCount::ZERO, ..view(&paths) };
        let flying = Flying(vec![ChunkInFlight { was_copied: true, ..chunk(1_000) }, chunk(1_001)]);
        assert_eq!(allowed(1).next(&flying, &view), Some((Tsn::new(1_001), PathId::from_index(1))));
    }
}
