//! The counters and times of paths, for later reports.

use anabranch_base::{Duration, Time};

use super::PathTable;
use crate::path::counters::{PathCounters, SackCounters};
use crate::path::limits::{BlockedClock, LimitingFactor, TimeInLimit};
use crate::policy::PathId;

impl PathTable {
    /// From now on this holds the path back.
    pub fn on_limit(&mut self, id: PathId, now: Time, limit: LimitingFactor) {
        self.paths[id.index()].limits.on_limit(now, limit, self.samples[id.index()].cwnd);
    }

    /// The sums of a path, to be added to.
    pub fn counters_mut(&mut self, id: PathId) -> &mut PathCounters {
        &mut self.paths[id.index()].counters
    }

    /// The sums of a path.
    pub fn counters(&self, id: PathId) -> PathCounters {
        self.paths[id.index()].counters
    }

    /// The SACKs of all paths, to be added to.
    pub fn sacks_mut(&mut self) -> &mut SackCounters {
        &mut self.sacks
    }

    /// The SACKs of all paths.
    pub fn sacks(&self) -> SackCounters {
        self.sacks
    }

    /// How long the receive window alone held the sender back, for updates.
    pub fn blocked_mut(&mut self) -> &mut BlockedClock {
        &mut self.blocked
    }

    /// How long the receive window alone held the sender back until `now`.
    pub fn blocked(&self, now: Time) -> Duration {
        self.blocked.until(now)
    }

    /// What held a path back until `now`.
    pub fn time_in_limit(&self, id: PathId, now: Time) -> TimeInLimit {
        self.paths[id.index()].limits.shares(now)
    }

    /// A path's congestion window averaged over the time until `now`, in bytes.
    pub fn mean_cwnd(&self, id: PathId, now: Time) -> f64 {
        self.paths[id.index()].limits.mean_cwnd(now)
    }
}
