//! One direction of a lane after the drift is removed: its floor, and the growth of each delay above it.

use super::interval::{median, quantile, sorted};
use super::sample::{Sample, Series};
use crate::estimated::Estimated;
use crate::recording::Purpose;

/// One direction of a lane.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The flights.
    pub(super) series: Vec<Series>,
    /// The size of the packets that show the floor.
    base_bytes: f64,
    /// The least delay of a small packet, above the reference of the direction.
    floor: f64,
    /// The variation of the delay at rest: its 95 % quantile above the floor.
    pub(super) variation: Option<Estimated>,
    /// The median of the delay at rest above the floor; zero if nothing was sent at rest.
    pub(super) rest: f64,
}

impl View {
    /// The view of flights without drift.
    pub(super) fn new(series: Vec<Series>) -> View {
        let (floor, base_bytes) = floor(&series);
        let mut view = View { series, base_bytes, floor, variation: None, rest: 0.0 };
        let at_rest = sorted(view.of(Purpose::Rest).filter_map(|sample| view.growth(sample, 0.0)));
        view.rest = median(at_rest.iter().copied()).unwrap_or(0.0);
        view.variation = quantile(&at_rest, 0.95);
        view
    }

    /// The growth of a packet's delay above the floor, in seconds, if each byte takes `per_byte` seconds to send; `None`
    /// if the packet was lost.
    pub(super) fn growth(&self, sample: &Sample, per_byte: f64) -> Option<f64> {
        Some(sample.delay? - self.floor - (sample.bytes - self.base_bytes) * per_byte)
    }

    /// The packets of all flights with this purpose.
    pub(super) fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Sample> {
        self.series.iter().filter(move |series| series.purpose == purpose).flat_map(|series| &series.samples)
    }

    /// The variation of the delay at rest as a number; zero if it is not known.
    pub(super) fn noise(&self) -> f64 {
        self.variation.map_or(0.0, |variation| variation.value)
    }

    /// The least delay, above the reference, of the small packets.
    pub(super) fn floor(&self) -> f64 {
        self.floor
    }

    /// Returns true if any packet arrived.
    pub(super) fn has_arrivals(&self) -> bool {
        self.series.iter().flat_map(|series| &series.samples).any(|sample| sample.delay.is_some())
    }
}

/// The least delay and the size of its packet. Packets that do not load the link show it; if there are none, all do.
fn floor(series: &[Series]) -> (f64, f64) {
    let least = |wanted: &dyn Fn(Purpose) -> bool| {
        let samples =
            series.iter().filter(|series| wanted(series.purpose)).flat_map(|series| &series.samples);
        samples.filter_map(|sample| Some((sample.delay?, sample.bytes))).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let is_light = |purpose| matches!(purpose, Purpose::Rest | Purpose::Beside { .. });
    least(&is_light)
        .or_else(|| least(&|purpose| purpose == Purpose::Chance))
        .or_else(|| least(&|_| true))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_above_the_floor_of_a_packet_of_the_same_size() {
        let sample = |delay, bytes| Sample { sent: 0.0, delay, bytes };
        let rest = Series {
            purpose: Purpose::Rest,
            samples: vec![sample(Some(0.25), 100.0), sample(Some(0.5), 100.0)],
        };
        let fill = Series {
            purpose: Purpose::Fill,
            samples: vec![sample(Some(0.125), 1_100.0), sample(None, 1_100.0)],
        };
        let view = View::new(vec![rest, fill]);
        assert_eq!(view.floor(), 0.25);
        assert_eq!(view.growth(&sample(Some(2.25), 1_100.0), 0.001), Some(1.0));
        assert_eq!(view.growth(&sample(None, 1_100.0), 0.001), None);
    }

    #[test]
    fn an_empty_direction_has_no_arrivals() {
        let view = View::new(Vec::new());
        assert!(!view.has_arrivals() && view.variation.is_none());
    }
}
