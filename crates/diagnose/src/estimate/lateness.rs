//! The lateness of the ends, against what was measured: a delay is not known better than the clock was read.

use crate::estimated::Estimated;
use crate::link_estimate::{DirectionEstimate, LinkEstimate, LinkStatus, Queue};
use crate::recording::End;

/// The lateness, in seconds, below which a machine is in time: timers of busy systems are late by less.
const IN_TIME: f64 = 0.005;

/// The lateness that 99 of 100 pauses of the later end did not exceed, in seconds.
pub(super) fn of(here: &End, there: &End) -> f64 {
    here.lateness_p99.max(there.lateness_p99).as_secs_f64()
}

/// Moves the ends of the intervals of delays outwards by `lateness`, and says [`LinkStatus::TooLate`] if the lateness is more
/// than half of the round trip and more than each queue: then neither is told from lateness.
pub(super) fn apply(estimate: &mut LinkEstimate, lateness: f64) {
    if lateness <= 0.0 {
        return;
    }
    widen(&mut estimate.forward, lateness);
    widen(&mut estimate.reverse, lateness);
    let added = |direction: &DirectionEstimate| {
        let queue =
            direction.queue.filter(|queue| !queue.is_policer).map_or(0.0, |queue| queue.depth_s.value);
        queue.max(direction.delay_under_load_s.map_or(0.0, |delay| delay.value))
    };
    let round_trip = estimate.round_trip_s.map_or(0.0, |trip| trip.value);
    let measured = (round_trip / 2.0).max(added(&estimate.forward)).max(added(&estimate.reverse));
    if estimate.status == LinkStatus::Measured && lateness > IN_TIME.max(measured) {
        estimate.status = LinkStatus::TooLate;
    }
}

fn widen(direction: &mut DirectionEstimate, lateness: f64) {
    let wider = |estimated: Estimated| estimated.widened(lateness);
    direction.variation_s = direction.variation_s.map(wider);
    direction.delay_under_load_s = direction.delay_under_load_s.map(wider);
    direction.queue = direction.queue.map(|queue| {
        let bytes = queue.depth_bytes.value / queue.depth_s.value.max(1e-9) * lateness;
        Queue { depth_s: wider(queue.depth_s), depth_bytes: queue.depth_bytes.widened(bytes), ..queue }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(round_trip: f64, depth: f64) -> LinkEstimate {
        let depth_s = Estimated::around(depth, 0.0, 9).expect("finite");
        let depth_bytes = Estimated::around(depth * 1e6, 0.0, 9).expect("finite");
        let queue = Some(Queue { depth_s, depth_bytes, is_at_least: false, is_policer: false });
        let forward = DirectionEstimate { queue, ..DirectionEstimate::default() };
        LinkEstimate {
            round_trip_s: Estimated::around(round_trip, 0.0, 9),
            forward,
            ..LinkEstimate::default()
        }
    }

    #[test]
    fn lateness_widens_the_interval_of_a_queue() {
        let mut found = estimate(0.02, 0.1);
        apply(&mut found, 0.01);
        let queue = found.forward.queue.expect("a queue");
        assert!(
            (queue.depth_s.high - 0.11).abs() < 1e-9 && (queue.depth_bytes.low - 90_000.0).abs() < 1.0,
            "{queue:?}"
        );
        assert_eq!(found.status, LinkStatus::Measured);
    }

    #[test]
    fn a_lateness_above_all_delays_is_too_late() {
        let mut found = estimate(0.02, 0.015);
        apply(&mut found, 0.03);
        assert_eq!(found.status, LinkStatus::TooLate);
    }

    #[test]
    fn a_short_lateness_is_in_time_even_on_a_short_link() {
        let mut found = estimate(0.000_2, 0.001);
        apply(&mut found, 0.004);
        assert_eq!(found.status, LinkStatus::Measured);
    }
}
