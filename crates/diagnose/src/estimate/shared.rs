//! Bottlenecks that two lanes share: while one is filled, the delays of the other grow with its queue, or the other loses;
//! or all together carry less than each alone.

use super::direction::Direction;
use super::interval::{median, of_share_at};
use super::sample::{Arrival, Sample, arrivals};
use crate::recording::Purpose;

/// The share of the filled lane's delay that the other must show.
const SHARE: f64 = 0.3;

/// The least growth of a delay in seconds that is not noise.
const GROWTH: f64 = 0.001;

/// The fewest packets of the other lane, and the fewest losses of them.
const PACKETS: usize = 5;
const LOSSES: usize = 3;

/// The share of the rate alone below which a lane carried less beside the others.
const TOGETHER: f64 = 0.8;

/// The lanes with which each lane shares a bottleneck in this direction. Where `is_idle` is false, a processor may have
/// slowed all lanes together, and their sum proves nothing.
pub(super) fn pairs(lanes: &[Direction], is_forward: bool, is_idle: bool) -> Vec<Vec<usize>> {
    let beside = |one: usize, other: usize| {
        grows_beside(&lanes[other], &lanes[one], one, is_forward)
            || grows_beside(&lanes[one], &lanes[other], other, is_forward)
    };
    let all = || (0..lanes.len()).flat_map(|one| (one + 1..lanes.len()).map(move |other| (one, other)));
    let mut found: Vec<(usize, usize)> = all().filter(|(one, other)| beside(*one, *other)).collect();
    if found.is_empty() && is_idle {
        let slower = slower_together(lanes);
        found = all().filter(|(one, other)| slower.contains(one) && slower.contains(other)).collect();
    }
    let with = |lane: usize| {
        let other = |(a, b): &(usize, usize)| if *a == lane { Some(*b) } else { (*b == lane).then_some(*a) };
        found.iter().filter_map(other).collect()
    };
    (0..lanes.len()).map(with).collect()
}

/// Returns true if `lane` shows the queue of the lane with the number `number` while that is filled.
fn grows_beside(lane: &Direction, filled: &Direction, number: usize, is_forward: bool) -> bool {
    let Some(seen) = filled.queue else { return false };
    let purpose = Purpose::Beside { filled: number, is_forward };
    let during = |sample: &&Sample| seen.between.0 <= sample.sent && sample.sent <= seen.between.1;
    let samples: Vec<&Sample> = lane.view.of(purpose).filter(during).collect();
    let lost = samples.iter().filter(|sample| sample.delay.is_none()).count();
    let least = of_share_at(lost as f64, samples.len() as f64, 0.999_8).0;
    if lost >= LOSSES && least > lane.most_chance {
        return true;
    }
    let growth = median(samples.iter().filter_map(|sample| lane.view.growth(sample, 0.0)));
    let delay = seen.delay.map_or(f64::INFINITY, |delay| delay.value);
    let enough = (SHARE * delay).max(2.0 * lane.view.noise()).max(GROWTH);
    samples.len() - lost >= PACKETS && growth.is_some_and(|growth| growth - lane.view.rest > enough)
}

/// The lanes that carried less beside the others than alone: at least two, for one alone shares nothing. Of a rate that varies
/// nothing is known at another time.
fn slower_together(lanes: &[Direction]) -> Vec<usize> {
    let rates: Vec<(usize, f64, f64)> = lanes
        .iter()
        .enumerate()
        .filter(|(_, lane)| lane.capacity.as_ref().is_some_and(|capacity| capacity.steps.is_none()))
        .filter_map(|(number, lane)| Some((number, together(lane)?, lane.rate()?.value)))
        .collect();
    let slower = |(_, together, alone): &&(usize, f64, f64)| *together < TOGETHER * alone;
    let found: Vec<usize> = rates.iter().filter(slower).map(|rate| rate.0).collect();
    let (all, each) = rates.iter().fold((0.0, 0.0), |sums, rate| (sums.0 + rate.1, sums.1 + rate.2));
    match (found.len(), rates.as_slice()) {
        // One of two may win all of what they share.
        (1, [one, other]) if all < TOGETHER * each => vec![one.0, other.0],
        (0 | 1, _) => Vec::new(),
        _ => found,
    }
}

/// The rate of arrivals in bits a second while all lanes were filled, without the first fifth of the time; `None` if less
/// was sent than the lane carries alone.
fn together(lane: &Direction) -> Option<f64> {
    let samples: Vec<Sample> = lane.view.of(Purpose::Together).copied().collect();
    let (first, last) = (samples.first()?, samples.last()?);
    let seconds = last.sent - first.sent;
    let offered = samples.iter().map(|sample| sample.bytes * 8.0).sum::<f64>() / seconds;
    let is_filled = offered.is_finite() && offered >= 0.95 * lane.rate()?.value;
    is_filled.then(|| later_rate(&arrivals(&samples), seconds / 5.0))
}

/// The rate of the arrivals that came at least `skipped` seconds after the first; zero if the others took all.
fn later_rate(arrived: &[Arrival], skipped: f64) -> f64 {
    let from = arrived.first().map_or(0.0, |first| first.at + skipped);
    match arrived.get(arrived.partition_point(|arrival| arrival.at < from)..) {
        Some([begin, rest @ .., last]) => {
            let bytes = rest.iter().map(|arrival| arrival.bytes).sum::<f64>() + last.bytes;
            bytes * 8.0 / (last.at - begin.at)
        }
        _ => 0.0,
    }
}
