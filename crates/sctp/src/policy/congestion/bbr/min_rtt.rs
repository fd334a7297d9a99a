//! The least round trip of a path, and the time at which it has to be measured again (draft-ietf-ccwg-bbr, "BBR.min_rtt
//! Min Filter" and "ProbeRTT Logic").

use anabranch_base::{Duration, Time};

/// The least round trip of the last ten seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// `BBR.min_rtt`; `None` before a round trip was measured.
    pub value: Option<Duration>,
    seen_at: Time,
    /// `BBR.probe_rtt_min_delay`: the least of the last five seconds.
    probe_least: Option<Duration>,
    /// `BBR.probe_rtt_min_stamp`: the time of that sample, or of the end of ProbeRTT.
    probe_seen_at: Time,
    /// `BBR.probe_rtt_expired`: true if it was not seen for five seconds.
    pub is_expired: bool,
}

impl MinRtt {
    /// A filter without samples.
    pub(super) fn new(now: Time) -> MinRtt {
        MinRtt { value: None, seen_at: now, probe_least: None, probe_seen_at: now, is_expired: false }
    }

    /// `UpdateMinRTT`
    pub(super) fn on_sample(&mut self, round_trip: Option<Duration>, now: Time) {
        self.is_expired = now > self.probe_seen_at + PROBE_RTT_INTERVAL;
        if let Some(sample) = round_trip
            && (self.is_expired || self.probe_least.is_none_or(|least| sample < least))
        {
            (self.probe_least, self.probe_seen_at) = (Some(sample), now);
        }
        let is_old = now > self.seen_at + MIN_RTT_WINDOW;
        let Some(least) = self.probe_least else { return };
        if is_old || self.value.is_none_or(|value| least < value) {
            (self.value, self.seen_at) = (Some(least), self.probe_seen_at);
        }
    }

    /// ProbeRTT ended: the next one comes after five seconds ("schedule next ProbeRTT").
    pub(crate) fn on_probed(&mut self, now: Time) {
        self.probe_seen_at = now;
    }
}

/// `BBR.MinRTTFilterLen`
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
/// `BBR.ProbeRTTInterval`
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn sampled(least: &mut MinRtt, round_trip: u64, at: u64) -> (Option<u64>, bool) {
        least.on_sample(Some(Duration::from_millis(round_trip)), ms(at));
        (least.value.map(Duration::as_millis), least.is_expired)
    }

    #[test]
    fn the_least_round_trip_is_looked_for_after_five_seconds_and_forgotten_after_ten() {
        let mut least = MinRtt::new(ms(0));
        assert_eq!(sampled(&mut least, 50, 50), (Some(50), false));
        assert_eq!(sampled(&mut least, 40, 100), (Some(40), false));
        assert_eq!(sampled(&mut least, 60, 5_100), (Some(40), false));
        assert_eq!(sampled(&mut least, 60, 5_101), (Some(40), true));
        // Five seconds count anew, because the sample that found it expired took its place.
        assert_eq!(sampled(&mut least, 70, 5_102), (Some(40), false));
        // Ten seconds after the 40 ms were seen, the 60 ms of the last five count.
        assert_eq!(sampled(&mut least, 70, 10_100), (Some(40), false));
        assert_eq!(sampled(&mut least, 70, 10_101), (Some(60), false));
    }

    #[test]
    fn the_end_of_a_probe_schedules_the_next_one() {
        let mut least = MinRtt::new(ms(0));
        sampled(&mut least, 40, 40);
        assert!(sampled(&mut least, 50, 5_041).1);
        least.on_probed(ms(5_300));
        assert!(!sampled(&mut least, 60, 10_300).1);
        assert!(sampled(&mut least, 60, 10_301).1);
    }
}
