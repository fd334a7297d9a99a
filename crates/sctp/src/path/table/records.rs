//! The counters and times of paths, for later reports.

use anabranch_base::{Duration, Time};

use super::PathTable;
use crate::path::limits::{BlockedClock, LimitingFactor, TimeInLimit};
use crate::path::{PathCounters, SackCounters};
use crate::policy::PathId;

impl PathTable {
    /// From `now` on, `limit` limits path `id`.
    #[inline]
    pub(crate) fn on_limit(&mut self, id: PathId, now: Time, limit: LimitingFactor) {
        let (path, sample) = self.at(id);
        path.reports.on_limit(now, limit, sample.cwnd);
    }

    /// The counters of path `id`, mutable.
    pub(crate) fn counters_mut(&mut self, id: PathId) -> &mut PathCounters {
        self.path_mut(id).reports.counters_mut()
    }

    /// The counters of path `id`.
    pub(crate) fn counters(&self, id: PathId) -> PathCounters {
        self.path(id).reports.counters()
    }

    /// The SACK counters of all paths, mutable.
    pub(crate) fn sacks_mut(&mut self) -> &mut SackCounters {
        &mut self.sacks
    }

    /// The SACK counters of all paths.
    pub(crate) fn sacks(&self) -> SackCounters {
        self.sacks
    }

    /// The time for which only the receive window blocked the sender, mutable.
    pub(crate) fn blocked_mut(&mut self) -> &mut BlockedClock {
        &mut self.blocked
    }

    /// The time for which only the receive window blocked the sender until `now`.
    pub(crate) fn blocked(&self, now: Time) -> Duration {
        self.blocked.until(now)
    }

    /// The limits of path `id` until `now`.
    pub(crate) fn time_in_limit(&self, id: PathId, now: Time) -> TimeInLimit {
        self.path(id).reports.time_in_limit(now)
    }

    /// The congestion window of path `id`, averaged over the time until `now`, in bytes.
    pub(crate) fn mean_cwnd(&self, id: PathId, now: Time) -> f64 {
        self.path(id).reports.mean_cwnd(now)
    }
}
