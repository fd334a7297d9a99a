//! Real time as [`Time`], in whole nanoseconds since a start. Only this file of the crate reads a clock.

use std::time::Instant;

use anabranch_base::{Duration, Time};

/// A monotonic clock that starts at [`Time::ZERO`].
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts a clock at [`Time::ZERO`].
    #[expect(clippy::disallowed_methods, reason = "a driver of real sockets is where time enters")]
    pub fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// The time on the clock.
    pub fn now(&self) -> Time {
        let passed = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Time::from_nanos(passed)
    }

    /// The time the clock has been running.
    pub fn elapsed(&self) -> Duration {
        self.now().since(Time::ZERO)
    }

    /// The instant at which the clock shows `time`, for timers of tokio. A time beyond the range of an instant
    /// becomes one in the far future.
    pub(crate) fn instant(&self, time: Time) -> tokio::time::Instant {
        let span = std::time::Duration::from_nanos(time.as_nanos()).min(FAR_OFF);
        tokio::time::Instant::from_std(self.start + span)
    }
}

/// Ten years.
const FAR_OFF: std::time::Duration = std::time::Duration::from_secs(10 * 365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_forward_and_an_instant_is_its_time() {
        let clock = Clock::start();
        let (first, second) = (clock.now(), clock.now());
        assert!(first <= second);
        let later = clock.instant(second) - clock.instant(first);
        assert_eq!(anabranch_base::Duration::from(later), second.since(first));
        assert!(clock.instant(Time::from_nanos(u64::MAX)) > clock.instant(second), "no overflow");
    }
}
