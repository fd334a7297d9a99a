//! The clock of the relay, and the time at which the kernel received a datagram that is read later.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anabranch_base::{Duration, Time};

/// A monotonic clock that starts at [`Time::ZERO`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

/// One moment on both of the machine's clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    now: Time,
    /// The time since 1970 on the clock of the kernel's packet time stamps.
    wall: Duration,
}

impl Clock {
    /// A clock that shows [`Time::ZERO`] now.
    #[expect(clippy::disallowed_methods, reason = "a driver of real sockets is where time enters")]
    pub(crate) fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// The time on the clock.
    pub(crate) fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed().into()
    }

    /// The time on both clocks.
    #[expect(clippy::disallowed_methods, reason = "the kernel's stamps are of this clock")]
    pub(crate) fn moment(&self) -> Moment {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment { now: self.now(), wall: wall.into() }
    }
}

impl Moment {
    /// The arrival time of a packet with the kernel's time stamp `stamp` that is read now; without a time stamp, now.
    /// If the machine's clock is set in between, the result is wrong by that amount, but never later than now.
    pub(crate) fn arrival(&self, stamp: Option<std::time::Duration>) -> Time {
        stamp.map_or(self.now, |stamp| self.now - self.wall.saturating_sub(stamp.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Moment =
        Moment { now: Time::from_nanos(5_000_000), wall: Duration::from_nanos(1_700_000_000_000_000_000) };

    fn stamped(before: Duration) -> Option<std::time::Duration> {
        Some(MOMENT.wall.saturating_sub(before).into())
    }

    #[test]
    fn a_packet_came_when_the_kernel_says_and_not_when_it_is_read() {
        assert_eq!(MOMENT.arrival(stamped(Duration::from_millis(2))), Time::from_nanos(3_000_000));
        assert_eq!(MOMENT.arrival(None), MOMENT.now);
    }

    #[test]
    fn a_stamp_from_the_future_or_from_before_the_start_is_bounded() {
        let future = std::time::Duration::from(MOMENT.wall) + std::time::Duration::from_secs(1);
        assert_eq!(MOMENT.arrival(Some(future)), MOMENT.now);
        assert_eq!(MOMENT.arrival(stamped(Duration::from_secs(1))), Time::ZERO);
    }
}
