//! The part of a flight in which a queue, or a policer, lost what exceeded its rate.

use super::change::change_point;
use super::interval::{half_of_mean, median, of_share_at, share};
use super::loss::outages;
use super::plateau::{highest, largest, standing};
use super::rate::{Capacity, capacity};
use super::sample::{Arrival, Sample, arrivals};
use super::view::View;
use crate::estimated::Estimated;

/// A flight from the moment at which a queue began to lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Losing<'a> {
    pub(super) samples: &'a [Sample],
    pub(super) before: &'a [Sample],
    pub(super) lost: usize,
}

/// The fewest losses, and runs of losses, that show a full queue; a run by chance is one run.
const LOSSES: usize = 10;
const RUNS: usize = 5;

/// The least share of losses of a full queue, beside this multiple of that by chance.
const SHARE: f64 = 0.03;
const TIMES_CHANCE: f64 = 1.2;

/// The delay, in seconds, that the ends themselves may add while they send and receive at full rate.
const LOADED: f64 = 0.001;

/// The part of a link's rate below which a policer lets pass less than the link does.
const SLOWER: f64 = 0.9;

/// Finds from where on a flight lost more than by chance, of which `chance` is the upper bound; `None` if nowhere.
pub(super) fn losing(samples: &[Sample], chance: f64) -> Option<Losing<'_>> {
    let (before, samples) = samples.split_at(change_point(samples));
    let lost = samples.iter().filter(|sample| sample.delay.is_none()).count();
    let runs = samples.windows(2).filter(|two| two[0].delay.is_some() && two[1].delay.is_none()).count();
    let surely = of_share_at(lost as f64, samples.len() as f64, 0.999).0;
    let is_full = lost >= LOSSES && runs >= RUNS && surely > SHARE + TIMES_CHANCE * chance;
    is_full.then_some(Losing { samples, before, lost })
}

impl Losing<'_> {
    /// The capacity from the arrivals while packets were lost: that of a policer, which delays none.
    pub(super) fn capacity(&self) -> Option<Capacity> {
        capacity(&[arrivals(self.samples)])
    }

    /// The capacity of a policer, if the losses are one's: what passes meets no queue, and a queue that grew before was that
    /// of a faster link, while the policer's bucket emptied. The time of sending counts: a policer decides then.
    pub(super) fn policed(&self, view: &View) -> Option<Capacity> {
        let passed = self.samples.iter().filter(|sample| sample.delay.is_some());
        let passed: Vec<Arrival> =
            passed.map(|sample| Arrival { at: sample.sent, bytes: sample.bytes }).collect();
        let capacity = capacity(&[passed])?.without_steps();
        let is_policer = self.is_above(capacity.rate.value)
            && self.is_without_queue(view, capacity.rate)
            && self.is_slower_than_before(view, capacity.rate);
        is_policer.then_some(capacity)
    }

    /// Returns true if the packets that passed while others were lost met no queue at a link of `rate`.
    fn is_without_queue(&self, view: &View, rate: Estimated) -> bool {
        let packet = largest(self.samples) * 8.0 / rate.value;
        self.level(view, rate).is_some_and(|(level, error)| level < least_queue(view, packet, error))
    }

    /// The delay that the queue added when packets were lost, and half the width of its interval.
    pub(super) fn level(&self, view: &View, rate: Estimated) -> Option<(f64, f64)> {
        let levels = self.levels(view, 8.0 / rate.value);
        let level = median(levels.iter().copied())? - view.rest;
        Some((level, half_of_mean(&levels).unwrap_or(0.0)))
    }

    /// Returns true if no queue grew before the losses, or that of a link which is faster than `rate`. A queue that grew at the
    /// same rate and is short while it loses is managed (RED, PIE).
    pub(super) fn is_slower_than_before(&self, view: &View, rate: Estimated) -> bool {
        let per_byte = 8.0 / rate.value;
        let packet = largest(self.samples) * per_byte;
        let highest = highest(view, self.before, per_byte).unwrap_or(0.0) - view.rest;
        if highest < 2.0 * least_queue(view, packet, 0.0) + view.noise() {
            return true;
        }
        let faster = standing(view, self.before).and_then(|segments| capacity(&segments));
        faster.is_some_and(|faster| rate.high < SLOWER * faster.rate.value)
    }

    /// Returns true if the queue let pass about `rate`, and was offered more: packets are lost above the rate.
    pub(super) fn is_above(&self, rate: f64) -> bool {
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else { return false };
        let bytes: f64 = self.samples.iter().map(|sample| sample.bytes).sum();
        let offered = bytes * 8.0 / (last.sent - first.sent).max(1e-9);
        let share = self.lost as f64 / self.samples.len() as f64;
        offered > 1.02 * rate && share > 0.5 * (1.0 - rate / offered)
    }

    /// The growth of the delay around each run of losses. A long run, in which a queue drains, counts as a single loss does.
    fn levels(&self, view: &View, per_byte: f64) -> Vec<f64> {
        let mut levels = Vec::new();
        let growth = |sample: &Sample| view.growth(sample, per_byte);
        let (mut before, mut is_losing) = (self.before.iter().rev().find_map(growth), false);
        for sample in self.samples {
            if let Some(growth) = growth(sample) {
                levels.extend(is_losing.then(|| f64::midpoint(before.unwrap_or(growth), growth)));
                before = Some(growth);
            }
            is_losing = sample.delay.is_none();
        }
        levels
    }

    /// The share of packets that were lost, without outages.
    pub(super) fn share(&self) -> Option<Estimated> {
        let out: usize = outages(self.samples).into_iter().map(|outage| outage.len()).sum();
        share(self.lost - out, self.samples.len() - out)
    }

    /// The bytes that passed at once before the losses began.
    pub(super) fn burst(&self, rate: f64) -> f64 {
        let (Some(first), Some(last)) = (self.before.first(), self.before.last()) else { return 0.0 };
        let arrived = self.before.iter().filter(|sample| sample.delay.is_some());
        arrived.map(|sample| sample.bytes).sum::<f64>() - (last.sent - first.sent) * rate / 8.0
    }
}

/// The least delay that is a queue of more than the packet in transmission, and of more than noise.
pub(super) fn least_queue(view: &View, packet: f64, error: f64) -> f64 {
    (1.5 * packet).max(error).max((0.5 * view.noise()).min(LOADED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fills::{RATE, drop_tail, fill, policer};

    #[test]
    fn losses_above_the_rate_without_a_delay_are_those_of_a_policer() {
        for burst in [15_000.0, 100_000.0, 900_000.0] {
            let (view, samples) = fill(policer(burst, drop_tail(20.0)));
            let found = losing(&samples, 0.01).and_then(|losing| losing.policed(&view)).expect("a policer");
            assert!((found.rate.value / (RATE / 2.0) - 1.0).abs() < 0.01, "{burst}: {found:?}");
        }
    }

    #[test]
    fn a_queue_that_loses_is_no_policer() {
        for packets in [4.0, 20.0, 200.0] {
            let (view, samples) = fill(drop_tail(packets));
            assert_eq!(losing(&samples, 0.01).and_then(|losing| losing.policed(&view)), None, "{packets}");
        }
    }
}
