//! The limits of a subflow, and the time of each.

use anabranch_base::{Duration, Time};

/// The limit of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// It is not open yet.
    Down,
    /// There are no data.
    Application,
    /// The congestion window is full.
    CongestionWindow,
    /// The receive window is full.
    ReceiveWindow,
    /// Nothing: another subflow was preferred.
    Scheduler,
}

/// The time each limit held.
#[derive(Clone, Debug)]
pub(super) struct TimeInLimits {
    current: Limit,
    since: Time,
    spans: [Duration; 5],
}

impl TimeInLimits {
    /// From the start of the run on, a subflow is down.
    pub(super) fn new() -> TimeInLimits {
        TimeInLimits { current: Limit::Down, since: Time::ZERO, spans: [Duration::ZERO; 5] }
    }

    /// From now on this holds it back.
    pub(super) fn set(&mut self, now: Time, limit: Limit) {
        if limit != self.current {
            self.spans[self.current as usize] += now.since(self.since);
            (self.current, self.since) = (limit, now);
        }
    }

    /// The current limit.
    pub(super) fn current(&self) -> Limit {
        self.current
    }

    /// The time this held it back until `now`.
    pub(super) fn span(&self, now: Time, limit: Limit) -> Duration {
        let open = if limit == self.current { now.since(self.since) } else { Duration::ZERO };
        self.spans[limit as usize] + open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_counts_once() {
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let mut limits = TimeInLimits::new();
        limits.set(at(2), Limit::CongestionWindow);
        limits.set(at(3), Limit::CongestionWindow);
        limits.set(at(5), Limit::Application);
        let spans = [Limit::Down, Limit::CongestionWindow, Limit::Application, Limit::Scheduler];
        assert_eq!(spans.map(|limit| limits.span(at(9), limit)), [2, 3, 4, 0].map(Duration::from_secs));
    }
}
