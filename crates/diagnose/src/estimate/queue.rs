//! The queue before the bottleneck: its depth, or that it is a policer, from the losses of a flight that filled the link.

use super::change::change_point;
use super::interval::{half_of_mean, median, of_share_at, quantile, share, sorted};
use super::loss::outages;
use super::plateau::{highest, largest};
use super::rate::{Capacity, capacity};
use super::sample::{Sample, arrivals};
use super::view::View;
use crate::estimated::Estimated;
use crate::link_estimate::Queue;

/// A flight from the moment at which a queue began to lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Losing<'a> {
    samples: &'a [Sample],
    before: &'a [Sample],
    lost: usize,
}

/// A queue as one flight showed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QueueSeen {
    pub(super) queue: Option<Queue>,
    /// The share lost while it was full.
    pub(super) loss: Option<Estimated>,
    /// The delay that it added while it was full, or at its highest.
    pub(super) delay: Option<Estimated>,
    /// The times of sending, in seconds, between which it was full or at least half as high as ever.
    pub(super) between: (f64, f64),
}

/// The fewest losses, and runs of losses, that show a full queue; a run by chance is one run.
const LOSSES: usize = 10;
const RUNS: usize = 5;

/// The least share of losses of a full queue, beside this multiple of that by chance.
const SHARE: f64 = 0.03;
const TIMES_CHANCE: f64 = 1.2;

/// The delay, in seconds, that the ends themselves may add while they send and receive at full rate.
const LOADED: f64 = 0.001;

/// A packet that found room in a full queue found the packet in transmission 40 % done, on average at 1.25 times the rate.
const IN_TRANSMISSION: f64 = 0.4;

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

    /// Returns true if the queue let pass about `rate`, and was offered more: packets are lost above the rate.
    fn is_above(&self, rate: f64) -> bool {
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
    fn share(&self) -> Option<Estimated> {
        let out: usize = outages(self.samples).into_iter().map(|outage| outage.len()).sum();
        share(self.lost - out, self.samples.len() - out)
    }

    /// The bytes that passed at once before the losses began.
    fn burst(&self, rate: f64) -> f64 {
        let (Some(first), Some(last)) = (self.before.first(), self.before.last()) else { return 0.0 };
        let arrived = self.before.iter().filter(|sample| sample.delay.is_some());
        arrived.map(|sample| sample.bytes).sum::<f64>() - (last.sent - first.sent) * rate / 8.0
    }
}

/// The queue that a flight showed at a link of `rate` bits a second; `losing` is its part from where on packets were lost.
pub(super) fn seen(
    view: &View,
    samples: &[Sample],
    losing: Option<Losing>,
    rate: Estimated,
) -> Option<QueueSeen> {
    let per_byte = 8.0 / rate.value;
    let packet = largest(samples) * per_byte;
    match losing.filter(|losing| losing.is_above(rate.value)) {
        Some(losing) => full(view, &losing, rate, packet),
        None => not_full(view, samples, rate, packet),
    }
}

fn full(view: &View, losing: &Losing, rate: Estimated, packet: f64) -> Option<QueueSeen> {
    let per_byte = 8.0 / rate.value;
    let levels = losing.levels(view, per_byte);
    let level = median(levels.iter().copied())? - view.rest;
    let error = half_of_mean(&levels).unwrap_or(0.0);
    let half = error + packet / 2.0;
    let none = (1.5 * packet).max(error).max((0.5 * view.noise()).min(LOADED));
    // A queue that grew before it lost, and is short while it loses, is managed (RED, PIE), and no policer.
    let highest = highest(view, losing.before, per_byte).unwrap_or(0.0) - view.rest;
    let queue = if level < none && highest < 2.0 * none + view.noise() {
        let burst = losing.burst(rate.value).max(packet / per_byte);
        depth(burst * per_byte, packet, rate, losing.lost).map(|queue| Queue { is_policer: true, ..queue })
    } else {
        depth(level + IN_TRANSMISSION * packet, half, rate, losing.lost)
    };
    let growth = sorted(losing.samples.iter().filter_map(|sample| view.growth(sample, per_byte)));
    Some(QueueSeen {
        queue,
        loss: losing.share(),
        delay: quantile(&growth, 0.5),
        between: (losing.samples.first()?.sent, losing.samples.last()?.sent),
    })
}

/// A queue that lost nothing is at least as deep as the delay grew, if that is more than noise.
fn not_full(view: &View, samples: &[Sample], rate: Estimated, packet: f64) -> Option<QueueSeen> {
    let per_byte = 8.0 / rate.value;
    let highest = highest(view, samples, per_byte)?;
    let level = highest - view.rest;
    let growth =
        |sample: &&Sample| view.growth(sample, per_byte).is_some_and(|growth| growth >= highest / 2.0);
    let mut high = samples.iter().filter(growth);
    let first = high.next()?;
    let last = high.next_back().unwrap_or(first);
    let queue = (level > 3.0 * packet + 2.0 * view.noise())
        .then(|| depth(level, packet / 2.0, rate, samples.len()))
        .flatten()
        .map(|queue| Queue { is_at_least: true, ..queue });
    let delay = Estimated::around(level, packet / 2.0 + view.noise(), samples.len());
    Some(QueueSeen { queue, loss: None, delay, between: (first.sent, last.sent) })
}

/// A depth in seconds and in bytes.
fn depth(seconds: f64, half: f64, rate: Estimated, samples: usize) -> Option<Queue> {
    let depth_s = Estimated::around(seconds, half, samples)?;
    let bytes = |seconds: f64, rate: f64| seconds * rate / 8.0;
    let depth_bytes = Estimated::of(
        bytes(depth_s.value, rate.value),
        bytes(depth_s.low, rate.low),
        bytes(depth_s.high, rate.high),
        samples,
    )?;
    Some(Queue { depth_s, depth_bytes, is_at_least: false, is_policer: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::sample::Series;
    use crate::recording::Purpose;

    const RATE: f64 = 12e6;

    /// The delays that a link of 12 Mbit/s gives 2,500 packets of 1,500 bytes at 1.25 times its rate.
    fn fill(link: impl FnMut(f64) -> Option<f64>) -> (View, Vec<Sample>) {
        let sent = (0..2_500).map(|n| f64::from(n) * 0.000_8);
        let delays: Vec<Option<f64>> = sent.clone().map(link).collect();
        let samples = sent.zip(delays).map(|(sent, delay)| Sample { sent, delay, bytes: 1_500.0 }).collect();
        let rest = Sample { sent: 0.0, delay: Some(0.0), bytes: 1_500.0 };
        (View::new(vec![Series { purpose: Purpose::Rest, samples: vec![rest; 10] }]), samples)
    }

    /// A queue of so many packets before a link; delays are above that of a packet.
    fn drop_tail(packets: f64) -> impl FnMut(f64) -> Option<f64> {
        let mut free = 0.0_f64;
        move |sent| {
            let wait = (free - sent).max(0.0);
            let has_room = (wait / 0.001).ceil() <= packets;
            free = if has_room { sent + wait + 0.001 } else { free };
            has_room.then_some(wait)
        }
    }

    fn queue_of((view, samples): &(View, Vec<Sample>)) -> QueueSeen {
        let rate = Estimated::around(RATE, 0.01 * RATE, 100).expect("finite");
        seen(view, samples, losing(samples, 0.01), rate).expect("a fill")
    }

    #[test]
    fn the_depth_is_the_growth_at_losses() {
        for packets in [5.0, 20.0, 200.0] {
            let seen = queue_of(&fill(drop_tail(packets)));
            let queue = seen.queue.expect("a queue");
            let error = queue.depth_bytes.value / (packets * 1_500.0) - 1.0;
            assert!(error.abs() < 0.08 && !queue.is_policer && !queue.is_at_least, "{packets}: {queue:?}");
            assert!((seen.loss.expect("losses").value - 0.2).abs() < 0.01);
        }
    }

    #[test]
    fn a_queue_that_lost_nothing_is_at_least_as_deep_as_the_delay_grew() {
        let queue = queue_of(&fill(drop_tail(1e6))).queue.expect("a queue");
        assert!(queue.is_at_least && (queue.depth_s.value / 0.5 - 1.0).abs() < 0.05, "{queue:?}");
    }

    #[test]
    fn losses_by_chance_while_the_queue_grows_do_not_end_it() {
        let mut link = drop_tail(1e6);
        let mut n = 0;
        let queue = queue_of(&fill(move |sent| {
            n += 1;
            link(sent).filter(|_| n % 100 != 0 && !(1_200..1_210).contains(&n))
        }));
        assert!(queue.queue.expect("a queue").is_at_least && queue.loss.is_none());
    }

    #[test]
    fn losses_above_the_rate_without_a_delay_are_those_of_a_policer() {
        let (mut tokens, mut last) = (30_000.0_f64, 0.0);
        let policed = fill(move |sent| {
            tokens = (tokens + (sent - last) * RATE / 8.0).min(30_000.0);
            last = sent;
            let passes = tokens >= 1_500.0;
            tokens -= if passes { 1_500.0 } else { 0.0 };
            passes.then_some(0.0)
        });
        let queue = queue_of(&policed).queue.expect("a policer");
        assert!(queue.is_policer && (queue.depth_bytes.value - 30_000.0).abs() < 4_000.0, "{queue:?}");
        let rate = losing(&policed.1, 0.01).and_then(|losing| losing.capacity()).expect("a rate").rate;
        assert!((rate.value / RATE - 1.0).abs() < 0.01, "{rate:?}");
    }
}
