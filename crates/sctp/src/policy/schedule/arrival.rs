//! When a packet would arrive if it left now on a path, from what is measured of the path.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::policy::{OneWay, PathId, PathSample, View};

/// What is known of one path, in seconds, bytes, and bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct PathForecast {
    /// The path.
    pub id: PathId,
    /// The least delay there.
    pub least: f64,
    /// The delay of SACKs on their way back.
    pub back: f64,
    /// The round trip now, with what packets wait in queues.
    pub round_trip: f64,
    /// True if packets wait in a queue of the path.
    pub is_queueing: bool,
    /// What is in flight.
    pub flight: f64,
    /// The congestion window.
    pub cwnd: f64,
    /// The unit of windows.
    pub unit: f64,
    /// True if the window is in slow start.
    pub is_starting: bool,
    /// The rate that the path delivered; `None` before it is measured.
    pub rate: Option<f64>,
    /// The most that it delivered recently.
    pub peak: Option<f64>,
    /// The fraction of packets that it loses.
    pub loss: f64,
}

impl PathForecast {
    /// What is known of `path`. Before anything was measured its configured delay counts, or its retransmission time-out.
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

    /// The rate at which what is in flight will arrive: the measured one while packets wait in a queue, else what the
    /// window will carry in a round trip.
    fn flow_rate(&self) -> f64 {
        let of_window = self.cwnd / self.base();
        let Some(rate) = self.rate else { return of_window };
        if self.is_queueing {
            return rate;
        }
        let growing = if self.is_starting { 2.0 } else { 1.0 };
        (self.cwnd.min(4.0 * self.unit) / self.base()).max(rate * growing)
    }

    /// When a packet of `size` bytes arrives that leaves now, after what is in flight, by the rate of the flow.
    pub fn by_flow(&self, size: f64) -> f64 {
        self.least.max((self.flight + size) / self.flow_rate().max(1.0) - self.back)
    }

    /// The same by the rate of the narrowest link. `busy` is for how long the link is busy with what was sent.
    pub fn by_link(&self, size: f64, peak: f64, busy: f64) -> f64 {
        (busy + size / peak).min(self.least + (self.flight + size) / peak)
    }

    /// The amount the path carries in so many `seconds`: what its link delivers, as far as its window lets so much leave. A
    /// window that time-outs have shut carries little over a path whose delay has grown, whatever its link did before.
    pub fn carried_in(&self, seconds: f64) -> f64 {
        let round_trips = 1.0 + seconds / self.round_trip;
        let growth = if self.is_starting { round_trips } else { 1.0 };
        (seconds * self.peak.unwrap_or(0.0)).min(self.cwnd * growth * round_trips)
    }

    /// The amount of in flight fills the path, with some room; endless while nothing was measured.
    pub fn filling(&self) -> f64 {
        let Some(peak) = self.peak else { return f64::INFINITY };
        let ample = if self.is_queueing { AMPLE_QUEUEING } else { AMPLE };
        ample * peak * self.base() + SLACK * self.unit
    }

    /// The amount the path could have in flight besides what it has.
    pub fn need(&self) -> f64 {
        (self.filling().min(self.cwnd + self.unit) - self.flight).max(0.0)
    }

    /// What a packet of `size` bytes costs in the peer's buffer, as the time for which it alone would take its place there:
    /// the delay, and for the packets that are lost, all that waits for their repair. Meanwhile the others send at `rate`,
    /// until they have filled `buffer`.
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

/// `count` as a number to calculate with.
pub fn bytes(count: ByteCount) -> f64 {
    count.get() as f64
}

/// `seconds` from `now` on; at once if they are negative.
pub fn after(now: Time, seconds: f64) -> Time {
    now + Duration::from_nanos((seconds.clamp(0.0, 3600.0) * 1e9) as u64)
}

/// If less waits, the application decides how much is sent.
pub const LITTLE: ByteCount = ByteCount::from_kib(64);
/// How much of what fills a path is wanted in flight, and how many packets more. Less is enough where packets wait in a
/// queue, because the link is never idle.
const AMPLE: f64 = 1.25;
const AMPLE_QUEUEING: f64 = 1.1;
const SLACK: f64 = 1.0;
/// The least round trip that is calculated with: a nanosecond.
const SHORTEST: f64 = 1e-9;
/// A lost packet is repaired after so many round trips: later packets show that it is missing, and it is sent again, while
/// the full buffer keeps back what would show it.
const REPAIR: f64 = 2.5;
