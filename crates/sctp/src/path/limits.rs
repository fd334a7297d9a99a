//! Records the limits of a path, and their durations. It is updated after each event, and makes no decisions.

use anabranch_base::{ByteCount, Duration, Time};

/// The factor that prevents a path from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitingFactor {
    /// No data waits, or only lost chunks that go to another path.
    Application,
    /// The congestion window is full, a burst is used up, the single packet after a time-out is not acknowledged, or
    /// the pacer spreads the window over the round trip.
    CongestionWindow,
    /// The peer's receive window has no room for the next chunk.
    ReceiveWindow,
    /// There is room, or would be, but the scheduler sends nothing on this path.
    Scheduler,
    /// The path carries no data.
    Down,
}

/// The time since an association opened, divided by the factor that limited one of its paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeInLimit {
    /// No data waited.
    pub application: Duration,
    /// The congestion window was full.
    pub congestion_window: Duration,
    /// The peer's receive window had no room.
    pub receive_window: Duration,
    /// The scheduler sent nothing on this path.
    pub scheduler: Duration,
    /// The path carried no data.
    pub down: Duration,
}

/// Measures the limits of a path, from the first event on.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitClock {
    since: Option<Time>,
    limit: LimitingFactor,
    cwnd: ByteCount,
    shares: TimeInLimit,
    /// Bytes times nanoseconds.
    cwnd_over_time: u128,
}

/// The time for which there was data to send and congestion window on a path, but no receive window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockedClock {
    since: Option<Time>,
    sum: Duration,
}

impl TimeInLimit {
    /// The sum of all parts.
    pub fn total(&self) -> Duration {
        self.application + self.congestion_window + self.receive_window + self.scheduler + self.down
    }

    fn share_of(&mut self, limit: LimitingFactor) -> &mut Duration {
        match limit {
            LimitingFactor::Application => &mut self.application,
            LimitingFactor::CongestionWindow => &mut self.congestion_window,
            LimitingFactor::ReceiveWindow => &mut self.receive_window,
            LimitingFactor::Scheduler => &mut self.scheduler,
            LimitingFactor::Down => &mut self.down,
        }
    }
}

impl LimitClock {
    /// A clock that starts with the first event.
    pub(super) fn new() -> LimitClock {
        LimitClock {
            since: None,
            limit: LimitingFactor::Down,
            cwnd: ByteCount::ZERO,
            shares: TimeInLimit::default(),
            cwnd_over_time: 0,
        }
    }

    /// From `now` on, `limit` limits the path, with a window of `cwnd`.
    #[inline]
    pub(crate) fn on_limit(&mut self, now: Time, limit: LimitingFactor, cwnd: ByteCount) {
        // Most events change neither: the span continues.
        if self.since.is_none() || (self.limit, self.cwnd) != (limit, cwnd) {
            self.begin_span(now, limit, cwnd);
        }
    }

    fn begin_span(&mut self, now: Time, limit: LimitingFactor, cwnd: ByteCount) {
        *self = LimitClock { since: Some(now), limit, cwnd, ..self.at(now) };
    }

    /// The division of the time until `now`.
    pub(super) fn shares(&self, now: Time) -> TimeInLimit {
        self.at(now).shares
    }

    /// The mean of the window over the time until `now`, in bytes; zero if no time has passed.
    pub(super) fn mean_cwnd(&self, now: Time) -> f64 {
        let at = self.at(now);
        let total = at.shares.total().as_nanos();
        if total == 0 { 0.0 } else { at.cwnd_over_time as f64 / total as f64 }
    }

    /// The state of this clock at `now`.
    fn at(mut self, now: Time) -> LimitClock {
        let span = self.since.map_or(Duration::ZERO, |since| now.since(since));
        *self.shares.share_of(self.limit) += span;
        self.cwnd_over_time += u128::from(self.cwnd.get()) * u128::from(span.as_nanos());
        self.since = self.since.map(|_| now);
        self
    }
}

impl BlockedClock {
    /// The sender is blocked from now on, if it was not before.
    pub(crate) fn begin(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    /// The sender is no longer blocked.
    pub(crate) fn end(&mut self, now: Time) {
        self.sum = self.until(now);
        self.since = None;
    }

    /// The time for which the sender was blocked until `now`.
    pub(crate) fn until(&self, now: Time) -> Duration {
        self.sum + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn time_is_shared_out_and_the_window_averaged_by_it() {
        let mut clock = LimitClock::new();
        clock.on_limit(at(5), LimitingFactor::CongestionWindow, ByteCount::new(3_000));
        clock.on_limit(at(6), LimitingFactor::Application, ByteCount::new(6_000));
        let shares = clock.shares(at(8));
        assert_eq!(shares.congestion_window, Duration::from_secs(1));
        assert_eq!(shares.application, Duration::from_secs(2));
        assert_eq!(shares.total(), Duration::from_secs(3));
        assert_eq!(clock.mean_cwnd(at(8)), 5_000.0);
    }

    #[test]
    fn a_limit_that_stays_is_one_span() {
        let (mut often, mut once) = (LimitClock::new(), LimitClock::new());
        once.on_limit(at(1), LimitingFactor::Scheduler, ByteCount::new(7));
        (1..9).for_each(|second| often.on_limit(at(second), LimitingFactor::Scheduler, ByteCount::new(7)));
        assert_eq!(often.shares(at(9)), once.shares(at(9)));
        assert_eq!(often.mean_cwnd(at(9)), 7.0);
    }

    #[test]
    fn nothing_is_counted_before_the_first_event() {
        let clock = LimitClock::new();
        assert_eq!((clock.shares(at(9)).total(), clock.mean_cwnd(at(9))), (Duration::ZERO, 0.0));
    }
}
