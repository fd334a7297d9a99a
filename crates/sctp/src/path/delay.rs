//! One-way delays of a path, from round trips whose directions may use different paths.

use anabranch_base::{Duration, Time};

use crate::policy::OneWay;

/// The delays of one path.
///
/// Data leaves by this path, and the SACK for it returns by any path, usually the quickest. The return delay is taken
/// to be half of the least round trip that left and returned by the SACK's path. The rest of the round trip is the
/// forward delay.
#[derive(Clone, Debug)]
pub(super) struct PathDelay {
    /// The least round trip that left and returned by this path.
    round_trip: LastingMinimum,
    least_forward: LastingMinimum,
    /// The last forward delay, and the smoothed return delay of SACKs for this path's data.
    last: Option<(Duration, Duration)>,
}

/// A round trip and its conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DelaySample {
    /// From the departure of the packet to the arrival of its SACK.
    pub round_trip: Duration,
    /// The return delay, if the SACK's path was measured.
    pub back: Option<Duration>,
    /// True if the SACK returned by the path of the data.
    pub is_same_path: bool,
    /// True if so little was in flight on the path that this sender cannot have caused a queue.
    pub is_drained: bool,
}

/// A least value that follows a lasting rise.
///
/// A sender cannot distinguish a longer path from a queue that it fills itself, because both delay all its packets. A
/// packet that leaves when little is in flight has no such queue before it. If the least value was not seen for a
/// while, the path is [to be drained](PathDelay::is_to_be_drained), as in BBR
/// (draft-cardwell-iccrg-bbr-congestion-control §4.3.4), and the packets that leave then give the new value.
#[derive(Clone, Copy, Debug, Default)]
struct LastingMinimum {
    value: Option<Duration>,
    /// The time at which it was last seen.
    seen_at: Time,
    /// The least value since then of packets that left the path drained, and their number.
    drained: Option<(Duration, u32)>,
}

impl LastingMinimum {
    fn on_sample(&mut self, sample: Duration, is_drained: bool, now: Time) {
        let Some(least) = self.value.filter(|least| sample > *least + tolerance(*least)) else {
            let least = self.value.map_or(sample, |least| least.min(sample));
            *self = LastingMinimum { value: Some(least), seen_at: now, drained: None };
            return;
        };
        if !is_drained {
            return;
        }
        let (value, count) =
            self.drained.map_or((sample, 1), |(value, count)| (value.min(sample), count + 1));
        self.drained = Some((value, count));
        if count >= ENOUGH_DRAINED && now.since(self.seen_at) >= LASTING {
            *self = LastingMinimum { value: Some(value.max(least)), seen_at: now, drained: None };
        }
    }
}

/// The largest excess over the least value with which a sample still confirms it.
fn tolerance(least: Duration) -> Duration {
    least / 8 + Duration::from_millis(1)
}

impl PathDelay {
    /// The delays of a path on which nothing was measured.
    pub(super) fn new() -> PathDelay {
        PathDelay {
            round_trip: LastingMinimum::default(),
            least_forward: LastingMinimum::default(),
            last: None,
        }
    }

    /// A HEARTBEAT left and returned by this path; `is_drained` as in [`DelaySample`].
    pub(super) fn on_round_trip(&mut self, sample: Duration, is_drained: bool, now: Time) {
        self.round_trip.on_sample(sample, is_drained, now);
        self.on_delay(sample / 2, sample / 2, is_drained, now);
    }

    /// Data of this path was acknowledged.
    pub(super) fn on_sample(&mut self, sample: &DelaySample, now: Time) {
        if sample.is_same_path {
            self.round_trip.on_sample(sample.round_trip, sample.is_drained, now);
        }
        let half = sample.round_trip / 2;
        // The sample may be the least round trip of its own path.
        let known = if sample.is_same_path { self.back() } else { sample.back };
        let back = known.filter(|back| *back < sample.round_trip).unwrap_or(half);
        self.on_delay(sample.round_trip.saturating_sub(back), back, sample.is_drained, now);
    }

    fn on_delay(&mut self, delay: Duration, back: Duration, is_drained: bool, now: Time) {
        self.least_forward.on_sample(delay, is_drained, now);
        let smoothed = self.last.map_or(back, |(_, before)| (before * 7 + back) / 8);
        self.last = Some((delay, smoothed));
    }

    /// The least forward delay.
    pub(super) fn least(&self) -> Option<Duration> {
        self.least_forward.value
    }

    /// The return delay by which the least forward delay was calculated proved shorter: the forward delay was longer by
    /// as much.
    pub(crate) fn on_shorter_back(&mut self, by: Duration) {
        self.least_forward.value = self.least_forward.value.map(|least| least + by);
    }

    /// The least round trip by this path is at most twice `back`.
    pub(crate) fn on_back_at_most(&mut self, back: Duration) {
        self.round_trip.value = self.round_trip.value.map(|least| least.min(back * 2));
    }

    /// The return delay of the path; `None` before a round trip was measured.
    pub(super) fn back(&self) -> Option<Duration> {
        self.round_trip.value.map(|round_trip| round_trip / 2)
    }

    /// The delays as policies see them.
    pub(super) fn one_way(&self) -> Option<OneWay> {
        let ((delay, back), least) = self.last.zip(self.least_forward.value)?;
        Some(OneWay { delay, least, back })
    }

    /// Returns true if the least delay was not seen for so long that it may have risen. Packets that leave while little
    /// is in flight show it.
    pub(crate) fn is_to_be_drained(&self, now: Time) -> bool {
        self.least_forward.value.is_some() && now.since(self.least_forward.seen_at) >= LASTING
    }
}

/// The time for which a rise of the least delay has to last until it counts.
const LASTING: Duration = Duration::from_secs(10);
/// The number of packets of a drained path that confirm it.
const ENOUGH_DRAINED: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + ms(milliseconds)
    }

    fn sample(round_trip: u64, back: u64, is_drained: bool) -> DelaySample {
        DelaySample { round_trip: ms(round_trip), back: Some(ms(back)), is_same_path: false, is_drained }
    }

    fn millis(delay: &PathDelay) -> [u64; 3] {
        let OneWay { delay, least, back } = delay.one_way().expect("it was measured");
        [delay, least, back].map(Duration::as_millis)
    }

    #[test]
    fn the_way_there_is_what_the_way_back_of_the_sacks_path_leaves() {
        let mut delay = PathDelay::new();
        assert_eq!((delay.one_way(), delay.back()), (None, None));
        delay.on_sample(&sample(110, 10, false), at(0));
        delay.on_sample(&sample(150, 10, false), at(10));
        assert_eq!(
            (millis(&delay), delay.back()),
            ([140, 100, 10], None),
            "no round trip by this path alone"
        );
        delay.on_round_trip(ms(200), true, at(20));
        assert_eq!((millis(&delay), delay.back()), ([100, 100, 21], Some(ms(100))));
    }

    #[test]
    fn a_path_whose_sacks_come_by_an_unmeasured_path_is_taken_for_symmetric() {
        let mut delay = PathDelay::new();
        delay.on_sample(&DelaySample { back: None, is_same_path: true, ..sample(80, 0, false) }, at(0));
        assert_eq!((millis(&delay), delay.back()), ([40, 40, 40], Some(ms(40))));
    }

    #[test]
    fn a_way_back_that_is_longer_than_the_round_trip_is_not_known() {
        let mut delay = PathDelay::new();
        delay.on_sample(&sample(80, 90, false), at(0));
        assert_eq!(millis(&delay), [40, 40, 40], "both ways alike, and not nothing there");
    }

    #[test]
    fn a_queue_of_the_sender_is_not_taken_for_a_longer_path() {
        let mut delay = PathDelay::new();
        delay.on_sample(&sample(30, 10, false), at(0));
        for time in 1..600 {
            delay.on_sample(&sample(90, 10, false), at(100 * time));
        }
        assert_eq!(millis(&delay), [80, 20, 10]);
        assert!(delay.is_to_be_drained(at(60_000)) && !delay.is_to_be_drained(at(9_900)));
        delay.on_sample(&sample(31, 10, true), at(60_100));
        assert!(!delay.is_to_be_drained(at(61_000)), "the queue is gone, and the least delay is as before");
    }

    #[test]
    fn a_lasting_rise_is_learned_from_packets_of_a_drained_path() {
        let mut delay = PathDelay::new();
        delay.on_sample(&sample(30, 10, false), at(0));
        for time in 1..=4 {
            delay.on_sample(&sample(60, 10, true), at(2_000 * time));
        }
        assert_eq!(millis(&delay)[1], 20, "it did not last yet");
        delay.on_sample(&sample(63, 10, true), at(10_000));
        assert_eq!(millis(&delay)[1], 50);
        delay.on_sample(&sample(25, 10, false), at(10_100));
        assert_eq!(millis(&delay)[1], 15, "less is believed at once");
    }
}
