//! XLINK: "XLINK: QoE-driven multi-path QUIC transport in large-scale video services" (Zheng and others, SIGCOMM 2021).

use super::lowest_rtt::{LowestRtt, round_trip};
use super::{ChunkInFlight, ChunksInFlight, CopyAllowance, Index, QueueView, Scheduler};
use crate::policy::{PathId, View};
use crate::seq::Tsn;

/// Picks the path with the shortest round trip, as the paper does, and re-injects what is late: when no data waits, chunks in
/// flight on a slower path are sent again on the quickest with room, in the order of their TSNs.
///
/// The paper re-injects always where the receiver's player has little left to play, never where it has much, and between by whether the
/// slowest delivery comes in time (its §5.2). A message in order is due at once: that is the first case. What the paper leaves to the player's
/// need, how much is sent twice, is one copy for twenty chunks that were acknowledged.
#[derive(Debug, Default)]
pub struct Xlink {
    allowance: CopyAllowance,
}

impl Scheduler for Xlink {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        LowestRtt.pick(queue, view)
    }

    fn copy(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let lowest = in_flight.lowest()?;
        self.allowance.count(lowest.tsn);
        if !view.queued.is_zero() || !self.allowance.has_one() {
            return None;
        }
        let (tsn, path) = slower_chunk(lowest, in_flight, view)?;
        self.allowance.spend();
        Some((tsn, path))
    }
}

/// The first of the lowest chunks in flight that left on a slower path than the quickest with room, and that path.
fn slower_chunk(
    lowest: ChunkInFlight,
    in_flight: &dyn ChunksInFlight,
    view: &View<'_>,
) -> Option<(Tsn, PathId)> {
    let quickest =
        view.active().filter(|sample| sample.may_send()).min_by_key(|sample| round_trip(sample))?;
    let mut chunk = lowest;
    for _ in 0..MOST_LOOKED_AT {
        if !chunk.was_copied && round_trip(view.path(chunk.path)) > round_trip(quickest) {
            return Some((chunk.tsn, quickest.id));
        }
        chunk = in_flight.next_above(chunk.tsn)?;
    }
    None
}

/// So many of the lowest chunks are looked at.
const MOST_LOOKED_AT: usize = 64;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Time};

    use super::*;
    use crate::policy::view::tests::{sample, view};

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

    fn chunk(tsn: u32, path: usize) -> ChunkInFlight {
        ChunkInFlight {
            tsn: Tsn::new(tsn),
            path: PathId::from_index(path),
            sent_at: Time::ZERO,
            packet: ByteCount::new(1480),
            was_copied: false,
        }
    }

    /// The copy where chunks fly on `paths`, of which the second is the quicker one, and `queued` bytes wait.
    fn copy(paths: &[usize], queued: u64) -> Option<(u32, usize)> {
        let flying = Flying(paths.iter().zip(1_000..).map(|(path, tsn)| chunk(tsn, *path)).collect());
        let mut samples = [sample(0), sample(1)];
        for (sample, millis) in samples.iter_mut().zip([100, 20]) {
            sample.srtt = Some(Duration::from_millis(millis));
        }
        let mut xlink = Xlink { allowance: CopyAllowance::of(1, Tsn::new(1_000)) };
        let view = View { queued: ByteCount::new(queued), ..view(&samples) };
        xlink.copy(&flying, &view).map(|(tsn, path)| (tsn.get() - 1_000, path.index()))
    }

    #[test]
    fn the_lowest_chunk_on_a_slower_path_is_sent_again_when_no_data_waits() {
        assert_eq!(copy(&[1, 0, 0], 0), Some((1, 1)));
        assert_eq!(copy(&[1, 0, 0], 1), None, "new data go first");
        assert_eq!(copy(&[1, 1], 0), None, "none is quicker");
    }
}
