//! XLINK: "XLINK: QoE-driven multi-path QUIC transport in large-scale video services" (Zheng and others, SIGCOMM 2021).

use super::lowest_rtt::{LowestRtt, round_trip};
use super::{ChunksInFlight, CopyAllowance, Index, QueueView, Scheduler, uncopied};
use crate::policy::{PathId, View};
use crate::seq::Tsn;

/// Picks the path with the shortest round trip, as the paper does, and re-injects what is late: when no data waits, chunks in
/// flight on a slower path are sent again on the quickest with room, in the order of their TSNs.
///
/// The paper re-injects always if the receiver's player has little left to play, never if it has much, and in between
/// if the slowest delivery comes too late (its §5.2). A message in order is due at once: that is the first case. The
/// paper leaves the amount of duplicates to the player's need; here it is one copy for twenty acknowledged chunks.
#[derive(Debug, Default)]
pub(crate) struct Xlink {
    allowance: CopyAllowance,
}

impl Scheduler for Xlink {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        LowestRtt.pick(queue, view)
    }

    fn copy(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        self.allowance.count(in_flight.lowest()?.tsn);
        if !view.queued.is_zero() || !self.allowance.has_one() {
            return None;
        }
        let (tsn, path) = slower_chunk(in_flight, view)?;
        self.allowance.take_one();
        Some((tsn, path))
    }
}

/// The first of the lowest chunks in flight that left on a slower path than the quickest with room, and that path.
fn slower_chunk(in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
    let quickest =
        view.active().filter(|sample| sample.may_send()).min_by_key(|sample| round_trip(sample))?;
    let mut chunks = uncopied(in_flight, MOST_EXAMINED);
    let slower = chunks.find(|chunk| round_trip(view.path(chunk.path)) > round_trip(quickest))?;
    Some((slower.tsn, quickest.id))
}

/// The number of the lowest chunks that are examined.
const MOST_EXAMINED: usize = 64;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::*;
    use crate::policy::schedule::in_flight::tests::{Flying, chunk};
    use crate::policy::testing::{sample, view};

    /// The copies that leave with chunks in flight on `paths`, of which the second is the quicker one, `queued` waiting
    /// bytes, and an allowance of one copy.
    fn copies(paths: &[usize], queued: u64) -> Vec<(u32, usize)> {
        let flying = Flying(paths.iter().zip(1_000..).map(|(path, tsn)| chunk(tsn, *path)).collect());
        let mut samples = [sample(0), sample(1)];
        for (sample, millis) in samples.iter_mut().zip([100, 20]) {
            sample.srtt = Some(Duration::from_millis(millis));
        }
        let mut xlink = Xlink { allowance: CopyAllowance::of(1, Tsn::new(1_000)) };
        let view = View { queued: ByteCount::new(queued), ..view(&samples) };
        let copies = (0..2).filter_map(|_| xlink.copy(&flying, &view));
        copies.map(|(tsn, path)| (tsn.get() - 1_000, path.index())).collect()
    }

    #[test]
    fn the_lowest_chunk_on_a_slower_path_is_sent_again_when_no_data_waits() {
        assert_eq!(copies(&[1, 0, 0], 0), [(1, 1)], "the allowance is one");
        assert_eq!(copies(&[1, 0, 0], 1), [], "new data go first");
        assert_eq!(copies(&[1, 1], 0), [], "none is quicker");
    }
}
