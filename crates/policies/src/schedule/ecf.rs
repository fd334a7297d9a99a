//! Earliest completion first: a slow path stays unused when waiting for the quick one ends sooner (Lim, Nahum, Towsley,
//! Gibbens: "ECF: An MPTCP Path Scheduler to Manage Heterogeneous Paths", CoNEXT 2017, Algorithm 1).

use anabranch_sctp::policy::schedule::lowest_rtt::{quicker_to_wait_for, quickest_with_room, round_trip};
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler};
use anabranch_sctp::policy::{PathId, PathSample, Registry, View};

/// Takes the path with the shortest round trip, `f`. While that one is full, it takes the quickest path with room,
/// `s`, unless waiting for `f` completes the transfer sooner:
///
/// ```text
/// n = 1 + k / CWND_f
/// δ = max(σ_f, σ_s)
/// if n · RTT_f < (1 + waiting · β) · (RTT_s + δ):
///     if k / CWND_s · RTT_s ≥ 2 · RTT_f + δ: waiting = 1, wait for f
///     else: send on s
/// else: waiting = 0, send on s
/// ```
///
/// `k` is the data that is not assigned to a path yet, `β` = 1/4 the hysteresis, and `σ` the variation of the round
/// trip. In Multipath TCP, `k` is what the send buffer holds. In SCTP only what the peer's window still admits can be
/// assigned now, on any path: `k` is the lesser of what waits and of that window. Then a transfer through a small
/// window waits for the quick path as the end of a file does in the paper.
#[derive(Debug, Default)]
pub(super) struct Ecf {
    /// True if the last decision was to wait.
    is_waiting: bool,
}

impl Scheduler for Ecf {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let slow = quickest_with_room(queue, view)?;
        let waits =
            quicker_to_wait_for(slow, queue, view).is_some_and(|fast| self.waits_for(fast, slow, view));
        (!waits).then_some((slow.id, Index::OLDEST))
    }
}

impl Ecf {
    /// Algorithm 1, from the point where `fast` is full.
    fn waits_for(&mut self, fast: &PathSample, slow: &PathSample, view: &View<'_>) -> bool {
        let unassigned = view.queued.min(view.peer_window).get() as f64;
        let windows = |sample: &PathSample| unassigned / sample.cwnd.max(sample.unit).get().max(1) as f64;
        let (quick, long) = (round_trip(fast).as_secs_f64(), round_trip(slow).as_secs_f64());
        let margin = fast.rttvar.max(slow.rttvar).as_secs_f64();
        let hysteresis = if self.is_waiting { 1.0 + HYSTERESIS } else { 1.0 };
        if (1.0 + windows(fast)) * quick >= hysteresis * (long + margin) {
            self.is_waiting = false;
            return false;
        }
        let waits = windows(slow) * long >= 2.0 * quick + margin;
        self.is_waiting |= waits;
        waits
    }
}

/// β: how much longer the wait may be once it has begun.
const HYSTERESIS: f64 = 0.25;

pub(crate) fn add(registry: &mut Registry) {
    registry.schedulers.add("ecf", |_| Box::new(Ecf::default()));
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    /// A full path of 20 ms with a window of ten packets, and one of `slow` ms with room for one of ten.
    fn paths(slow: u64) -> [PathSample; 2] {
        let mut paths = [sample(0), sample(1)];
        for (path, milliseconds) in paths.iter_mut().zip([20, slow]) {
            path.srtt = Some(Duration::from_millis(milliseconds));
            path.cwnd = path.unit * 10;
        }
        paths[0].flight = paths[0].cwnd;
        paths
    }

    /// Returns true if path 1 is used while `packets` wait, with `window` packets of room at the peer.
    fn uses_slow(ecf: &mut Ecf, paths: &[PathSample], packets: u64, window: u64) -> bool {
        let mut view = view(paths);
        view.queued = paths[0].unit * packets;
        view.peer_window = paths[0].unit * window;
        ecf.pick(&QUEUE, &view).is_some_and(|(path, _)| path.index() == 1)
    }

    #[test]
    fn the_slow_path_is_used_while_so_much_waits_that_it_ends_sooner() {
        let paths = paths(100);
        // n · RTT_f is 40 · 20 ms / 10 + 20 ms = 100 ms.
        assert!(uses_slow(&mut Ecf::default(), &paths, 40, 1000));
        assert!(!uses_slow(&mut Ecf::default(), &paths, 39, 1000), "99 ms in the queue of the quick path");
        assert!(!uses_slow(&mut Ecf::default(), &paths, 1000, 39), "no more than 39 packets may leave");
    }

    #[test]
    fn a_wait_that_has_begun_goes_on_for_a_quarter_longer() {
        let paths = paths(100);
        let mut ecf = Ecf::default();
        assert!(!uses_slow(&mut ecf, &paths, 39, 1000));
        assert!(!uses_slow(&mut ecf, &paths, 52, 1000), "124 ms");
        assert!(uses_slow(&mut ecf, &paths, 53, 1000), "126 ms");
        assert!(uses_slow(&mut ecf, &paths, 40, 1000), "the wait is over");
    }

    #[test]
    fn little_that_waits_goes_to_a_path_that_is_done_with_it_in_two_round_trips() {
        let mut paths = paths(100);
        // k / CWND_s · RTT_s is 3 · 100 ms / 10, less than 2 · 20 ms.
        assert!(uses_slow(&mut Ecf::default(), &paths, 3, 1000));
        assert!(!uses_slow(&mut Ecf::default(), &paths, 4, 1000));
        paths[1].rttvar = Duration::from_millis(1);
        assert!(uses_slow(&mut Ecf::default(), &paths, 4, 1000), "the variation is added");
    }

    #[test]
    fn a_quick_path_with_room_is_used_whatever_waits() {
        let mut paths = paths(100);
        paths[0].flight = paths[0].unit;
        let picked = Ecf::default().pick(&QUEUE, &view(&paths));
        assert_eq!(picked.map(|(path, _)| path.index()), Some(0));
    }
}
