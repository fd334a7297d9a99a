//! The path with the shortest round trip up to its window, then the next: the first rule of Multipath TCP.

use anabranch_base::Duration;

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{Blocker, PathId, PathSample, View};

/// Picks the path with the shortest smoothed round trip among those with room; of equal ones, the first. A sender
/// with less data than its paths carry does not use the slow paths, and if the peer's buffer is small, the fast paths
/// use it first.
#[derive(Debug, Default)]
pub struct LowestRtt;

impl Scheduler for LowestRtt {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        Some((quickest_with_room(queue, view)?.id, Index::OLDEST))
    }

    /// No other path gets room before something is acknowledged.
    fn holds(&self, _path: PathId, _view: &View<'_>) -> bool {
        true
    }
}

/// The path with the shortest round trip among those with room for the oldest chunk.
pub fn quickest_with_room<'v>(queue: &QueueView<'_>, view: &View<'v>) -> Option<&'v PathSample> {
    let able = view.paths.iter().filter(|sample| may_carry(sample, queue));
    able.min_by_key(|sample| round_trip(sample))
}

/// The path with the shortest round trip among those that have no room now, and have room as soon as something in
/// flight on them is acknowledged; `None` if `than` is as quick.
pub fn quicker_to_wait_for<'v>(
    than: &PathSample,
    queue: &QueueView<'_>,
    view: &View<'v>,
) -> Option<&'v PathSample> {
    let is_worth_it = |sample: &&PathSample| {
        let is_held = matches!(sample.blocked_by, Some(Blocker::LossResponse | Blocker::TimeOut));
        let will_have_room = sample.state.carries_data() && !sample.flight.is_zero() && !is_held;
        will_have_room && queue.oldest <= sample.packet_limit && round_trip(sample) < round_trip(than)
    };
    view.paths.iter().filter(is_worth_it).min_by_key(|sample| round_trip(sample))
}

/// The measured round trip, else the configured one. An unknown path comes last, until a HEARTBEAT has measured it.
pub fn round_trip(sample: &PathSample) -> Duration {
    sample.srtt.or(sample.hints.round_trip).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::testing::{QUEUE, sample, view};

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
    fn only_a_quicker_path_that_an_acknowledgement_will_open_is_worth_waiting_for() {
        let mut paths = paths([Some(20), Some(80)]);
        let waits_for = |paths: &[PathSample]| {
            quicker_to_wait_for(&paths[1], &QUEUE, &view(paths)).map(|sample| sample.id.index())
        };
        assert_eq!(waits_for(&paths), None, "nothing is in flight that could be acknowledged");
        paths[0].flight = paths[0].cwnd;
        assert_eq!(waits_for(&paths), Some(0));
        paths[0].blocked_by = Some(Blocker::TimeOut);
        assert_eq!(waits_for(&paths), None, "it may be dead");
        paths[0].blocked_by = None;
        paths[0].srtt = paths[1].srtt;
        assert_eq!(waits_for(&paths), None, "it is as slow");
    }

    #[test]
    fn a_path_that_was_never_measured_comes_last_unless_something_was_said_of_it() {
        let mut paths = paths([None, Some(80)]);
        assert_eq!(picked(&paths), Some(1));
        paths[0].hints.round_trip = Some(Duration::from_millis(20));
        assert_eq!(picked(&paths), Some(0));
    }
}
