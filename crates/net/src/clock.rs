//! The time of day for the core: whole nanoseconds since the endpoint began. The only place of this crate
//! that reads a clock; it knows nothing of what the time is used for.

use std::time::Instant;

use anabranch_base::Time;

/// A clock that began at [`Time::ZERO`] and never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that shows [`Time::ZERO`] now.
    #[expect(clippy::disallowed_methods, reason = "a driver of real sockets is where time enters")]
    pub fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// What the clock shows.
    pub fn now(&self) -> Time {
        let passed = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Time::from_nanos(passed)
    }

    /// When the clock will show `time`, as timers of tokio take it; a time that no machine will see becomes
    /// one that is far off.
    pub fn instant(&self, time: Time) -> tokio::time::Instant {
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
