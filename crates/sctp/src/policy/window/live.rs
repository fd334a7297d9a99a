//! Window management by limits that are planned again during the association.

use anabranch_base::{ByteCount, Duration, Time};

use super::limits::PathLimits;
use super::{Grant, Planner, WindowLimit};
use crate::policy::{PathId, View};

/// Limits of the latest plan.
#[derive(Debug)]
pub struct Live {
    planner: Box<dyn Planner>,
    limits: PathLimits,
    next_plan: Time,
}

/// The time for which a plan is used: long compared with a round trip, so that measurements show the effect of the
/// plan, and short compared with changes of radio links.
pub(crate) const PLAN_AGAIN: Duration = Duration::from_millis(500);

impl Live {
    /// Limits by `planner`; no limits before it has enough measurements.
    pub fn new(planner: Box<dyn Planner>) -> Live {
        Live { planner, limits: PathLimits::default(), next_plan: Time::ZERO }
    }
}

impl WindowLimit for Live {
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant {
        if view.now >= self.next_plan {
            self.next_plan = view.now + PLAN_AGAIN;
            self.limits.set_limits(&self.planner.plan(view));
        }
        let ours = view.path(path);
        let excess = ours.cwnd.saturating_sub(self.limits.of(ours));
        if ours.is_queueing() && !excess.is_zero() {
            // The window grew before there was a plan, or the path became worse: the part above the limit waits in a
            // queue.
            return Grant { by: ByteCount::ZERO, taken: Some((path, excess)) };
        }
        self.limits.grant(path, wanted, view)
    }

    fn room(&self, view: &View<'_>) -> ByteCount {
        self.limits.room(view)
    }

    fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        self.limits.set_limits(limits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{sample, view};

    /// Gives each path as many units as the number of its calls.
    #[derive(Debug, Default)]
    struct Counting(u64);

    impl Planner for Counting {
        fn plan(&mut self, view: &View<'_>) -> Vec<(PathId, ByteCount)> {
            self.0 += 1;
            view.paths.iter().map(|path| (path.id, path.unit * self.0)).collect()
        }
    }

    #[test]
    fn a_window_beyond_its_limit_gives_way_while_its_path_queues() {
        let mut paths = [sample(0)];
        let mut live = Live::new(Box::new(Counting::default()));
        let packet = paths[0].unit;
        let lent = live.grant(PathId::FIRST, packet, &view(&paths));
        assert_eq!(lent, Grant::free(packet), "a limit of one packet, a window of four, and nothing waits");
        (paths[0].min_rtt, paths[0].srtt) =
            (Some(Duration::from_millis(10)), Some(Duration::from_millis(20)));
        let cut = live.grant(PathId::FIRST, packet, &view(&paths));
        assert_eq!(cut, Grant { by: ByteCount::ZERO, taken: Some((PathId::FIRST, packet * 3)) });
    }

    #[test]
    fn a_plan_is_asked_for_when_the_last_is_old() {
        let paths = [sample(0)];
        let mut live = Live::new(Box::new(Counting::default()));
        let mut view = view(&paths);
        view.receive_buffer = paths[0].unit * 4;
        let mut limits_at = |now| {
            view.now = now;
            live.grant(PathId::FIRST, paths[0].unit, &view);
            live.limits.of(&paths[0])
        };
        assert_eq!(limits_at(Time::ZERO), paths[0].unit);
        assert_eq!(limits_at(Time::ZERO + PLAN_AGAIN.saturating_sub(Duration::from_nanos(1))), paths[0].unit);
        assert_eq!(limits_at(Time::ZERO + PLAN_AGAIN), paths[0].unit * 2);
    }
}
