//! Predicts the arrival of a packet that leaves now on a path, from measurements of the path.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::policy::{OneWay, PathId, PathSample, View};

/// The measurements of one path, in seconds, bytes, and bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct PathForecast {
    /// The path.
    pub id: PathId,
    /// The least one-way delay of data.
    pub least: f64,
    /// The one-way delay of SACKs.
    pub back: f64,
    /// The round trip now, including queues.
    pub round_trip: f64,
    /// True if packets wait in a queue of the path.
    pub is_queueing: bool,
    /// The bytes in flight.
    pub flight: f64,
    /// The congestion window.
    pub cwnd: f64,
    /// The unit of windows.
    pub unit: f64,
    /// True if the window is in slow start.
    pub is_starting: bool,
    /// The delivery rate; `None` before it is measured.
    pub rate: Option<f64>,
    /// The highest recent delivery rate.
    pub peak: Option<f64>,
    /// The fraction of packets that it loses.
    pub loss: f64,
}

impl PathForecast {
    /// The measurements of `path`. Before the first measurement, its configured delay or its retransmission time-out
    /// counts.
    pub fn of(path: &PathSample) -> PathForecast {
        let half = path.srtt.or(path.hints.round_trip).unwrap_or(path.rto) / 2;
        let one_way = path.one_way.unwrap_or(OneWay { delay: half, least: half, back: half });
        let bytes_per_second = |rate: BitRate| rate.bits_per_second() as f64 / 8.0;
        PathForecast {
            id: path.id,
            least: one_way.least.as_secs_f64(),
            back: one_way.back.as_secs_f64(),
            round_trip: (one_way.delay + one_way.back).as_secs_f64().max(SHORTEST),
            is_queueing: one_way.is_queueing(),
            flight: bytes(path.flight),
            cwnd: bytes(path.cwnd),
            unit: bytes(path.unit),
            is_starting: path.is_below_threshold(),
            rate: path.delivery.map(|delivery| bytes_per_second(delivery.rate)),
            peak: path.delivery.map(|delivery| bytes_per_second(delivery.peak)),
            loss: path.loss_rate,
        }
    }

    /// The least round trip.
    pub fn base(&self) -> f64 {
        (self.least + self.back).max(SHORTEST)
    }

    /// The rate at which the flight will arrive: the measured one while packets wait in a queue, else the window in a
    /// round trip.
    fn flow_rate(&self) -> f64 {
        let of_window = self.cwnd / self.base();
        let Some(rate) = self.rate else { return of_window };
        if self.is_queueing {
            return rate;
        }
        let growing = if self.is_starting { 2.0 } else { 1.0 };
        (self.cwnd.min(FEW * self.unit) / self.base()).max(rate * growing)
    }

    /// The time until a packet of `size` bytes that leaves now, after the flight, arrives, by the rate of the flow.
    pub(crate) fn by_flow(&self, size: f64) -> f64 {
        self.least.max((self.flight + size) / self.flow_rate().max(1.0) - self.back)
    }

    /// The time until a packet of `size` bytes that leaves now, after the flight, arrives. The rate of a path that is given
    /// little is no bound: some packets at once cross every link that is worth a choice.
    fn of_prompt(&self, size: f64) -> f64 {
        let few = self.cwnd.min(FEW * self.unit) / self.base();
        self.least.max((self.flight + size) / self.flow_rate().max(few).max(1.0) - self.back)
    }

    /// The same by the rate of the narrowest link, which is `busy` with earlier packets for that time.
    pub(crate) fn by_link(&self, size: f64, peak: f64, busy: f64) -> f64 {
        (busy + size / peak).min(self.least + (self.flight + size) / peak)
    }

    /// The bytes that the path carries in `seconds`: those that its link delivers, as far as its window lets them
    /// leave. A window that time-outs have shut carries little over a path whose delay has grown, even if its link was
    /// fast before.
    pub(crate) fn carried_in(&self, seconds: f64) -> f64 {
        let round_trips = 1.0 + seconds / self.round_trip;
        let growth = if self.is_starting { round_trips } else { 1.0 };
        (seconds * self.peak.unwrap_or(0.0)).min(self.cwnd * growth * round_trips)
    }

    /// The flight that fills the path, with a margin; infinite before the first measurement.
    pub fn filling(&self) -> f64 {
        let Some(peak) = self.peak else { return f64::INFINITY };
        let ample = if self.is_queueing { TARGET_FILL_QUEUEING } else { TARGET_FILL };
        ample * peak * self.base() + SLACK * self.unit
    }

    /// The additional flight that the path could have.
    pub(crate) fn need(&self) -> f64 {
        (self.filling().min(self.cwnd + self.unit) - self.flight).max(0.0)
    }

    /// The cost of a packet of `size` bytes in the peer's buffer, as the time for which it alone would occupy its bytes
    /// there: the delay, and for the lost fraction of packets, everything that waits for their repair. Meanwhile the
    /// others send at `rate`, until they have filled `buffer`.
    pub fn cost(&self, size: f64, rate: f64, buffer: f64) -> f64 {
        let repair = REPAIR * self.base();
        let held = (rate * repair / 2.0).min(buffer);
        self.least + self.loss * repair * held / size
    }
}

/// Every active path of `view`, in the order of ids.
pub fn forecasts<'a>(view: &View<'a>) -> impl Iterator<Item = PathForecast> + use<'a> {
    view.paths.iter().filter(|path| path.state.carries_data()).map(PathForecast::of)
}

/// The path on which a packet of `size` arrives first, if it may leave there now: on a path whose window is full it would
/// still arrive first.
pub(crate) fn quickest(size: ByteCount, view: &View<'_>) -> Option<PathId> {
    let fits = |path: &PathForecast| size <= view.path(path.id).packet_limit;
    let arrival = |path: &PathForecast| path.of_prompt(bytes(size));
    let first = forecasts(view).filter(fits).min_by(|one, other| arrival(one).total_cmp(&arrival(other)))?;
    view.path(first.id).may_send().then_some(first.id)
}

/// `count` as a number to calculate with.
pub fn bytes(count: ByteCount) -> f64 {
    count.get() as f64
}

/// The time `seconds` after `now`; `now` if they are negative.
pub fn after(now: Time, seconds: f64) -> Time {
    now + Duration::from_nanos((seconds.clamp(0.0, 3600.0) * 1e9) as u64)
}

/// With less waiting data, the application limits the sender.
pub(crate) const SMALL_QUEUE: ByteCount = ByteCount::from_kib(64);
/// The wanted flight as a multiple of what fills a path, and packets beyond it. Less is enough where packets wait in a
/// queue, because the link is never idle.
const TARGET_FILL: f64 = 1.25;
const TARGET_FILL_QUEUEING: f64 = 1.1;
const SLACK: f64 = 1.0;
/// The packets that a path carries in a round trip in any case.
const FEW: f64 = 4.0;
/// The least round trip in calculations: a nanosecond.
const SHORTEST: f64 = 1e-9;
/// The round trips until a lost packet is repaired: later packets show that it is missing, and it is sent again, while
/// the full buffer delays the packets that would show it.
const REPAIR: f64 = 2.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{sample, view};
    use crate::policy::{Delivery, PathSample};

    /// A path of `delay` ms each way, `queue` ms of a queue, and `kbps` delivered.
    fn path(index: usize, delay: u64, queue: u64, kbps: u64) -> PathSample {
        let mut path = sample(index);
        let least = Duration::from_millis(delay);
        path.one_way = Some(OneWay { delay: least + Duration::from_millis(queue), least, back: least });
        let rate = BitRate::from_bits_per_second(kbps * 1_000);
        path.delivery = Some(Delivery { rate, peak: rate });
        path
    }

    fn first(paths: &[PathSample]) -> Option<usize> {
        quickest(ByteCount::new(100), &view(paths)).map(PathId::index)
    }

    #[test]
    fn a_prompt_chunk_takes_the_path_where_it_arrives_first() {
        let mut paths = [path(0, 50, 0, 10_000), path(1, 5, 0, 100_000)];
        assert_eq!(first(&paths), Some(1));
        paths[1].flight = ByteCount::new(100_000 * 200 / 8);
        assert_eq!(first(&paths), Some(0), "the flight takes long to arrive");
        paths[1].flight = paths[1].cwnd;
        assert_eq!(first(&paths), None, "there is no room, and it would arrive first all the same");
        paths[1].packet_limit = ByteCount::new(50);
        assert_eq!(first(&paths), Some(0), "it does not fit");
    }

    /// The acknowledgements come back through a queue, so that the path seems to have one.
    #[test]
    fn a_path_that_carries_little_is_not_taken_for_a_slow_one() {
        let mut paths = [path(0, 50, 0, 24), path(1, 5, 20, 24)];
        paths[1].flight = ByteCount::new(300);
        assert_eq!(first(&paths), Some(1));
    }
}
