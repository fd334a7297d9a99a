//! Round trips, by the echoes in test packets.

use anabranch_base::{Duration, Time};
use anabranch_diagnose::recording::RoundTrip;

use crate::protocol::Echo;

/// The round trips of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrips {
    measured: Vec<RoundTrip>,
    /// The segment and number of the last echo that was used.
    last: Option<(u16, u32)>,
}

impl RoundTrips {
    /// An echo of a packet that was sent at `sent` arrived at `at`. An echo shows one round trip, however often it comes.
    pub(super) fn on_echo(&mut self, at: Time, echo: &Echo, sent: Time) -> Option<Duration> {
        let key = (echo.segment, echo.number);
        if self.last.is_some_and(|last| key <= last) {
            return None;
        }
        self.last = Some(key);
        let whole = at.since(sent);
        if echo.hold > LONGEST_HOLD || echo.hold > whole {
            return None;
        }
        let took = whole.saturating_sub(echo.hold);
        let is_near = self.measured.last().is_some_and(|last| at.since(last.at) < DISTANCE);
        if !is_near && self.measured.len() < MOST {
            self.measured.push(RoundTrip { at, took });
        }
        Some(took)
    }

    /// The measured round trips.
    pub(super) fn into_measured(self) -> Vec<RoundTrip> {
        self.measured
    }
}

/// The other end may have held a packet for this long: its clock is not exact.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// The least distance of two round trips that are kept.
const DISTANCE: Duration = Duration::from_millis(10);
/// The most round trips that are kept: those of five minutes.
const MOST: usize = 30_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn an_echo_shows_a_round_trip_once_and_without_the_time_it_was_held() {
        let mut trips = RoundTrips::default();
        let growth = Duration::ZERO;
        let echo = |number, hold| Echo {
            segment: 1,
            number,
            hold: Duration::from_millis(hold),
            received: 1,
            growth,
        };
        assert_eq!(trips.on_echo(at(50), &echo(0, 10), at(0)), Some(Duration::from_millis(40)));
        assert_eq!(trips.on_echo(at(70), &echo(0, 30), at(0)), None);
        assert_eq!(trips.on_echo(at(90), &echo(1, 71), at(20)), None, "it was held longer than it was away");
        assert_eq!(trips.on_echo(at(95), &echo(2, 0), at(60)), Some(Duration::from_millis(35)));
        assert_eq!(trips.on_echo(at(99), &echo(3, 0), at(60)), Some(Duration::from_millis(39)));
        let kept: Vec<Time> = trips.into_measured().iter().map(|trip| trip.at).collect();
        assert_eq!(kept, [at(50), at(95)]);
    }
}
