//! The reordering of packets on one path, and the time by which a packet may be late before it counts as lost (RFC 8985
//! §6.2 step 4).

use anabranch_base::{Duration, Time};

use super::RoundTrips;

/// The reordering observed on one path.
///
/// RFC 8985 begins with a quarter of the least round trip and adds as much for each round trip in which a loss proves
/// spurious. Here the window also follows the lateness of the packets that were overtaken and arrived: most reordering
/// then causes no spurious loss at all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reordering {
    /// The largest lateness of the present period and of the one before.
    late: [Duration; 2],
    /// The beginning of the present period.
    since: Time,
}

impl Reordering {
    /// A packet arrived `late` behind one that left after it.
    pub(super) fn on_late(&mut self, late: Duration, trips: RoundTrips, now: Time) {
        self.advance_period(trips, now);
        self.late[0] = self.late[0].max(late).max(Duration::from_nanos(1));
    }

    /// A loss proved spurious: the window was too small.
    pub(super) fn on_spurious(&mut self, trips: RoundTrips) {
        let window = self.window(trips).unwrap_or_default();
        self.late[0] = self.late[0].max(window + quarter(trips));
    }

    /// The time by which a packet may arrive later than the packets after it. `None` if no packet was late recently:
    /// then the number of packets that overtook it decides (RFC 8985 §6.2: "If no reordering has been observed").
    pub(super) fn window(&self, trips: RoundTrips) -> Option<Duration> {
        let late = self.late[0].max(self.late[1]);
        let most = trips.smoothed.unwrap_or(late) * MOST_ROUND_TRIPS;
        (!late.is_zero()).then(|| (late + late / 4).max(quarter(trips)).min(most))
    }

    /// Begins another period if the present one was long enough. Lateness is forgotten after two periods.
    pub(super) fn advance_period(&mut self, trips: RoundTrips, now: Time) {
        let period = (trips.smoothed.unwrap_or_default() * PERIOD_ROUND_TRIPS).max(LEAST_PERIOD);
        if now.since(self.since) >= period {
            self.late = [Duration::ZERO, self.late[0]];
            self.since = now;
        }
    }
}

/// A quarter of the least round trip.
fn quarter(trips: RoundTrips) -> Duration {
    trips.least.unwrap_or_default() / 4
}

/// The window is at most this many round trips. RFC 8985 has one; on a path with little delay and much jitter a packet
/// is later than that.
const MOST_ROUND_TRIPS: u64 = 2;
/// RFC 8985 keeps a window for 16 recoveries, which last a round trip at least.
const PERIOD_ROUND_TRIPS: u64 = 16;
/// On a short path jitter occurs less often than that.
const LEAST_PERIOD: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    const TRIPS: RoundTrips =
        RoundTrips { least: Some(Duration::from_millis(40)), smoothed: Some(Duration::from_millis(50)) };

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_window_follows_what_was_late_between_a_quarter_and_two_round_trips() {
        let ms = Duration::from_millis;
        let window = |late| {
            let mut seen = Reordering::default();
            seen.on_late(ms(late), TRIPS, at(0));
            seen.window(TRIPS)
        };
        assert_eq!(Reordering::default().window(TRIPS), None);
        assert_eq!([1, 40, 200].map(window), [Some(ms(10)), Some(ms(50)), Some(ms(100))]);
    }

    #[test]
    fn what_was_late_is_forgotten_after_two_periods() {
        let mut seen = Reordering::default();
        seen.on_late(Duration::from_millis(40), TRIPS, at(10_000));
        seen.advance_period(TRIPS, at(12_000));
        assert!(seen.window(TRIPS).is_some());
        seen.advance_period(TRIPS, at(13_999));
        assert!(seen.window(TRIPS).is_some());
        seen.advance_period(TRIPS, at(14_000));
        assert_eq!(seen.window(TRIPS), None);
    }

    #[test]
    fn each_spurious_loss_widens_the_window() {
        let mut seen = Reordering::default();
        let windows = [(); 3].map(|()| {
            seen.on_spurious(TRIPS);
            seen.window(TRIPS).map(Duration::as_millis)
        });
        assert_eq!(windows, [Some(12), Some(28), Some(47)]);
    }
}
