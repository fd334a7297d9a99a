//! The time of a measurement as it is announced to the user.

use anabranch_base::{Duration, Time};

/// The announced time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    began: Time,
    /// The total that was announced last.
    total: Option<Duration>,
    /// The time of the next progress.
    due: Time,
}

impl Estimate {
    /// Nothing is announced yet.
    pub(super) fn new(began: Time) -> Estimate {
        Estimate { began, total: None, due: began }
    }

    /// The time of a progress with this much time left: the total, and whether it is much longer than announced.
    pub(super) fn announce(&mut self, now: Time, left: Duration) -> (Duration, bool) {
        self.due = now + EVERY;
        let whole = self.elapsed(now) + left;
        let is_longer = self.total.is_some_and(|total| whole > total + MUCH);
        if self.total.is_none() || is_longer {
            self.total = Some(whole);
        }
        (self.total.unwrap_or(whole), is_longer)
    }

    /// Returns true if a progress is due.
    pub(super) fn is_due(&self, now: Time) -> bool {
        now >= self.due
    }

    /// The time of the next progress.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// The beginning of the measurement.
    pub(super) fn began(&self) -> Time {
        self.began
    }

    /// The time since the beginning.
    pub(super) fn elapsed(&self, now: Time) -> Duration {
        now.since(self.began)
    }
}

/// The distance of two progresses.
const EVERY: Duration = Duration::from_secs(1);
/// A measurement that is this much longer says so.
const MUCH: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_much_longer_time_changes_the_announced_one() {
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let mut estimate = Estimate::new(at(0));
        let seconds = Duration::from_secs;
        assert_eq!(estimate.announce(at(0), seconds(30)), (seconds(30), false));
        assert_eq!(estimate.announce(at(10), seconds(22)), (seconds(30), false));
        assert_eq!(estimate.announce(at(20), seconds(15)), (seconds(35), true));
        assert_eq!(estimate.announce(at(21), seconds(13)), (seconds(35), false));
        assert!(!estimate.is_due(at(21)) && estimate.is_due(at(22)));
    }
}
