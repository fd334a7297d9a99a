//! One direction of a lane: what its flights show of rate, queue and losses, one after the other.

use super::losing::losing;
use super::loss::{ChanceLoss, Quiet, by_chance};
use super::plateau::standing;
use super::queue::{QueueSeen, seen};
use super::rate::{Capacity, capacity};
use super::sample::{Sample, Series};
use super::trains;
use super::view::View;
use crate::estimated::Estimated;
use crate::link_estimate::{DirectionEstimate, Queue};
use crate::recording::Purpose;

/// One direction of a lane, measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction {
    pub(super) view: View,
    pub(super) capacity: Option<Capacity>,
    pub(super) queue: Option<QueueSeen>,
    /// The upper bound of the share of losses by chance, from packets that met no delay.
    pub(super) most_chance: f64,
}

/// The growth of the delay, in seconds, from which a packet met a queue where its depth is not known.
const GROWTH: f64 = 0.01;

/// The packets of a burst that a queue takes where its depth is not known.
const BACKLOG: f64 = 2.0;

/// The bytes of a full packet, of which queues of packets have so many.
const FULL_PACKET: f64 = 1_500.0;

/// A queue of fewer full packets is short.
const SHORT: f64 = 10.0;

/// The share of a queue's depth from which a packet may have met its end.
const NEAR_FULL: f64 = 0.6;

impl Direction {
    /// Measures a direction without drift.
    pub(super) fn of(view: View) -> Direction {
        let most_chance = most_chance(&view);
        let mut capacity = capacity_of(&view, most_chance);
        let mut queue = capacity.as_ref().and_then(|capacity| queue_of(&view, capacity.rate, most_chance));
        // A short queue stands for moments only, whose rates are noise.
        if queue.and_then(|seen| seen.queue).is_some_and(is_short) {
            capacity = capacity.map(Capacity::without_steps);
            queue = capacity.as_ref().and_then(|capacity| queue_of(&view, capacity.rate, most_chance));
        }
        Direction { view, capacity, queue, most_chance }
    }

    /// The rate in bits a second.
    pub(super) fn rate(&self) -> Option<Estimated> {
        self.capacity.as_ref().map(|capacity| capacity.rate)
    }

    /// The estimate, with losses by chance from the flights that `may_count`.
    pub(super) fn estimate(&self, may_count: impl Fn(Purpose) -> bool) -> DirectionEstimate {
        let chance = self.chance(may_count);
        let seen = self.queue;
        DirectionEstimate {
            rate_bps: self.rate(),
            rate_steps: self.capacity.as_ref().and_then(|capacity| capacity.steps.clone()),
            queue: seen.and_then(|seen| seen.queue),
            chance_loss: chance.share,
            loss_runs: chance.runs,
            queue_loss: seen.and_then(|seen| seen.loss),
            variation_s: self.view.variation,
            delay_under_load_s: seen.and_then(|seen| seen.delay),
        }
    }

    fn chance(&self, may_count: impl Fn(Purpose) -> bool) -> ChanceLoss {
        let queue = self.queue.and_then(|seen| seen.queue).filter(|queue| !queue.is_policer);
        let depth = queue.map_or(GROWTH, |queue| NEAR_FULL * queue.depth_s.value);
        let quiet = Quiet {
            growth: depth.max(3.0 * self.view.noise()),
            per_byte: self.rate().map_or(0.0, |rate| 8.0 / rate.value.max(1.0)),
            backlog: queue.map_or(BACKLOG, |queue| 0.5 * queue.depth_bytes.value / FULL_PACKET),
        };
        // Small packets in quick succession overflow a short queue where they bunch on the way, and a rate that varies falls
        // below theirs: neither is chance.
        let is_short = self.queue.and_then(|seen| seen.queue).is_some_and(is_short);
        let varies = self.capacity.as_ref().is_some_and(|capacity| capacity.steps.is_some());
        let may_count = |purpose| may_count(purpose) && !((is_short || varies) && purpose == Purpose::Chance);
        let flights = self.view.series.iter().filter(|series| may_count(series.purpose));
        by_chance(&self.view, flights, quiet)
    }
}

fn is_short(queue: Queue) -> bool {
    !queue.is_at_least && queue.depth_bytes.value < SHORT * FULL_PACKET
}

/// The upper bound of the share of losses by chance: the lower one of that of isolated probes alone and that of all packets
/// that met no delay. Before a short queue, small packets in quick succession show losses that are none.
fn most_chance(view: &View) -> f64 {
    let limit = Quiet { growth: GROWTH.max(3.0 * view.noise()), per_byte: 0.0, backlog: BACKLOG };
    let among = |purposes: &[Purpose]| {
        let quiet = view.series.iter().filter(|series| purposes.contains(&series.purpose));
        // A few packets at rest bound the share badly; a queue loses more than this in any case.
        by_chance(view, quiet, limit).share.map_or(0.02, |chance| chance.high.min(2.0 * chance.value + 0.02))
    };
    among(&[Purpose::Rest]).min(among(&[Purpose::Rest, Purpose::Chance]))
}

fn fills(view: &View) -> impl Iterator<Item = &[Sample]> {
    let is_fill = |series: &&Series| series.purpose == Purpose::Fill;
    view.series.iter().filter(is_fill).map(|series| series.samples.as_slice())
}

/// The capacity: that of a policer, else from the times in which a queue stood, else from those in which packets were lost
/// without one, else from trains.
fn capacity_of(view: &View, chance: f64) -> Option<Capacity> {
    let policed = fills(view).filter_map(|samples| losing(samples, chance)?.policed(view)).last();
    if policed.is_some() {
        return policed;
    }
    let segments: Vec<_> = fills(view).filter_map(|samples| standing(view, samples)).flatten().collect();
    let of_losses = || fills(view).filter_map(|samples| losing(samples, chance)?.capacity()).last();
    capacity(&segments).or_else(of_losses).or_else(|| of_trains(view))
}

fn of_trains(view: &View) -> Option<Capacity> {
    let rates = view.series.iter().filter_map(|series| match series.purpose {
        Purpose::Trains { length } => trains::rate(&series.samples, length),
        _ => None,
    });
    rates.max_by_key(|rate| rate.samples).map(Capacity::steady)
}

/// The queue: from the last flight that filled it to its end, else from the one in which it grew most.
fn queue_of(view: &View, rate: Estimated, chance: f64) -> Option<QueueSeen> {
    if rate.value <= 0.0 {
        return None;
    }
    let flights = fills(view).filter_map(|samples| seen(view, samples, losing(samples, chance), rate));
    let weight = |seen: &QueueSeen| (seen.loss.is_some(), seen.delay.map_or(0.0, |delay| delay.value));
    flights.max_by(|a, b| weight(a).partial_cmp(&weight(b)).unwrap_or(std::cmp::Ordering::Equal))
}
