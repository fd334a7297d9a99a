//! The path with the shortest round trip up to its window, then the next: the first rule of Multipath TCP.

use anabranch_base::Duration;

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{PathId, PathSample, View};

/// Picks the path with the shortest smoothed round trip among those with room; of equal ones, the first. A sender
/// with less data than its paths carry does not use the slow paths, and if the peer's buffer is small, the fast paths
/// use it first.
#[derive(Debug, Default)]
pub struct LowestRtt;

impl Scheduler for LowestRtt {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let able = view.paths.iter().filter(|sample| may_carry(sample, queue));
        let soonest = able.min_by_key(|sample| round_trip(sample))?;
        Some((soonest.id, Index::OLDEST))
    }
}

/// The measured round trip, else the configured one. An unknown path comes last, until a HEARTBEAT has measured it.
fn round_trip(sample: &PathSample) -> Duration {
    sample.srtt.or(sample.hints.round_trip).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::schedule::tests::QUEUE;
    use crate::policy::view::tests::{sample, view};

    fn paths(round_trips: [Option<u64>; 2]) -> [PathSample; 2] {
        let [mut first, mut second] = [sample(0), sample(1)];
        for (path, milliseconds) in [&mut first, &mut second].into_iter().zip(round_trips) {
            path.srtt = milliseconds.map(Duration::from_millis);
        }
        [first, second]
    }

    fn picked(paths: &[PathSample]) -> Option<usize> {
        LowestRtt.pick(&QUEUE, &view(paths)).map(|(path, _)| path.index())
    }

    #[test]
    fn the_quickest_path_is_filled_before_the_next_is_used() {
        let mut paths = paths([Some(80), Some(20)]);
        let mut order = Vec::new();
        while let Some(path) = picked(&paths) {
            order.push(path);
            paths[path].flight += ByteCount::new(3000);
        }
        assert_eq!(order, [1, 1, 0, 0]);
    }

    #[test]
    fn a_path_whose_round_trip_grew_beyond_the_others_is_used_after_it() {
        let mut paths = paths([Some(20), Some(80)]);
        assert_eq!(picked(&paths), Some(0));
        paths[0].srtt = Some(Duration::from_millis(81));
        assert_eq!(picked(&paths), Some(1));
    }

    #[test]
    fn a_path_that_was_never_measured_comes_last_unless_something_was_said_of_it() {
        let mut paths = paths([None, Some(80)]);
        assert_eq!(picked(&paths), Some(1));
        paths[0].hints.round_trip = Some(Duration::from_millis(20));
        assert_eq!(picked(&paths), Some(0));
    }
}
