//! The capacity from trains: packets back to back, which leave the bottleneck at its rate.
//!
//! Other traffic between them and a token bucket make a train slower or faster than the link. The last two thirds of a
//! train leave the bucket's burst out, and the median of trains leaves out those that met other traffic.

use super::interval::{quantile, sorted};
use super::sample::{Arrival, Sample, arrivals};
use crate::estimated::Estimated;

/// The fewest arrivals at different times of which the first third is left out.
const LONG: usize = 9;

/// The rate in bits a second from trains of `length` packets each; `samples` are in the order of sending.
pub(super) fn rate(samples: &[Sample], length: u32) -> Option<Estimated> {
    let length = (length as usize).max(2);
    let rates = sorted(samples.chunks(length).filter_map(|train| dispersion(&arrivals(train))));
    let median = quantile(&rates, 0.5)?;
    // Two of few trains may agree by chance: they are not known better than by a twentieth.
    Estimated::of(
        median.value,
        median.low.min(0.95 * median.value),
        median.high.max(1.05 * median.value),
        rates.len(),
    )
}

/// The bits a second from the first to the last arrival.
fn dispersion(train: &[Arrival]) -> Option<f64> {
    let skipped = if train.len() >= LONG { train.len() / 3 } else { 0 };
    let [first, later @ .., last] = train.get(skipped..)? else { return None };
    let bytes = later.iter().map(|arrival| arrival.bytes).sum::<f64>() + last.bytes;
    Some(bytes * 8.0 / (last.at - first.at)).filter(|rate| rate.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trains of 20 packets, each a second after the one before, which arrive with these distances.
    fn trains(gaps: &[&dyn Fn(usize) -> f64]) -> Vec<Sample> {
        let train = |(index, gap): (usize, &&dyn Fn(usize) -> f64)| {
            let sent = index as f64;
            let mut delay = 0.1;
            let packets = (0..20).map(|n| {
                delay += gap(n);
                Sample { sent, delay: Some(delay), bytes: 1_500.0 }
            });
            packets.collect::<Vec<_>>()
        };
        gaps.iter().enumerate().flat_map(train).collect()
    }

    fn six(gap: &dyn Fn(usize) -> f64) -> Vec<Sample> {
        trains(&[gap; 6])
    }

    fn rate_is(samples: &[Sample], wanted: f64) {
        let found = rate(samples, 20).expect("a rate");
        assert!((found.value / wanted - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn other_traffic_in_two_of_six_trains_does_not_change_the_median() {
        let alone: &dyn Fn(usize) -> f64 = &|_| 0.001;
        let slowed: &dyn Fn(usize) -> f64 = &|n| if n % 3 == 0 { 0.002 } else { 0.001 };
        rate_is(&trains(&[alone, slowed, alone, slowed, alone, alone]), 12e6);
    }

    #[test]
    fn a_burst_that_a_token_bucket_lets_pass_is_left_out() {
        rate_is(&six(&|n| if n < 6 { 0.000_01 } else { 0.001 }), 12e6);
    }

    #[test]
    fn packets_that_were_read_five_at_once_show_the_rate() {
        rate_is(&six(&|n| if n % 5 == 0 { 0.005 } else { 0.0 }), 12e6);
    }

    #[test]
    fn trains_without_two_times_of_arrival_show_nothing() {
        assert_eq!(rate(&six(&|_| 0.0), 20), None);
        assert_eq!(rate(&[], 0), None);
    }
}
