//! Grows the receive buffer.

use anabranch_base::{ByteCount, Time};

use super::Receiver;
use crate::association::ground::Ground;
use crate::receive::DataArrival;

impl Receiver {
    /// Grows the buffer if necessary, after a packet with new data of weight `arrived`.
    #[inline]
    pub(super) fn tune_buffer(&mut self, ground: &mut Ground, now: Time, arrived: ByteCount) {
        if self.tuning.is_some() {
            measure_round_trips(ground, now);
        }
        let Some(tuning) = &mut self.tuning else { return };
        let (capacity, held) = (self.buffer.capacity(), self.buffer.held());
        let used = ground.paths.samples().iter().filter(|sample| sample.state.is_in_use());
        let received = DataArrival {
            arrived,
            capacity,
            offered: self.buffer.offered(),
            waiting: held.saturating_sub(self.delivery.ready().charge),
            has_gap: self.arrivals.has_gap(),
            // The longest round trip, if all are known.
            round_trip: used.map(|sample| sample.srtt).reduce(|one, other| Some(one?.max(other?))).flatten(),
        };
        if let Some(capacity) = tuning.on_arrival(now, &received) {
            self.buffer.grow_to(capacity);
        }
    }

    /// Grows the buffer because it is too full for a chunk that all others wait for. Returns true if it has more room
    /// now.
    pub(super) fn may_grow_for_awaited(&mut self) -> bool {
        let capacity = self.buffer.capacity();
        let grown = self.tuning.as_mut().and_then(|tuning| tuning.on_stuck(capacity));
        grown.is_some_and(|capacity| {
            self.buffer.grow_to(capacity);
            true
        })
    }
}

/// Sends a HEARTBEAT on each path in use that has no measurement, when data arrives: the periodic one would come a
/// second or more later, and until then the tuning has only a bound of the round trip.
fn measure_round_trips(ground: &mut Ground, now: Time) {
    for path in ground.paths.ids() {
        let sample = ground.paths.sample(path);
        let is_unknown = sample.srtt.is_none() && sample.state.is_in_use();
        if is_unknown && !ground.paths.health(path).awaits_heartbeat() {
            ground.send_heartbeat(path, now);
        }
    }
}
