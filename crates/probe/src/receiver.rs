//! One lane as its receiver sees it: the least delay, the growth above it, and the echo for the other end.

use anabranch_base::{Duration, Time};

use crate::protocol::{Echo, TestBody};

/// The receiving side of one lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneReceiver {
    /// The least differences of arrival and sending, in nanoseconds, of the last two periods; the clocks of the ends may
    /// differ, and drift.
    least: [Option<i128>; 2],
    period_began: Time,
    growth: Duration,
    latest: Option<Latest>,
}

/// The state of the latest segment.
#[derive(Clone, Copy, Debug)]
struct Latest {
    segment: u16,
    /// The highest number, and the time of its arrival.
    number: u32,
    at: Time,
    received: u32,
}

impl LaneReceiver {
    /// A packet arrived at `at`.
    pub(crate) fn on_packet(&mut self, at: Time, body: &TestBody) {
        let delay = i128::from(at.as_nanos()) - i128::from(body.sent_at.as_nanos());
        if at.since(self.period_began) > PERIOD {
            self.period_began = at;
            self.least = [None, self.least[0]];
        }
        self.least[0] = Some(self.least[0].map_or(delay, |least| least.min(delay)));
        let least = self.least.into_iter().flatten().fold(delay, i128::min);
        self.growth = Duration::from_nanos(u64::try_from(delay - least).unwrap_or(u64::MAX));
        match &mut self.latest {
            Some(latest) if body.segment < latest.segment => {}
            Some(latest) if body.segment == latest.segment => {
                latest.received = latest.received.saturating_add(1);
                if body.number > latest.number {
                    (latest.number, latest.at) = (body.number, at);
                }
            }
            latest => *latest = Some(Latest { segment: body.segment, number: body.number, at, received: 1 }),
        }
    }

    /// The echo of a packet that is sent at `now`.
    pub(crate) fn echo(&self, now: Time) -> Option<Echo> {
        let Latest { segment, number, at, received } = self.latest?;
        Some(Echo { segment, number, hold: now.since(at), received, growth: self.growth })
    }
}

/// The time after which a least delay counts only for as long again: longer than a queue is kept full.
const PERIOD: Duration = Duration::from_secs(12);

#[cfg(test)]
mod tests {
    use super::*;

    fn body(segment: u16, number: u32, sent: u64) -> TestBody {
        let sent_at = Time::from_nanos(sent);
        TestBody { segment, lane: 0, number, sent_at, echo: None }
    }

    #[test]
    fn growth_is_above_the_least_delay_whatever_the_clocks_say() {
        let mut lane = LaneReceiver::default();
        assert_eq!(lane.echo(Time::ZERO), None);
        // The sender's clock is ahead: delays are negative.
        for (sent, at, growth) in [(9_000, 150, 0), (9_100, 200, 0), (9_200, 350, 50)] {
            lane.on_packet(Time::from_nanos(at), &body(1, 0, sent));
            let echo = lane.echo(Time::from_nanos(at)).expect("an echo");
            assert_eq!(echo.growth, Duration::from_nanos(growth));
        }
    }

    #[test]
    fn a_least_delay_from_long_ago_is_forgotten_so_that_drift_does_not_add_up() {
        let mut lane = LaneReceiver::default();
        for second in 0..100 {
            let at = Time::from_nanos(second * 1_000_000_000);
            lane.on_packet(at + Duration::from_micros(100 * second), &body(1, 0, at.as_nanos()));
        }
        let growth = lane.growth;
        assert!(growth > Duration::from_micros(1_100) && growth < Duration::from_micros(2_700), "{growth}");
    }

    #[test]
    fn the_echo_is_that_of_the_highest_number_of_the_latest_segment() {
        let mut lane = LaneReceiver::default();
        for (segment, number, at) in [(1, 5, 10), (2, 0, 20), (2, 3, 30), (2, 1, 40), (1, 9, 50)] {
            lane.on_packet(Time::from_nanos(at), &body(segment, number, 0));
        }
        let echo = lane.echo(Time::from_nanos(60)).expect("an echo");
        assert_eq!((echo.segment, echo.number, echo.received), (2, 3, 3));
        assert_eq!(echo.hold, Duration::from_nanos(30));
    }
}
