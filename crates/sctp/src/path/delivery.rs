//! The delivery rate of a path, measured over spans of at least a round trip.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::policy::Delivery;

/// The delivery rate of one path.
#[derive(Clone, Debug)]
pub(super) struct DeliveryRate {
    /// The beginning of the current span: an acknowledgement, whose own bytes left before.
    since: Option<Time>,
    /// The bytes acknowledged since then.
    bytes: ByteCount,
    /// The rates of the last spans, in byte/s.
    spans: [f64; SPANS],
    next: usize,
    peak: f64,
}

impl DeliveryRate {
    /// The rate of a path that delivered nothing.
    pub(super) fn new() -> DeliveryRate {
        DeliveryRate { since: None, bytes: ByteCount::ZERO, spans: [0.0; SPANS], next: 0, peak: 0.0 }
    }

    /// Nothing was in flight, and a packet leaves: the next span begins with its acknowledgement.
    pub(super) fn on_idle(&mut self) {
        self.since = None;
        self.bytes = ByteCount::ZERO;
    }

    /// A SACK acknowledged `weight`, on a path with round trips of `round_trip`. If `is_underused`, the path could have
    /// carried more than it was given, and a lower rate proves little.
    pub(crate) fn on_delivered(
        &mut self,
        weight: ByteCount,
        round_trip: Option<Duration>,
        is_underused: bool,
        now: Time,
    ) {
        if weight.is_zero() {
            return;
        }
        let Some(since) = self.since else {
            self.since = Some(now);
            return;
        };
        self.bytes += weight;
        let span = now.since(since);
        if span < round_trip.unwrap_or(SHORTEST).max(SHORTEST) {
            return;
        }
        let seconds = span.as_secs_f64();
        let rate = self.bytes.get() as f64 / seconds;
        self.spans[self.next] = rate;
        self.next = (self.next + 1) % SPANS;
        let forgetting = if is_underused { PEAK_DECAY_UNDERUSED } else { PEAK_DECAY };
        self.peak = rate.max(self.peak * forgetting / (forgetting + seconds));
        self.since = Some(now);
        self.bytes = ByteCount::ZERO;
    }

    /// The rates; `None` before the first span.
    pub(super) fn delivery(&self) -> Option<Delivery> {
        let bits = |bytes: f64| BitRate::from_bits_per_second((bytes * 8.0) as u64);
        let rate = self.spans.iter().copied().fold(0.0, f64::max);
        (self.peak > 0.0).then(|| Delivery { rate: bits(rate), peak: bits(self.peak) })
    }
}

/// The number of spans that count for the rate.
const SPANS: usize = 8;
/// The shortest span: in a shorter one, the packets at its ends dominate.
const SHORTEST: Duration = Duration::from_millis(20);
/// The time constant, in seconds, with which the peak decays: it falls to 37 % in this time.
const PEAK_DECAY: f64 = 4.0;
/// The same while the path is given less than it could carry. Otherwise a scheduler that gives it no more than its peak
/// would give it less and less. (`UpdateMaxBw` of draft-ietf-ccwg-bbr ignores samples that the application limits
/// unless they are higher.) It is finite, because single spans may be measured too high.
const PEAK_DECAY_UNDERUSED: f64 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn kbps(delivery: &DeliveryRate) -> Option<(u64, u64)> {
        let Delivery { rate, peak } = delivery.delivery()?;
        Some((rate.bits_per_second() / 1_000, peak.bits_per_second() / 1_000))
    }

    /// 1,250 bytes every 10 ms are 1 Mbit/s.
    fn steady(delivery: &mut DeliveryRate, from: u64, until: u64, bytes: u64) {
        deliver(delivery, (from, until), bytes, false);
    }

    fn deliver(delivery: &mut DeliveryRate, (from, until): (u64, u64), bytes: u64, is_underused: bool) {
        for millis in (from..until).step_by(10) {
            let round_trip = Some(Duration::from_millis(40));
            delivery.on_delivered(ByteCount::new(bytes), round_trip, is_underused, at(millis));
        }
    }

    #[test]
    fn the_peak_of_a_path_that_is_spared_is_forgotten_ten_times_slower() {
        let mut delivery = DeliveryRate::new();
        steady(&mut delivery, 0, 80, 1_250);
        deliver(&mut delivery, (80, 4_090), 125, true);
        let (rate, peak) = kbps(&delivery).expect("it was measured");
        assert_eq!(rate, 100);
        assert!((895..915).contains(&peak), "a time constant of forty seconds: {peak}");
    }

    #[test]
    fn the_rate_is_the_best_of_eight_spans_and_the_peak_is_forgotten_slowly() {
        let mut delivery = DeliveryRate::new();
        steady(&mut delivery, 0, 40, 1_250);
        assert_eq!(kbps(&delivery), None, "no round trip is over");
        steady(&mut delivery, 40, 80, 1_250);
        assert_eq!(kbps(&delivery), Some((1_000, 1_000)));
        steady(&mut delivery, 80, 300, 125);
        assert_eq!(kbps(&delivery).map(|(rate, _)| rate), Some(1_000));
        steady(&mut delivery, 300, 4_090, 125);
        let (rate, peak) = kbps(&delivery).expect("it was measured");
        assert_eq!(rate, 100);
        assert!((350..390).contains(&peak), "a time constant of four seconds: {peak}");
    }

    #[test]
    fn time_in_which_nothing_was_in_flight_does_not_count() {
        let mut delivery = DeliveryRate::new();
        steady(&mut delivery, 0, 50, 1_250);
        delivery.on_idle();
        steady(&mut delivery, 900, 950, 1_250);
        assert_eq!(kbps(&delivery), Some((1_000, 1_000)));
    }
}
