//! Reports about a path: its counters, and the durations of its limits.

use anabranch_base::{ByteCount, Duration, Ecn, Time};

use super::counters::PathCounters;
use super::limits::{LimitClock, LimitingFactor, TimeInLimit};

/// The reports of one path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reports {
    counters: PathCounters,
    limits: LimitClock,
}

impl Reports {
    /// The reports of a new path.
    pub(super) fn new() -> Reports {
        Reports { counters: PathCounters::default(), limits: LimitClock::new() }
    }

    /// From `now` on, `limit` limits the path, with a window of `cwnd`.
    #[inline]
    pub(crate) fn on_limit(&mut self, now: Time, limit: LimitingFactor, cwnd: ByteCount) {
        self.limits.on_limit(now, limit, cwnd);
    }

    /// A packet with codepoint `ecn` arrived.
    pub(crate) fn count_arrival(&mut self, ecn: Ecn) {
        self.counters.received_ecn.count(ecn);
        self.counters.received_packets += 1;
    }

    /// User data last sent on the path was acknowledged.
    pub(crate) fn count_acked(&mut self, payload: ByteCount) {
        self.counters.acked_bytes += payload;
    }

    /// A round trip was measured.
    pub(crate) fn count_round_trip(&mut self, round_trip: Duration) {
        self.counters.round_trips += 1;
        self.counters.round_trip_sum += round_trip;
    }

    /// T3-rtx expired.
    pub(crate) fn count_timeout(&mut self) {
        self.counters.timeouts += 1;
    }

    /// The counters, mutable.
    pub(crate) fn counters_mut(&mut self) -> &mut PathCounters {
        &mut self.counters
    }

    /// The counters.
    pub(super) fn counters(&self) -> PathCounters {
        self.counters
    }

    /// The limits of the path until `now`.
    pub(super) fn time_in_limit(&self, now: Time) -> TimeInLimit {
        self.limits.shares(now)
    }

    /// The congestion window, averaged over the time until `now`, in bytes.
    pub(super) fn mean_cwnd(&self, now: Time) -> f64 {
        self.limits.mean_cwnd(now)
    }
}
