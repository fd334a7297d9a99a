//! The times in which a queue stands before the bottleneck: then the link is never idle, and arrivals show its rate.

use super::interval::{quantile, sorted};
use super::rate::capacity;
use super::sample::{Arrival, Sample, arrivals};
use super::view::View;

/// An interval without arrivals that is longer, in seconds, and in which packets were lost, is an outage.
pub(super) const OUTAGE: f64 = 0.2;

/// The arrivals of one flight that filled the link, in segments during which a queue stood; `None` if none did.
pub(super) fn standing(view: &View, samples: &[Sample]) -> Option<Vec<Vec<Arrival>>> {
    let highest = highest(view, samples, 0.0)?;
    // The upper half of the growth is surely a queue. Its rate says how long a packet takes, and so from where on a queue is
    // more than a packet and noise.
    let rough = capacity(&segments(view, samples, 0.0, highest / 2.0))?.rate.value;
    let packet = 8.0 * largest(samples) / rough;
    let enough = 3.0 * packet + 2.0 * view.noise();
    let per_byte = 8.0 / rough;
    let highest = self::highest(view, samples, per_byte)?;
    if highest < enough || outran(samples) < 1.0 {
        return None;
    }
    let found = segments(view, samples, per_byte, enough);
    // Where packets overtake one another, those of a segment are not all that arrived in its time.
    let is_whole = capacity(&found)?.rate.high >= capacity(&[arrivals(samples)])?.rate.low;
    is_whole.then_some(found)
}

/// The growth that two of hundred packets exceed.
pub(super) fn highest(view: &View, samples: &[Sample], per_byte: f64) -> Option<f64> {
    let growth = sorted(samples.iter().filter_map(|sample| view.growth(sample, per_byte)));
    quantile(&growth, 0.98).map(|highest| highest.value)
}

/// The size of the largest packet.
pub(super) fn largest(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.bytes).fold(1.0, f64::max)
}

/// The time that arrivals took against that of their sending: above one if they came more slowly than they were sent.
fn outran(samples: &[Sample]) -> f64 {
    let arrived: Vec<&Sample> = samples.iter().filter(|sample| sample.delay.is_some()).collect();
    let [first, .., last] = arrived.as_slice() else { return 0.0 };
    let (Some(begin), Some(end)) = (first.arrived(), last.arrived()) else { return 0.0 };
    (end - begin) / (last.sent - first.sent).max(1e-9)
}

/// The arrivals of consecutive packets whose delay grew by at least `least`, without outages.
fn segments(view: &View, samples: &[Sample], per_byte: f64, least: f64) -> Vec<Vec<Arrival>> {
    let mut segments = Vec::new();
    let mut from = 0;
    let mut before: Option<(usize, &Sample)> = None;
    for (index, sample) in samples.iter().enumerate() {
        let Some(growth) = view.growth(sample, per_byte) else { continue };
        let is_broken = before.is_some_and(|(last, earlier)| index - last > 3 && is_outage(earlier, sample));
        if growth < least || is_broken {
            segments.push(arrivals(&samples[from..index]));
            from = if growth < least { index + 1 } else { index };
        }
        before = Some((index, sample));
    }
    segments.push(arrivals(&samples[from..]));
    segments.retain(|segment| segment.len() > 2);
    segments
}

fn is_outage(before: &Sample, after: &Sample) -> bool {
    let gap = after.arrived().zip(before.arrived()).map_or(0.0, |(after, before)| after - before);
    gap > OUTAGE && after.sent - before.sent > OUTAGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::sample::Series;
    use crate::recording::Purpose;

    /// A fill at `load` times 12 Mbit/s: 1,500 bytes each; a queue of `depth` packets; the packets of `outage` are lost.
    fn fill(load: f64, depth: f64, outage: std::ops::Range<usize>) -> (View, Vec<Sample>) {
        let mut free = 0.0_f64;
        let one = |n: usize| {
            let sent = 0.001 / load * n as f64;
            let is_lost = outage.contains(&n) || free - sent > depth * 0.001;
            if !is_lost {
                free = free.max(sent) + 0.001;
            }
            Sample { sent, delay: (!is_lost).then_some(free - sent), bytes: 1_500.0 }
        };
        let samples: Vec<Sample> = (0..2_000).map(one).collect();
        let rest = Sample { sent: 0.0, delay: Some(0.000_1), bytes: 100.0 };
        let view = View::new(vec![Series { purpose: Purpose::Rest, samples: vec![rest; 10] }]);
        (view, samples)
    }

    #[test]
    fn the_rate_of_a_standing_queue_is_that_of_the_link() {
        for load in [1.05, 1.25, 3.0] {
            let (view, samples) = fill(load, 60.0, 0..0);
            let segments = standing(&view, &samples).expect("a queue");
            let found = capacity(&segments).expect("enough").rate;
            assert!((found.value / 12e6 - 1.0).abs() < 1e-3, "{load}: {found:?}");
        }
    }

    #[test]
    fn an_outage_is_no_part_of_the_plateau() {
        let (view, samples) = fill(1.25, 60.0, 800..1_300);
        let found = capacity(&standing(&view, &samples).expect("a queue")).expect("enough").rate;
        assert!((found.value / 12e6 - 1.0).abs() < 5e-3, "{found:?}");
    }

    #[test]
    fn a_link_that_is_not_full_shows_no_rate() {
        let (view, samples) = fill(0.8, 60.0, 0..0);
        assert_eq!(standing(&view, &samples), None);
    }
}
