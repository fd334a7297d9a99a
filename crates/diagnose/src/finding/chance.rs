//! Losses by chance, measured below the knee: a window that halves at each carries what the square-root law allows.

use super::bond::{Bond, PAYLOAD, round_trip_s, usable};
use super::words::{name, rate, time, towards};
use super::{Cause, Finding};
use crate::estimated::Estimated;
use crate::evidence::Direction;
use crate::link_estimate::{LinkEstimate, LossRuns};
use crate::remedy::Remedy;
use crate::verdict::losses::percent;

/// A link that loses packets with an empty queue, and by that much of its rate.
pub(super) fn loss(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let direction = bond.direction;
    let estimate = direction.of(link);
    let loss = estimate.chance_loss.filter(|loss| loss.low > LEAST)?;
    let capacity = usable(link, direction)?;
    let round_trip = round_trip_s(link)?;
    if bond.halves() {
        let allowed = |share: f64| square_root_law(share, estimate.loss_runs.as_ref(), round_trip);
        if allowed(loss.low) >= capacity {
            return None;
        }
        let predicted = capacity - allowed(loss.value);
        let cost = bond.cost(bond.path_gap(link).map_or(predicted, |gap| gap.min(predicted)))?;
        let sentence = format!(
            "{} loses {} with an empty queue {}; a window that halves at each loss carries {} of {} there",
            name(&link.name),
            percent(loss.value),
            towards(direction),
            rate(capacity - cost),
            rate(capacity)
        );
        return Some(finding(bond, link, loss, round_trip, sentence).costing(cost));
    }
    let (gap, path) = bond.path_gap(link).zip(bond.path(link))?;
    let is_window = path.cwnd_limited_s >= path.limited_s() / 2.0;
    if loss.low < MUCH || gap < WIDE * capacity || !is_window {
        return None;
    }
    let cost = bond.cost(gap)?;
    let sentence = format!(
        "{} loses {} with an empty queue {} and carried {} of {}",
        name(&link.name),
        percent(loss.value),
        towards(direction),
        rate(path.goodput_bps),
        rate(capacity)
    );
    Some(finding(bond, link, loss, round_trip, sentence).costing(cost))
}

fn finding(
    bond: &Bond<'_>,
    link: &LinkEstimate,
    loss: Estimated,
    round_trip: f64,
    sentence: String,
) -> Finding {
    let used = bond.control().map_or("unknown", |control| control.name.as_str());
    let other = if bond.halves() { TELLING_APART } else { MODEL };
    let remedy = (used != other).then(|| Remedy::Set { key: "congestion_control", value: other.to_owned() });
    let runs = bond.direction.of(link).loss_runs;
    Finding::new(Cause::ChanceLoss, sentence)
        .on(&[&link.name])
        .towards(bond.direction)
        .advising(remedy, bond.direction.sender())
        .resting_on(vec![
            format!(
                "{} of packets lost below the knee ({} to {}, {} packets)",
                percent(loss.value),
                percent(loss.low),
                percent(loss.high),
                loss.samples
            ),
            match runs {
                Some(runs) => format!("in runs of {:.1} packets", 1.0 / runs.bad_to_good.value.max(1e-3)),
                None => "single".to_owned(),
            },
            format!("round trip {}, congestion control {}", time(round_trip), name(used)),
        ])
}

/// "BW < (MSS/RTT) (C/sqrt(p))" with C = 1.22 (Mathis, Semke, Mahdavi and Ott 1997, equation 3). A run of losses within a
/// window is one event: it halves the window once.
pub(super) fn square_root_law(share: f64, runs: Option<&LossRuns>, round_trip_s: f64) -> f64 {
    let events = share * runs.map_or(1.0, |runs| runs.bad_to_good.value.clamp(1e-3, 1.0));
    if events <= 0.0 || round_trip_s <= 0.0 {
        return f64::INFINITY;
    }
    1.22 * SEGMENT * 8.0 / (round_trip_s * events.sqrt())
}

/// The losses of the sockets of an end: what they cost all links together.
pub(super) fn cost_of_share(bond: &Bond<'_>, share: f64, direction: Direction) -> f64 {
    let of_link = |link: &LinkEstimate| {
        let capacity = usable(link, direction)?;
        let allowed =
            if bond.halves() { square_root_law(share, None, round_trip_s(link)?) } else { capacity };
        Some((capacity - allowed).max(0.0))
    };
    let held: f64 = bond.evidence.links.iter().filter_map(of_link).sum();
    held.max(share * bond.usable_bps)
}

/// User data in a full packet, in bytes.
const SEGMENT: f64 = 1_500.0 * PAYLOAD;
/// At a lower share, windows of 120 packets and more grow undisturbed.
const LEAST: f64 = 1e-4;
/// With a control that tells losses apart: the least share, and the least part of a link that was not used.
const MUCH: f64 = 0.002;
const WIDE: f64 = 0.1;
/// A control that tells losses apart and one that follows a model of the path.
const TELLING_APART: &str = "westwood";
pub(super) const MODEL: &str = "bbr";
