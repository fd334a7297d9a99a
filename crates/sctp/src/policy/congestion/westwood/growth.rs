//! The growth of the window of one path.

use anabranch_base::{ByteCount, Duration, Time};

use super::Acked;
use crate::policy::PathSample;

#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// The growth in the present round trip, in units.
    units: f64,
    /// The beginning of that round trip.
    since: Time,
    /// Growth of less than a byte.
    part: f64,
    /// The growth in a round trip at a queue, in units.
    slow: f64,
    /// The number of round trips for which growth stays slow.
    slow_rounds: u32,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth { units: 1.0, since: Time::ZERO, part: 0.0, slow: 1.0, slow_rounds: 0 }
    }
}

impl Growth {
    /// The window was cut to the part `left`. From now on it grows as fast as lets such cuts take as much as Reno (RFC
    /// 9438 §4.3).
    pub(super) fn on_cut(&mut self, left: f64, now: Time) {
        self.slow = 3.0 * (1.0 - left) / (1.0 + left);
        self.slow_down(now);
    }

    /// Packets wait in a queue of the path.
    pub(crate) fn slow_down(&mut self, now: Time) {
        *self = Growth { units: self.slow, since: now, slow_rounds: SLOW_ROUNDS, ..*self };
    }

    /// Nothing waits. After [`SLOW_ROUNDS`] round trips, growth doubles with each round trip, up to an eighth of the
    /// window.
    pub(crate) fn speed_up(&mut self, sample: &PathSample, round_trip: Duration, now: Time) {
        if now.since(self.since) < round_trip {
            return;
        }
        self.since = now;
        if self.slow_rounds > 0 {
            self.slow_rounds -= 1;
            return;
        }
        let most = sample.cwnd.get() as f64 / sample.unit.get().max(1) as f64 * FASTEST;
        self.units = (self.units * 2.0).min(most).max(1.0);
    }

    /// The growth after a SACK.
    pub(super) fn take(&mut self, sample: &PathSample, acked: &Acked) -> ByteCount {
        let unit = sample.unit.get() as f64;
        let part_of_window = acked.bytes.get() as f64 / sample.cwnd.get().max(1) as f64;
        let grown = self.units * unit * part_of_window + self.part;
        self.part = grown.fract();
        ByteCount::new(grown as u64)
    }
}

/// The fastest growth in a round trip, as a part of the window.
const FASTEST: f64 = 1.0 / 8.0;
/// The round trips in which the other senders at a queue can fill it again before growth becomes faster.
const SLOW_ROUNDS: u32 = 16;
