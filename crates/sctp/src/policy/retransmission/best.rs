//! A lost chunk goes to the best active path, even if it is full (M-CMT-6 `cwnd`, `ssthresh`, `lossrate`,
//! `lossrate=oracle`, `compound`).

use std::cmp::Ordering;

use anabranch_base::Seed;

use super::tie::Tie;
use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::{PathSample, View};

/// The active path with the highest rank; among several, a random one. If its window is full, the chunk waits for it,
/// and does not go to the second best. The choice is made again at each opportunity, so it follows changes of the
/// paths.
#[derive(Debug)]
pub struct BestPath {
    rank: Rank,
    tie: Tie,
}

/// Compares two paths: [`Ordering::Greater`] if the first is better.
pub type Rank = fn(&PathSample, &PathSample) -> Ordering;

impl BestPath {
    /// The rule that takes the highest path by `rank`, and draws from the stream of `seed`.
    pub fn new(rank: Rank, seed: &Seed) -> BestPath {
        BestPath { rank, tie: Tie::new(seed) }
    }
}

impl RetransmissionPolicy for BestPath {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let rank = self.rank;
        // No path is active: the last resort, so that retransmissions continue until the error count closes the
        // association.
        let Some(best) = view.active().max_by(|a, b| rank(a, b)) else {
            return Destination::Now(view.last_resort);
        };
        let equals = view.active().filter(|sample| rank(sample, best).is_eq()).map(|sample| sample.id);
        self.tie.pick(equals, lost, view.now).map_or(Destination::Wait, Destination::Now)
    }
}

/// `cwnd`: the largest congestion window.
pub(crate) fn by_cwnd(a: &PathSample, b: &PathSample) -> Ordering {
    a.cwnd.cmp(&b.cwnd)
}

/// `ssthresh`: the largest slow-start threshold.
pub(crate) fn by_ssthresh(a: &PathSample, b: &PathSample) -> Ordering {
    a.ssthresh.cmp(&b.ssthresh)
}

/// `lossrate`: the least loss as estimated.
pub(crate) fn by_loss_rate(a: &PathSample, b: &PathSample) -> Ordering {
    b.loss_rate.total_cmp(&a.loss_rate)
}

/// `lossrate=oracle`: the least configured loss rate; the estimated one where none is configured.
pub(crate) fn by_configured_loss(a: &PathSample, b: &PathSample) -> Ordering {
    let loss = |sample: &PathSample| sample.hints.loss.unwrap_or(sample.loss_rate);
    loss(b).total_cmp(&loss(a))
}

/// `compound`: the least loss rate in whole percent, then the largest slow-start threshold, then the largest window.
pub(crate) fn by_all(a: &PathSample, b: &PathSample) -> Ordering {
    let percent = |sample: &PathSample| (sample.loss_rate * 100.0).floor();
    let by_percent = percent(b).total_cmp(&percent(a));
    by_percent.then_with(|| by_ssthresh(a, b)).then_with(|| by_cwnd(a, b))
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::policy::testing::{sample, view};
    use crate::policy::{PathId, PathState};
    use crate::seq::Tsn;

    /// The paths to which a chunk lost on path 0 goes, at each of several opportunities.
    fn places(rank: Rank, paths: &[PathSample]) -> Vec<usize> {
        let mut best = BestPath::new(rank, &Seed::from_number(1));
        let lost = |tsn| LostChunk { tsn: Tsn::new(tsn), path: PathId::FIRST, by: LostBy::Timeout };
        let place = |tsn| match best.destination(&lost(tsn), &view(paths)) {
            Destination::Now(path) => path.index(),
            other => panic!("the best path is returned even if it is full, not {other:?}"),
        };
        let mut places: Vec<usize> = (0..50).map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn the_best_active_path_is_taken_even_if_it_is_full() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[1].cwnd = ByteCount::new(9_000);
        paths[1].flight = paths[1].cwnd;
        paths[2].cwnd = ByteCount::new(20_000);
        paths[2].state = PathState::Unconfirmed;
        assert_eq!(places(by_cwnd, &paths), [1]);
    }

    #[test]
    fn equals_are_drawn_from_and_no_other() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[1].ssthresh = ByteCount::new(1_500);
        assert_eq!(places(by_ssthresh, &paths), [0, 2]);
    }

    #[test]
    fn the_primary_is_tried_when_no_path_is_active() {
        let mut paths = [sample(0), sample(1)];
        paths.iter_mut().for_each(|path| path.state = PathState::Inactive);
        assert_eq!(places(by_cwnd, &paths), [0]);
    }

    #[test]
    fn the_estimate_and_the_configured_loss_may_disagree() {
        let mut paths = [sample(0), sample(1), sample(2)];
        (paths[0].loss_rate, paths[1].loss_rate, paths[2].loss_rate) = (0.02, 0.01, 0.03);
        paths[0].hints.loss = Some(0.001);
        paths[1].hints.loss = Some(0.05);
        assert_eq!(places(by_loss_rate, &paths), [1]);
        assert_eq!(places(by_configured_loss, &paths), [0], "path 2 has no hint: its estimate counts");
    }

    #[test]
    fn compound_compares_percents_then_thresholds_then_windows() {
        let mut paths = [sample(0), sample(1), sample(2)];
        (paths[0].loss_rate, paths[1].loss_rate, paths[2].loss_rate) = (0.012, 0.018, 0.021);
        paths[2].ssthresh = ByteCount::from_mib(9);
        assert_eq!(places(by_all, &paths), [0, 1], "both lose one percent and something, path 2 loses two");
        paths[1].cwnd += ByteCount::new(1);
        assert_eq!(places(by_all, &paths), [1]);
        paths[0].ssthresh += ByteCount::new(1);
        assert_eq!(places(by_all, &paths), [0]);
    }
}
