//! The drift between the clocks of the ends, from the least delays of both directions.
//!
//! A drift raises the delays of one direction and lowers those of the other. The line below all least delays that lies
//! nearest to them has its slope (Moon, Skelly and Towsley 1999); here all lanes and both directions share one line.

use super::sample::Series;
use crate::recording::Purpose;

/// The least delays of one direction of a lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Floors {
    /// 1 if the receiver's clock is that of the other end, else -1: the sign of the drift in these delays.
    pub(super) sign: f64,
    /// The time in seconds and the least delay of each block of time.
    pub(super) points: Vec<(f64, f64)>,
}

/// The length of a block of time, in seconds.
const BLOCK: f64 = 0.1;

/// The largest drift that is believed: two clocks of 150 ppm each.
const LARGEST: f64 = 300e-6;

impl Floors {
    /// The floors of flights that do not fill the link.
    pub(super) fn of(series: &[Series], sign: f64) -> Floors {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let quiet = series.iter().filter(|series| !fills(series.purpose));
        for sample in quiet.flat_map(|series| &series.samples) {
            let Some(delay) = sample.delay else { continue };
            match points.last_mut() {
                Some(block) if (sample.sent - block.0).abs() < BLOCK => block.1 = block.1.min(delay),
                _ => points.push((sample.sent, delay)),
            }
        }
        Floors { sign, points }
    }

    /// The sum of the distances of the points to the line of this slope that lies below all of them.
    fn distance(&self, drift: f64) -> f64 {
        let above = |point: &(f64, f64)| point.1 - self.sign * drift * point.0;
        let least = self.points.iter().map(above).fold(f64::INFINITY, f64::min);
        self.points.iter().map(|point| above(point) - least).sum()
    }
}

/// The drift of the other end's clock: the seconds that it gains a second. Zero if nothing tells.
pub(super) fn drift(floors: &[Floors]) -> f64 {
    let distance = |drift: f64| floors.iter().map(|floors| floors.distance(drift)).sum::<f64>();
    let (mut low, mut high) = (-LARGEST, LARGEST);
    // The distance is convex; each turn leaves two thirds.
    for _ in 0..40 {
        let third = (high - low) / 3.0;
        if distance(low + third) <= distance(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    let found = f64::midpoint(low, high);
    if distance(found) < distance(0.0) { found } else { 0.0 }
}

fn fills(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Fill | Purpose::Together)
}

/// Takes the drift out of the delays of a direction.
pub(super) fn remove(drift: f64, sign: f64, series: &mut [Series]) {
    for sample in series.iter_mut().flat_map(|series| &mut series.samples) {
        let gained = sign * drift * sample.sent;
        sample.delay = sample.delay.map(|delay| delay - gained);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floors(sign: f64, delay: impl Fn(f64) -> f64) -> Floors {
        let points = (0..300).map(|n| f64::from(n) * BLOCK).map(|at| (at, delay(at))).collect();
        Floors { sign, points }
    }

    #[test]
    fn both_directions_together_show_the_drift() {
        let drift_found =
            drift(&[floors(1.0, |at| 0.02 + 150e-6 * at), floors(-1.0, |at| 0.03 - 150e-6 * at)]);
        assert!((drift_found - 150e-6).abs() < 1e-7, "{drift_found}");
    }

    #[test]
    fn a_queue_that_stands_for_a_while_is_no_drift() {
        let queue = |at: f64| if (10.0..18.0).contains(&at) { (at - 10.0) * 0.2 } else { 0.0 };
        let found = drift(&[floors(1.0, |at| queue(at) - 80e-6 * at), floors(-1.0, |at| 80e-6 * at)]);
        assert!((found + 80e-6).abs() < 2e-6, "{found}");
    }

    #[test]
    fn no_points_mean_no_drift() {
        assert_eq!(drift(&[]), 0.0);
        assert_eq!(drift(&[Floors::default()]), 0.0);
    }
}
