//! The measurements of a path while it carries data: its one-way delays, and its delivery rate.

use anabranch_base::{ByteCount, Duration, Time};

use super::delay::{DelaySample, PathDelay};
use super::delivery::DeliveryRate;
use crate::policy::{OneWay, PathId, PathSample};

/// The measurements of one path.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    delay: PathDelay,
    /// The path of the SACK that gave the least forward delay; `None` if a HEARTBEAT did.
    least_by: Option<PathId>,
    delivery: DeliveryRate,
    /// A flight of up to this much leaves the path half empty, so that nothing waits in a queue.
    drained_flight: ByteCount,
    /// The time since which the flight is no larger.
    drained_since: Option<Time>,
}

/// A SACK for data of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acknowledgement {
    /// The departure of the last packet that the SACK newly acknowledges and that left once.
    pub sent_at: Time,
    /// The path on which the SACK arrived.
    pub by: PathId,
    /// The return delay of that path, if it is known.
    pub back: Option<Duration>,
}

impl Measured {
    /// The measurements of a new path.
    pub(super) fn new() -> Measured {
        Measured {
            delay: PathDelay::new(),
            least_by: None,
            delivery: DeliveryRate::new(),
            drained_flight: ByteCount::ZERO,
            drained_since: Some(Time::ZERO),
        }
    }

    /// The path begins anew, without measurements.
    pub(super) fn restart(&mut self, sample: &mut PathSample) {
        *self = Measured::new();
        (sample.one_way, sample.delivery, sample.drain_to) = (None, None, None);
    }

    /// A chunk leaves; the flight becomes `flight`, and was zero before if `was_idle`.
    pub(super) fn on_sent(&mut self, flight: ByteCount, was_idle: bool, now: Time) {
        if was_idle {
            self.delivery.on_idle();
        }
        self.follow(flight, now);
    }

    /// A SACK acknowledged `weight`, and left `flight`.
    pub(crate) fn on_delivered(&mut self, weight: ByteCount, sample: &PathSample, now: Time) {
        self.delivery.on_delivered(weight, sample.srtt, is_underused(weight, sample), now);
        self.follow(sample.flight, now);
    }

    /// The SACK `acknowledged` data of the path that `sample` shows.
    pub(super) fn on_acknowledged(&mut self, acknowledged: &Acknowledgement, sample: &PathSample, now: Time) {
        let &Acknowledgement { sent_at, by, back } = acknowledged;
        let (round_trip, is_same_path) = (now.since(sent_at), by == sample.id);
        let (is_drained, least) = (self.is_drained_since(sent_at), self.least());
        self.delay.on_sample(&DelaySample { round_trip, back, is_same_path, is_drained }, now);
        if self.least() != least {
            self.least_by = Some(by);
        }
    }

    /// A HEARTBEAT returned after `round_trip`.
    pub(super) fn on_round_trip(&mut self, round_trip: Duration, now: Time) {
        let (is_drained, least) = (self.is_drained_since(now - round_trip), self.least());
        self.delay.on_round_trip(round_trip, is_drained, now);
        if self.least() != least {
            self.least_by = None;
        }
    }

    /// A packet of another path, whose least forward delay is `least`, and the SACK for it by this path took
    /// `round_trip`. If that left less than half of the least forward delay, this path's return delay is shorter than
    /// calculated: everything that was measured of it had waited in a queue.
    pub(crate) fn doubt_back(&mut self, round_trip: Duration, least: Duration) {
        let is_doubtful = |back: Duration| round_trip.saturating_sub(back) * 2 < least;
        let back = round_trip.saturating_sub(least);
        if self.back().is_some_and(is_doubtful) && !back.is_zero() {
            self.delay.on_back_at_most(back);
        }
    }

    /// The return delay of path `by` has proved shorter by `shorter`: if the least forward delay was calculated with
    /// it, that was longer.
    pub(crate) fn on_shorter_back(&mut self, by: PathId, shorter: Duration) {
        if self.least_by == Some(by) {
            self.delay.on_shorter_back(shorter);
        }
    }

    /// The return delay of the path; `None` before a round trip was measured.
    pub(super) fn back(&self) -> Option<Duration> {
        self.delay.back()
    }

    /// The least forward delay.
    pub(super) fn least(&self) -> Option<Duration> {
        self.delay.least()
    }

    /// Writes the measurements into `sample`.
    pub(super) fn show(&mut self, sample: &mut PathSample, now: Time) {
        sample.one_way = self.delay.one_way();
        sample.delivery = self.delivery.delivery();
        let filling = sample.delivery.zip(sample.one_way).map(|(delivery, OneWay { least, back, .. })| {
            let bits = u128::from(delivery.peak.bits_per_second());
            let bytes = bits * u128::from((least + back).as_nanos()) / 8_000_000_000;
            ByteCount::new(u64::try_from(bytes).unwrap_or(u64::MAX))
        });
        self.drained_flight = filling.map_or(ByteCount::ZERO, |filling| filling / 2).max(sample.unit * 2);
        sample.drain_to = self.delay.is_to_be_drained(now).then_some(self.drained_flight);
    }

    fn follow(&mut self, flight: ByteCount, now: Time) {
        self.drained_since =
            if flight <= self.drained_flight { self.drained_since.or(Some(now)) } else { None };
    }

    fn is_drained_since(&self, time: Time) -> bool {
        self.drained_since.is_some_and(|since| since <= time)
    }
}

/// Returns true if the path, on which `weight` was acknowledged, was given less than it could carry: its window had
/// room for two more packets, and no queue held the last packet for half of a round trip.
fn is_underused(weight: ByteCount, sample: &PathSample) -> bool {
    let waits_long = |delay: OneWay| delay.delay > delay.least + (delay.least + delay.back) / 2;
    sample.flight + weight + sample.unit * 2 <= sample.cwnd && !sample.one_way.is_none_or(waits_long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Delivery;
    use crate::policy::testing::sample;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn acknowledged(sent_at: u64) -> Acknowledgement {
        let back = Some(Duration::from_millis(10));
        Acknowledgement { sent_at: at(sent_at), by: PathId::from_index(1), back }
    }

    #[test]
    fn a_path_is_spared_if_its_window_has_room_and_no_queue_is_long() {
        let ms = Duration::from_millis;
        let mut path = sample(0);
        path.cwnd = path.unit * 10;
        path.flight = path.unit * 6;
        assert!(!is_underused(path.unit, &path), "nothing was measured");
        path.one_way = Some(OneWay { delay: ms(40), least: ms(20), back: ms(20) });
        let spared = [1, 2, 3].map(|acked| is_underused(path.unit * acked, &path));
        assert_eq!(spared, [true, true, false], "before, up to nine of ten packets were in flight");
        path.one_way = Some(OneWay { delay: ms(41), least: ms(20), back: ms(20) });
        assert!(!is_underused(path.unit, &path), "a queue of 21 ms");
    }

    /// 12 kB each 10 ms, with a round trip of 40 ms: 48 kB fill the path.
    #[test]
    fn a_path_is_drained_while_half_of_what_fills_it_is_in_flight() {
        let (mut measured, mut path) = (Measured::new(), sample(0));
        path.flight = ByteCount::new(48_000);
        measured.on_sent(path.flight, true, at(0));
        for time in (40..400).step_by(10) {
            measured.on_delivered(ByteCount::new(12_000), &path, at(time));
            measured.on_acknowledged(&acknowledged(time - 40), &path, at(time));
            measured.show(&mut path, at(time));
        }
        let Some(Delivery { rate, peak }) = path.delivery else { panic!("it was measured") };
        assert_eq!((rate.bits_per_second(), peak.bits_per_second()), (9_600_000, 9_600_000));
        assert_eq!(
            path.one_way.map(|delay| (delay.least.as_millis(), delay.back.as_millis())),
            Some((30, 10))
        );
        assert_eq!(measured.drained_flight, ByteCount::new(24_000));
        assert!(!measured.is_drained_since(at(390)));
        path.flight = ByteCount::new(24_000);
        measured.on_delivered(ByteCount::new(24_000), &path, at(400));
        assert!(!measured.is_drained_since(at(399)) && measured.is_drained_since(at(400)));
        measured.on_sent(ByteCount::new(25_200), false, at(410));
        assert!(!measured.is_drained_since(at(410)));
    }
}
