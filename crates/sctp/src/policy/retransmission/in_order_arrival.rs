//! The path for a lost chunk if new data is scheduled for arrival in order.

use super::alternate::another;
use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::schedule::arrival::{PathForecast, SMALL_QUEUE, bytes, forecasts};
use crate::policy::{PathId, View};

/// The path that lost the chunk, unless the chunk keeps others waiting: then the path on which it arrives first.
///
/// A chunk keeps others waiting if the peer's window is nearly used up, or if the application has little more to send.
#[derive(Debug, Default)]
pub(crate) struct InOrderArrival;

impl RetransmissionPolicy for InOrderArrival {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let before = view.path(lost.path);
        if !before.state.carries_data() {
            return Destination::Now(quickest(lost.path, view).unwrap_or_else(|| another(lost.path, view)));
        }
        if is_awaited(&PathForecast::of(before), view) {
            Destination::Now(quickest(lost.path, view).unwrap_or(lost.path))
        } else {
            Destination::Now(lost.path)
        }
    }
}

/// Returns true if the sender would have to stop before a repair by the path that lost the chunk.
fn is_awaited(before: &PathForecast, view: &View<'_>) -> bool {
    let sent_until_repaired: f64 =
        forecasts(view).map(|path| path.peak.unwrap_or(0.0) * 2.0 * before.base()).sum();
    view.queued < SMALL_QUEUE || bytes(view.peer_window) < sent_until_repaired
}

/// The path on which the chunk arrives first, of those with room and the one that lost it.
fn quickest(lost: PathId, view: &View<'_>) -> Option<PathId> {
    let arrival = |path: &PathForecast| {
        let waits = !view.path(path.id).has_window();
        path.by_flow(path.unit) + if waits { path.base() / 2.0 } else { 0.0 }
    };
    let able = forecasts(view).filter(|path| path.id == lost || view.path(path.id).has_window());
    able.min_by(|one, other| arrival(one).total_cmp(&arrival(other))).map(|path| path.id)
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration};

    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::policy::testing::{sample, view};
    use crate::policy::{Delivery, OneWay, PathSample, PathState};
    use crate::seq::Tsn;

    /// A path of 12 Mbit/s with `delay` ms each way.
    fn path(index: usize, delay: u64) -> PathSample {
        let mut path = sample(index);
        let (delay, rate) = (Duration::from_millis(delay), BitRate::from_mbps(12));
        path.one_way = Some(OneWay { delay, least: delay, back: delay });
        path.delivery = Some(Delivery { rate, peak: rate });
        path
    }

    /// The path for a chunk that path 0 lost, with `queued` bytes to send and room for `room` at the peer.
    fn place(paths: &[PathSample], queued: u64, room: u64) -> usize {
        let lost = LostChunk { tsn: Tsn::new(1), path: PathId::FIRST, by: LostBy::MissingReports };
        let (queued, peer_window) = (ByteCount::new(queued), ByteCount::new(room));
        match InOrderArrival.destination(&lost, &View { queued, peer_window, ..view(paths) }) {
            Destination::Now(path) => path.index(),
            other => panic!("a path is named, not {other:?}"),
        }
    }

    const MUCH: u64 = 1 << 24;

    #[test]
    fn a_chunk_that_nothing_waits_for_stays_where_it_was_lost() {
        let paths = [path(0, 100), path(1, 10)];
        assert_eq!(place(&paths, MUCH, MUCH), 0);
        assert_eq!(place(&paths, 1_000, MUCH), 1, "the application has little more to send");
        // Both paths send 3 MB/s, for 400 ms until a repair by the slow one.
        assert_eq!([1_199_999, 1_200_001].map(|room| place(&paths, MUCH, room)), [1, 0]);
    }

    #[test]
    fn a_quick_path_without_room_is_not_waited_for() {
        let mut paths = [path(0, 100), path(1, 10)];
        paths[1].flight = paths[1].cwnd;
        assert_eq!(place(&paths, 0, MUCH), 0);
    }

    #[test]
    fn the_path_that_lost_it_may_be_the_quickest_although_its_window_is_shut() {
        let mut paths = [path(0, 10), path(1, 100)];
        paths[0].flight = paths[0].cwnd;
        assert_eq!(
            place(&paths, 0, MUCH),
            0,
            "half a round trip of waiting is less than the other path takes"
        );
        paths[1] = path(1, 12);
        assert_eq!(place(&paths, 0, MUCH), 1);
    }

    #[test]
    fn a_failed_path_gets_nothing() {
        let mut paths = [path(0, 10), path(1, 100)];
        paths[0].state = PathState::Inactive;
        assert_eq!(place(&paths, MUCH, MUCH), 1);
    }
}
