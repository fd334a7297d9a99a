//! What is measured of a path while it carries data: its delays one way, and how fast it delivers.

use anabranch_base::{ByteCount, Duration, Time};

use super::delay::{DelaySample, PathDelay};
use super::delivery::DeliveryRate;
use crate::policy::{OneWay, PathSample};

/// The measurements of one path.
#[derive(Clone, Debug)]
pub struct Measured {
    pub delay: PathDelay,
    delivery: DeliveryRate,
    /// A flight of up to this much leaves the path half empty, so that nothing waits in a queue.
    drained_flight: ByteCount,
    /// Since when the flight is no larger.
    drained_since: Option<Time>,
}

/// A SACK for data of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// When the last of the packets left that the SACK newly acknowledges and that left once.
    pub sent_at: Time,
    /// The way back by the path on which the SACK arrived, if it is known.
    pub back: Option<Duration>,
    /// Whether that is the path of the data.
    pub is_same_path: bool,
}

impl Measured {
    /// Nothing was measured.
    pub fn new() -> Measured {
        Measured {
            delay: PathDelay::new(),
            delivery: DeliveryRate::new(),
            drained_flight: ByteCount::ZERO,
            drained_since: Some(Time::ZERO),
        }
    }

    /// A chunk leaves; the flight becomes `flight`, and was zero before if `was_idle`.
    pub fn on_sent(&mut self, flight: ByteCount, was_idle: bool, now: Time) {
        if was_idle {
            self.delivery.on_idle();
        }
        self.follow(flight, now);
    }

    /// A SACK acknowledged `weight`, and left `flight`.
    pub fn on_delivered(&mut self, weight: ByteCount, sample: &PathSample, now: Time) {
        self.delivery.on_delivered(weight, sample.srtt, is_spared(weight, sample), now);
        self.follow(sample.flight, now);
    }

    fn follow(&mut self, flight: ByteCount, now: Time) {
        self.drained_since = match flight <= self.drained_flight {
            true => self.drained_since.or(Some(now)),
            false => None,
        };
    }

    /// The SACK `acknowledged` data.
    pub fn on_acknowledged(&mut self, acknowledged: &Acknowledgement, now: Time) {
        let &Acknowledgement { sent_at, back, is_same_path } = acknowledged;
        let round_trip = now.since(sent_at);
        let is_drained = self.is_drained_since(sent_at);
        self.delay.on_sample(&DelaySample { round_trip, back, is_same_path, is_drained }, now);
    }

    /// A HEARTBEAT came back after `sample`.
    pub fn on_round_trip(&mut self, sample: Duration, now: Time) {
        let is_drained = self.is_drained_since(now - sample);
        self.delay.on_round_trip(sample, is_drained, now);
    }

    fn is_drained_since(&self, time: Time) -> bool {
        self.drained_since.is_some_and(|since| since <= time)
    }

    /// Writes the measurements into `sample`.
    pub fn show(&mut self, sample: &mut PathSample, now: Time) {
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
}

/// Whether the path, on which `weight` was acknowledged, was given less than it could carry: its window had room for two
/// packets more, and no queue held the last packet for half of a round trip.
fn is_spared(weight: ByteCount, sample: &PathSample) -> bool {
    let waits_long = |delay: OneWay| delay.way > delay.least + (delay.least + delay.back) / 2;
    sample.flight + weight + sample.unit * 2 <= sample.cwnd && !sample.one_way.is_none_or(waits_long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Delivery;
    use crate::policy::view::tests::sample;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn acknowledged(sent_at: u64) -> Acknowledgement {
        let back = Some(Duration::from_millis(10));
        Acknowledgement { sent_at: at(sent_at), back, is_same_path: false }
    }

    #[test]
    fn a_path_is_spared_if_its_window_has_room_and_no_queue_is_long() {
        let ms = Duration::from_millis;
        let mut path = sample(0);
        path.cwnd = path.unit * 10;
        path.flight = path.unit * 6;
        assert!(!is_spared(path.unit, &path), "nothing was measured");
        path.one_way = Some(OneWay { way: ms(40), least: ms(20), back: ms(20) });
        let spared = [1, 2, 3].map(|acked| is_spared(path.unit * acked, &path));
        assert_eq!(spared, [true, true, false], "before, up to nine of ten packets were in flight");
        path.one_way = Some(OneWay { way: ms(41), least: ms(20), back: ms(20) });
        assert!(!is_spared(path.unit, &path), "a queue of 21 ms");
    }

    /// 12 kB each 10 ms, with a round trip of 40 ms: 48 kB fill the path.
    #[test]
    fn a_path_is_drained_while_half_of_what_fills_it_is_in_flight() {
        let (mut measured, mut path) = (Measured::new(), sample(0));
        path.flight = ByteCount::new(48_000);
        measured.on_sent(path.flight, true, at(0));
        for time in (40..400).step_by(10) {
            measured.on_delivered(ByteCount::new(12_000), &path, at(time));
            measured.on_acknowledged(&acknowledged(time - 40), at(time));
            measured.show(&mut path, at(time));
        }
        let Some(Delivery { rate, peak }) = path.delivery else { panic!("it was measured") };
        assert_eq!((rate.bits_per_second(), peak.bits_per_second()), (9_600_000, 9_600_000));
        assert_eq!(path.one_way.map(|way| (way.least.as_millis(), way.back.as_millis())), Some((30, 10)));
        assert_eq!(measured.drained_flight, ByteCount::new(24_000));
        assert!(!measured.is_drained_since(at(390)));
        path.flight = ByteCount::new(24_000);
        measured.on_delivered(ByteCount::new(24_000), &path, at(400));
        assert!(!measured.is_drained_since(at(399)) && measured.is_drained_since(at(400)));
        measured.on_sent(ByteCount::new(25_200), false, at(410));
        assert!(!measured.is_drained_since(at(410)));
    }
}
