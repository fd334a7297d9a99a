//! Queues: too deep, too shallow, or none where a policer drops.

use super::bond::{Bond, round_trip_s, usable};
use super::chance::MODEL;
use super::words::{name, rate, time, towards};
use super::{Cause, Finding};
use crate::link_estimate::{LinkEstimate, Queue};
use crate::remedy::Remedy;

/// A queue that adds a delay which people notice.
pub(super) fn deep(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let estimate = bond.direction.of(link);
    let queue = estimate.queue.filter(|queue| !queue.is_policer)?;
    let packets_s = FEW_PACKETS * PACKET * 8.0 / estimate.rate_bps?.value.max(1.0);
    let depth = queue.depth_s;
    if depth.low < DEEP_S.max(packets_s) || is_left_empty(bond, link) {
        return None;
    }
    let at_least = if queue.is_at_least { "at least " } else { "" };
    let sentence = format!(
        "{} queues {at_least}{} {} when it is full; each echo behind a transfer waits as long",
        name(&link.name),
        time(depth.value),
        towards(bond.direction)
    );
    let weight = bond.whole_bps() * (DELAY_WEIGHT * depth.value / DEEP_S).min(MOST_DELAY_WEIGHT);
    let finding = Finding::new(Cause::DeepQueue, sentence)
        .on(&[&link.name])
        .towards(bond.direction)
        .weighing(weight)
        .advising(other_control(bond), bond.direction.sender())
        .resting_on(vec![depth_line(&queue)]);
    Some(Finding { delay_s: Some(depth.value), ..finding })
}

/// Returns true if the transfer carried data there and hardly anything waited.
fn is_left_empty(bond: &Bond<'_>, link: &LinkEstimate) -> bool {
    let Some(path) = bond.path(link).filter(|path| path.share >= USED) else { return false };
    let wait = path.mean_rtt_s.zip(path.min_rtt_s).map(|(mean, least)| mean - least);
    wait.is_some_and(|wait| wait < SHORT_WAIT_S)
}

/// A queue that empties after each loss, so that the link idles until the window has grown again.
pub(super) fn shallow(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let estimate = bond.direction.of(link);
    let queue = estimate.queue.filter(|queue| !queue.is_policer && !queue.is_at_least)?;
    // Of a rate that varies the depth is that of a moment.
    if estimate.rate_steps.is_some() {
        return None;
    }
    let (capacity, round_trip) = usable(link, bond.direction).zip(round_trip_s(link))?;
    let ratio = queue.depth_s.high / round_trip;
    let cost = idle_cost(bond, link, capacity, ratio)?;
    let sentence = format!(
        "{} queues only {} ({:.0} packets) {}: it runs empty after each loss and carries {} of {}",
        name(&link.name),
        time(queue.depth_s.value),
        (queue.depth_bytes.value / PACKET).clamp(0.0, 1e9),
        towards(bond.direction),
        rate(capacity - cost),
        rate(capacity)
    );
    Some(
        Finding::new(Cause::ShallowQueue, sentence)
            .on(&[&link.name])
            .towards(bond.direction)
            .costing(cost)
            .advising(other_control(bond), bond.direction.sender())
            .resting_on(vec![depth_line(&queue), format!("round trip {}", time(round_trip))]),
    )
}

/// Packets above the rate are dropped, not queued. Full or not, a bond loses packets there that a queue would have kept.
pub(super) fn policer(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let estimate = bond.direction.of(link);
    let queue = estimate.queue.filter(|queue| queue.is_policer)?;
    let (capacity, round_trip) = usable(link, bond.direction).zip(round_trip_s(link))?;
    let sentence = format!(
        "{} drops what exceeds {} {} instead of queueing it (a policer)",
        name(&link.name),
        rate(capacity),
        towards(bond.direction)
    );
    let finding = Finding::new(Cause::Policer, sentence)
        .on(&[&link.name])
        .towards(bond.direction)
        .advising(other_control(bond), bond.direction.sender())
        .resting_on(vec![depth_line(&queue)]);
    Some(match idle_cost(bond, link, capacity, queue.depth_s.high / round_trip) {
        Some(cost) => finding.costing(cost),
        None => finding.weighing(capacity * UNKNOWN),
    })
}

/// The goodput that a link misses because its queue holds `ratio` times what is under way.
fn idle_cost(bond: &Bond<'_>, link: &LinkEstimate, capacity: f64, ratio: f64) -> Option<f64> {
    let gap = bond.path_gap(link);
    let predicted = if bond.halves() {
        capacity * (1.0 - sawtooth(ratio))
    } else if ratio < SHALLOW && gap.is_some_and(|gap| gap >= WIDE * capacity) && loses(bond, link) {
        gap?
    } else {
        return None;
    };
    bond.cost(gap.map_or(predicted, |gap| gap.min(predicted)))
}

fn loses(bond: &Bond<'_>, link: &LinkEstimate) -> bool {
    bond.path(link).is_some_and(|path| path.retransmitted_chunks >= FEWEST_LOSSES)
}

/// The part of a link's capacity that a window carries which grows by a packet a round trip and halves when a queue of
/// `ratio` times the product of bandwidth and delay overflows: 3/4 without a queue, 1 from one product on.
fn sawtooth(ratio: f64) -> f64 {
    let ratio = ratio.clamp(0.0, 1.0);
    let (least, most) = (f64::midpoint(1.0, ratio), 1.0 + ratio);
    let carried = (most * most - least * least) / 2.0;
    let time = (1.0 - least) + (most * most - 1.0) / 2.0;
    if time > 0.0 { (carried / time).min(1.0) } else { 1.0 }
}

fn depth_line(queue: &Queue) -> String {
    format!(
        "queue of {} ({} to {}, {} samples), {:.0} bytes",
        time(queue.depth_s.value),
        time(queue.depth_s.low),
        time(queue.depth_s.high),
        queue.depth_s.samples,
        queue.depth_bytes.value.clamp(0.0, 1e15)
    )
}

/// A control that follows a model of the path instead of losses, unless it is set.
fn other_control(bond: &Bond<'_>) -> Option<Remedy> {
    let is_set = bond.control().is_some_and(|control| control.name == MODEL);
    (!is_set).then(|| Remedy::Set { key: "congestion_control", value: MODEL.to_owned() })
}

/// A delay that calls and typing suffer from.
const DEEP_S: f64 = 0.2;
/// A queue of so few packets is not deep, however long they take on a slow link.
const FEW_PACKETS: f64 = 25.0;
/// A full packet in bytes.
const PACKET: f64 = 1_500.0;
/// A delay of [`DEEP_S`] counts as this part of the bond, a longer one as more, up to the second.
const DELAY_WEIGHT: f64 = 0.05;
const MOST_DELAY_WEIGHT: f64 = 0.2;
/// A wait shorter than this is no standing queue.
const SHORT_WAIT_S: f64 = 0.05;
/// A path with less than this share of the data was probed, not used.
const USED: f64 = 0.02;
/// A queue below this part of the round trip is shallow for a control that does not halve.
const SHALLOW: f64 = 0.5;
/// The least part of a link that was not used.
const WIDE: f64 = 0.1;
const FEWEST_LOSSES: u64 = 3;
/// A policer of unknown cost counts as this part of its link.
const UNKNOWN: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_halves_fills_a_link_with_a_queue_of_one_round_trip() {
        assert!((sawtooth(0.0) - 0.75).abs() < 1e-9);
        assert!((sawtooth(1.0) - 1.0).abs() < 1e-9);
        assert!(sawtooth(0.3) > sawtooth(0.2) && sawtooth(f64::INFINITY) >= 0.999);
    }
}
