//! The round trip of a lane: its floor, and its median at rest.

use super::interval::{median, quantile, sorted};
use crate::estimated::Estimated;

/// The round trips of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RoundTrips {
    pub(super) floor: Option<Estimated>,
    pub(super) at_rest: Option<Estimated>,
}

/// The error of a measured time, in seconds: both ends tell microseconds.
const TIME: f64 = 2e-6;

/// The round trips from `(time, took)` in seconds; those within `rest` are at rest. `floors` is the sum of the least delays
/// of both directions, in which the offset of the clocks cancels: it is less than each round trip, and may be known where
/// no round trip is.
pub(super) fn of(trips: &[(f64, f64)], rest: (f64, f64), floors: Option<f64>) -> RoundTrips {
    let all = sorted(trips.iter().map(|trip| trip.1));
    let at_rest = sorted(trips.iter().filter(|trip| rest.0 <= trip.0 && trip.0 <= rest.1).map(|trip| trip.1));
    let floor = match all.as_slice() {
        [] => floors.filter(|sum| *sum > 0.0).and_then(|sum| Estimated::around(sum, 0.1 * sum, 1)),
        [least, ..] => {
            let low = least - beyond(&all);
            let sum = floors.map_or(low, |sum| sum.min(low).max(0.9 * low));
            Estimated::of(*least, sum - TIME, least + TIME, all.len())
        }
    };
    RoundTrips { floor, at_rest: quantile(&at_rest, 0.5) }
}

/// The distance by which the true floor may lie below the least of `sorted`, at 95 %: 19 times the distance to the second (Robson and
/// Whitlock 1964), and no more than from the least to the median.
fn beyond(sorted: &[f64]) -> f64 {
    let [least, second, ..] = sorted else { return 0.0 };
    let middle = median(sorted.iter().copied()).unwrap_or(*least);
    (19.0 * (second - least)).min(middle - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_the_least_and_the_median_is_that_at_rest() {
        let trips: Vec<(f64, f64)> =
            (0..1_000).map(|n| (f64::from(n) * 0.02, 0.05 + f64::from(n * 37 % 500) * 1e-5)).collect();
        let found = of(&trips, (0.0, 4.0), None);
        let floor = found.floor.expect("trips");
        assert!(
            (floor.value - 0.05).abs() < 1e-9 && floor.low < 0.05 && floor.high - floor.low < 4e-4,
            "{floor:?}"
        );
        assert_eq!(found.at_rest.expect("trips").samples, 201);
    }

    #[test]
    fn without_round_trips_the_floors_of_both_directions_tell() {
        assert!((of(&[], (0.0, 0.0), Some(0.04)).floor.expect("floors").value - 0.04).abs() < 1e-12);
        assert_eq!(of(&[], (0.0, 0.0), Some(-1.0)), RoundTrips::default());
        assert_eq!(of(&[], (0.0, 0.0), None), RoundTrips::default());
    }
}
