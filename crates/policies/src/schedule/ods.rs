//! On-demand scheduler: a path with room takes the oldest chunk that no other path would deliver sooner (M-SCH-4;
//! WS 2.2).

use anabranch_base::ByteCount;

use anabranch_sctp::policy::schedule::lowest_rtt::quickest_with_room;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, is_idle, leaves_room_for_older};
use anabranch_sctp::policy::{Blocker, PathId, PathSample, Registry, View};

/// At an opportunity to send on path `d`, searches the waiting chunks from the oldest one: a chunk that another path
/// would deliver sooner is left for it, and `d` takes the first other one. When a path delivers is estimated from what
/// is in flight on it and what was left for it before:
///
/// ```text
/// est(e, n) = rounds · srtt_e + (n + 1) · s / BWE_e + srtt_e / 2
/// rounds    = max(0, ⌈(flight_e + (n + 1) · s − cwnd_e) / cwnd_e⌉)
/// ```
///
/// The chunks left are those that other paths deliver before `d` delivers its next one: as `est` grows with `n`, their
/// number is found for each path by bisection. The search ends where the peer's window does. If no chunk is found,
/// nothing leaves on `d`, unless nothing is in flight at all.
#[derive(Debug, Default)]
pub(super) struct Ods;

impl Scheduler for Ods {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let able = view.paths.iter().filter(|sample| sample.may_send());
        let found = able.filter_map(|sample| Some((index_for(sample, queue, view)?, sample.id)));
        match found.min() {
            Some((index, path)) => Some((path, index)),
            None if is_idle(view) => Some((quickest_with_room(queue, view)?.id, Index::OLDEST)),
            None => None,
        }
    }

    fn pick_more(&mut self, path: PathId, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
        index_for(view.path(path), queue, view)
    }
}

/// The oldest chunk that no other path than `sample` would deliver sooner.
fn index_for(sample: &PathSample, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
    let size = queue.oldest;
    let depth = queue.chunks.min((view.peer_window.get() / size.get().max(1)) as usize);
    let left_for_others = match Estimate::of(sample) {
        Some(ours) => {
            let soonest = ours.seconds(0, size);
            let others =
                view.paths.iter().filter(|other| other.id != sample.id && is_candidate(other, queue));
            let left = others.filter_map(Estimate::of).map(|other| other.sooner_than(soonest, depth, size));
            left.sum()
        }
        // Nothing is known of it, so that no other path is known to be quicker.
        None => 0,
    };
    let index = Index(left_for_others);
    let fits = queue.chunk(index).is_some_and(|chunk| chunk.packet <= sample.packet_limit);
    (fits && leaves_room_for_older(index, queue, view)).then_some(index)
}

/// Returns true if a chunk may be left for `sample`: it works, and nothing but its window holds its data.
fn is_candidate(sample: &PathSample, queue: &QueueView<'_>) -> bool {
    let is_held = !matches!(sample.blocked_by, None | Some(Blocker::Burst));
    sample.state.carries_data() && !is_held && queue.oldest <= sample.packet_limit
}

/// The values from which the time of delivery on one path follows.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// Bytes in flight, and the window.
    flight: f64,
    cwnd: f64,
    /// Seconds.
    srtt: f64,
    /// Bytes a second.
    rate: f64,
}

impl Estimate {
    /// The measured values, else the configured ones; the rate may follow from the window. `None` if the round trip is
    /// unknown.
    fn of(sample: &PathSample) -> Option<Estimate> {
        let srtt = sample.srtt.or(sample.hints.round_trip)?.as_secs_f64();
        let cwnd = sample.cwnd.max(sample.unit).get() as f64;
        let known = sample.bandwidth.or(sample.hints.rate);
        let rate =
            known.map_or(cwnd / srtt.max(LEAST_ROUND_TRIP), |rate| rate.bits_per_second() as f64 / 8.0);
        Some(Estimate { flight: sample.flight.get() as f64, cwnd, srtt, rate: rate.max(1.0) })
    }

    /// `est(e, n)`, in seconds from now.
    fn seconds(self, n: usize, size: ByteCount) -> f64 {
        let ours = (n + 1) as f64 * size.get() as f64;
        let rounds = ((self.flight + ours - self.cwnd) / self.cwnd).ceil().max(0.0);
        rounds * self.srtt + ours / self.rate + self.srtt / 2.0
    }

    /// The number of the next `depth` chunks the path delivers before `soonest`.
    fn sooner_than(self, soonest: f64, depth: usize, size: ByteCount) -> usize {
        let (mut sooner, mut end) = (0, depth);
        while sooner < end {
            let middle = sooner.midpoint(end);
            if self.seconds(middle, size) < soonest { sooner = middle + 1 } else { end = middle }
        }
        sooner
    }
}

/// A shorter round trip does not raise the rate that a window stands for, in seconds.
const LEAST_ROUND_TRIP: f64 = 1e-6;

pub(crate) fn add(registry: &mut Registry) {
    registry.schedulers.add("ods", |_| Box::new(Ods));
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, Duration};

    use super::*;
    use anabranch_sctp::policy::PathState;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    /// Windows of four packets. The first path takes 20 ms, and 1.48 ms for each packet; the second 100 ms.
    fn paths() -> [PathSample; 2] {
        let mut paths = [sample(0), sample(1)];
        for (path, (milliseconds, mbps)) in paths.iter_mut().zip([(20, 8), (100, 8)]) {
            path.srtt = Some(Duration::from_millis(milliseconds));
            path.bandwidth = Some(BitRate::from_mbps(mbps));
        }
        paths
    }

    fn picked(paths: &[PathSample], window: u64) -> Option<(usize, usize)> {
        let view = View { peer_window: ByteCount::new(window), ..view(paths) };
        Ods.pick(&QUEUE, &view).map(|(path, Index(index))| (path.index(), index))
    }

    #[test]
    fn the_quick_path_takes_the_oldest_chunk() {
        assert_eq!(picked(&paths(), 1 << 20), Some((0, 0)));
    }

    /// The second path delivers after 51.5 ms. The first one, which is full, delivers four packets after a further
    /// round trip, in 31.5 to 35.9 ms, and a fifth after two, in 57.4.
    #[test]
    fn chunks_that_the_full_path_delivers_sooner_are_left_for_it() {
        let mut paths = paths();
        paths[0].flight = paths[0].cwnd;
        assert_eq!(picked(&paths, 1 << 20), Some((1, 4)));
        assert_eq!(picked(&paths, 5 * 1500), Some((1, 4)));
        assert_eq!(picked(&paths, 5 * 1500 - 1), None, "the four that are left need room too");
        let more = Ods.pick_more(paths[1].id, &QUEUE, &view(&paths));
        assert_eq!(more, Some(Index(4)), "they are not put into a packet that has room");
    }

    #[test]
    fn nothing_is_left_for_a_path_that_is_held_or_dead() {
        let mut paths = paths();
        paths[0].flight = paths[0].cwnd;
        for blocker in [Blocker::Pacer, Blocker::TimeOut] {
            paths[0].blocked_by = Some(blocker);
            assert_eq!(picked(&paths, 1 << 20), Some((1, 0)));
        }
        paths[0].blocked_by = None;
        paths[0].state = PathState::PotentiallyFailed;
        assert_eq!(picked(&paths, 1 << 20), Some((1, 0)));
    }

    #[test]
    fn a_path_of_which_nothing_is_known_takes_its_turn() {
        let mut paths = paths();
        paths[0].flight = paths[0].cwnd;
        (paths[1].srtt, paths[1].bandwidth) = (None, None);
        assert_eq!(picked(&paths, 1 << 20), Some((1, 0)));
        paths[1].hints.round_trip = Some(Duration::from_millis(100));
        assert_eq!(picked(&paths, 1 << 20), Some((1, 8)), "by its window it needs 25 ms for a packet");
    }

    /// The nine waiting chunks are left for a path with a large window, which something else holds up.
    #[test]
    fn the_oldest_chunk_leaves_when_nothing_is_in_flight() {
        let mut paths = paths();
        paths[0].cwnd = paths[0].unit * 100;
        paths[0].has_used_share = true;
        assert_eq!(picked(&paths, 1 << 20), Some((1, 0)));
        paths[0].flight = paths[0].unit;
        assert_eq!(picked(&paths, 1 << 20), None);
    }
}
