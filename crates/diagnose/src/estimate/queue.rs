//! The queue before the bottleneck: its depth, or that it is a policer, from the losses of a flight that filled the link.

use super::interval::{quantile, sorted};
use super::losing::{Losing, least_queue};
use super::plateau::{highest, largest};
use super::sample::Sample;
use super::view::View;
use crate::estimated::Estimated;
use crate::link_estimate::Queue;

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

/// A packet that found room in a full queue found the packet in transmission 40 % done, on average at 1.25 times the rate.
const IN_TRANSMISSION: f64 = 0.4;

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
    let (level, error) = losing.level(view, rate)?;
    let half = error + packet / 2.0;
    let is_policer = level < least_queue(view, packet, error) && losing.is_slower_than_before(view, rate);
    let queue = if is_policer {
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
    use crate::estimate::fills::{RATE, drop_tail, fill, policer};
    use crate::estimate::losing::losing;

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
    fn the_depth_of_a_policer_is_its_bucket() {
        // Of a bucket that lasts, the queue of the link itself loses a part.
        for (burst, least) in [(15_000.0, -0.13), (100_000.0, -0.13), (900_000.0, -0.4)] {
            let (view, samples) = fill(policer(burst, drop_tail(20.0)));
            let losing = losing(&samples, 0.01);
            let rate = losing.and_then(|losing| losing.policed(&view)).expect("a policer").rate;
            let queue = seen(&view, &samples, losing, rate).and_then(|seen| seen.queue).expect("a policer");
            let error = queue.depth_bytes.value / burst - 1.0;
            assert!(queue.is_policer && (least..0.13).contains(&error), "{burst}: {queue:?}");
        }
    }
}
