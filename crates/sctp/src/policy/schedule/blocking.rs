//! Copies of chunks that keep the sender from sending: "opportunistic retransmission" (Raiciu et al., "How Hard Can It Be?
//! Designing and Implementing a Deployable Multipath TCP", 2012, §4.2).

use anabranch_base::Time;

use super::arrival::{PathForecast, bytes, forecasts};
use super::{ChunkInFlight, ChunksInFlight, CopyAllowance, uncopied};
use crate::policy::{PathId, View};
use crate::seq::Tsn;

/// Sends a copy of a chunk for which all others wait, if the copy arrives sooner than the chunk or its repair.
///
/// Copies leave only if nothing else can: the peer's window has no room, or no data waits.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockingCopies {
    allowance: CopyAllowance,
    /// The paths that may send now. Kept for its memory.
    able: Vec<PathForecast>,
}

impl BlockingCopies {
    /// The next copy and its path, if one helps.
    pub(super) fn next(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let lowest = in_flight.lowest()?;
        self.allowance.count(lowest.tsn);
        if !self.allowance.has_one() || !is_blocked(&lowest, view) {
            return None;
        }
        self.able.clear();
        self.able.extend(forecasts(view).filter(|path| view.path(path.id).may_send()));
        if self.able.is_empty() {
            return None;
        }
        let (tsn, path) = late_chunk(in_flight, &self.able, view)?;
        self.allowance.take_one();
        Some((tsn, path))
    }
}

/// Returns true if the sender can send nothing new: the peer has no room for two packets, or no data waits.
fn is_blocked(chunk: &ChunkInFlight, view: &View<'_>) -> bool {
    view.queued.is_zero() || view.peer_window < chunk.packet * 2
}

/// The first of the lowest chunks in flight whose copy would arrive clearly sooner by one of the paths that are `able` to send,
/// and the copy's path.
fn late_chunk(
    in_flight: &dyn ChunksInFlight,
    able: &[PathForecast],
    view: &View<'_>,
) -> Option<(Tsn, PathId)> {
    uncopied(in_flight, MOST_EXAMINED)
        .find_map(|chunk| quicker_path(&chunk, able, view).map(|path| (chunk.tsn, path)))
}

/// The path by which a copy of `chunk` arrives first, if it arrives sooner than the chunk by a quarter of the path's round
/// trip.
fn quicker_path(chunk: &ChunkInFlight, able: &[PathForecast], view: &View<'_>) -> Option<PathId> {
    let expected = expected_in(chunk, view)?;
    let others = able.iter().filter(|path| path.id != chunk.path);
    let arrivals = others.map(|path| (path.id, path.by_flow(bytes(chunk.packet)) + path.base() / 4.0));
    let (path, arrival) = arrivals.min_by(|one, other| one.1.total_cmp(&other.1))?;
    (arrival < expected).then_some(path)
}

/// The seconds until the chunk arrives, as far as its path was measured. If its SACK is overdue it is probably lost,
/// and its repair takes a round trip.
///
/// SACKs for few packets are delayed, so that the one-way delay measured by them is too long: where hardly anything is
/// in flight, the least one-way delay counts.
fn expected_in(chunk: &ChunkInFlight, view: &View<'_>) -> Option<f64> {
    let sample = view.path(chunk.path);
    let delay = sample.one_way?;
    let measured = delay.delay.max(delay.least).as_secs_f64();
    let age = age(chunk.sent_at, view.now);
    if age > measured + delay.back.as_secs_f64() * OVERDUE {
        return Some(PathForecast::of(sample).base());
    }
    let delay = if sample.flight <= sample.unit * FEW { delay.least.as_secs_f64() } else { measured };
    Some((delay - age).max(0.0))
}

fn age(sent_at: Time, now: Time) -> f64 {
    now.since(sent_at).as_secs_f64()
}

/// The number of the lowest chunks that are examined.
const MOST_EXAMINED: usize = 16;
/// A flight of this many packets does not make a queue.
const FEW: u64 = 4;
/// A SACK that takes longer than this multiple of its one-way delay is overdue.
const OVERDUE: f64 = 1.25;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration};

    use super::*;
    use crate::policy::schedule::in_flight::tests::{Flying, chunk};
    use crate::policy::testing::{sample, view};
    use crate::policy::{Delivery, OneWay, PathSample};

    /// A path of 12 Mbit/s with `delay` ms each way.
    fn path(index: usize, delay: u64) -> PathSample {
        let mut path = sample(index);
        let (delay, rate) = (Duration::from_millis(delay), BitRate::from_mbps(12));
        path.one_way = Some(OneWay { delay, least: delay, back: Duration::from_millis(10) });
        path.delivery = Some(Delivery { rate, peak: rate });
        path
    }

    /// The copy that leaves `after` ms, if the peer has room for `room` bytes and `queued` bytes wait.
    fn copy(copies: &mut BlockingCopies, after: u64, room: u64, queued: u64) -> Option<(u32, usize)> {
        let (room, queued) = (ByteCount::new(room), ByteCount::new(queued));
        let paths = [path(0, 100), path(1, 10)];
        let now = Time::ZERO + Duration::from_millis(after);
        let view = View { now, peer_window: room, queued, ..view(&paths) };
        let copy = copies.next(&Flying(vec![chunk(1_000, 0), chunk(1_001, 0)]), &view);
        copy.map(|(tsn, path)| (tsn.get() - 1_000, path.index()))
    }

    /// Copies with an allowance of `copies`.
    fn allowed(copies: u32) -> BlockingCopies {
        BlockingCopies { allowance: CopyAllowance::of(copies, Tsn::new(1_000)), able: Vec::new() }
    }

    #[test]
    fn a_chunk_on_a_slow_path_is_copied_if_the_sender_is_blocked_and_the_copy_arrives_sooner() {
        assert_eq!(copy(&mut allowed(1), 20, 2_900, 9_000), Some((0, 1)), "it arrives 80 ms from now");
        assert_eq!(copy(&mut allowed(1), 20, 2_960, 9_000), None, "the peer has room for two packets");
        assert_eq!(copy(&mut allowed(1), 20, 9_000, 0), Some((0, 1)), "nothing else waits");
        assert_eq!(copy(&mut allowed(1), 90, 0, 9_000), None, "it arrives as soon as a copy");
        assert_eq!(copy(&mut allowed(0), 20, 2_900, 9_000), None, "no copy is allowed");
    }

    #[test]
    fn a_chunk_whose_sack_is_overdue_is_copied() {
        assert_eq!(copy(&mut allowed(1), 112, 0, 9_000), None, "its SACK takes 10 ms");
        assert_eq!(copy(&mut allowed(1), 113, 0, 9_000), Some((0, 1)));
    }

    /// Equal paths, whose SACKs for few packets come 100 ms late.
    #[test]
    fn few_packets_are_not_copied_because_their_sacks_are_delayed() {
        let late = |mut path: PathSample, packets: u64| {
            path.one_way =
                path.one_way.map(|delay| OneWay { delay: delay.delay + Duration::from_millis(100), ..delay });
            PathSample { flight: path.unit * packets, ..path }
        };
        let copy = |packets| {
            let paths = [late(path(0, 10), packets), path(1, 10)];
            let now = Time::ZERO + Duration::from_millis(5);
            let view = View { now, queued: ByteCount::ZERO, ..view(&paths) };
            allowed(1).next(&Flying(vec![chunk(1_000, 0)]), &view).is_some()
        };
        assert_eq!([copy(1), copy(4), copy(5)], [false, false, true], "five packets may wait in a queue");
    }

    #[test]
    fn a_chunk_is_copied_once_and_then_the_next_one() {
        let paths = [path(0, 100), path(1, 10)];
        let view = View { peer_window: ByteCount::ZERO, ..view(&paths) };
        let flying = Flying(vec![ChunkInFlight { was_copied: true, ..chunk(1_000, 0) }, chunk(1_001, 0)]);
        assert_eq!(allowed(1).next(&flying, &view), Some((Tsn::new(1_001), PathId::from_index(1))));
    }
}
