//! Single paths: dead, with a hole in its sizes, or of a varying rate.

use super::bond::{Bond, PAYLOAD, finite, usable};
use super::words::{name, rate, towards};
use super::{Cause, Finding};
use crate::evidence::{Direction, Evidence, Place};
use crate::link_estimate::{LinkEstimate, LinkStatus};
use crate::remedy::Remedy;

/// A path that never answered.
pub(super) fn dead(evidence: &Evidence, link: &LinkEstimate) -> Option<Finding> {
    if link.status != LinkStatus::Dead {
        return None;
    }
    let sentence = format!("{} carries nothing: no packet came back", name(&link.name));
    Some(
        Finding::new(Cause::DeadPath, sentence)
            .on(&[&link.name])
            // A link of unknown rate counts as the bond that the others make.
            .weighing(whole(evidence).max(1.0))
            .advising(Some(Remedy::Outside("check that link, its address and its route")), Place::Here),
    )
}

/// Sizes of packets that vanish, though the transport of their sender uses them: those of each way.
pub(super) fn mtu_holes(link: &LinkEstimate) -> impl Iterator<Item = Finding> {
    Direction::BOTH.into_iter().filter_map(|direction| mtu_hole(link, direction))
}

fn mtu_hole(link: &LinkEstimate, direction: Direction) -> Option<Finding> {
    let hole = match direction {
        Direction::Forward => link.mtu_hole_bytes?,
        Direction::Reverse => link.mtu_hole_reverse_bytes?,
    };
    let carried = link.mtu_bytes;
    let most = carried.map_or(String::new(), |mtu| format!("; packets of {mtu} bytes pass"));
    let (name, towards) = (name(&link.name), towards(direction));
    let sentence = format!("packets of {hole} bytes vanish on {name} {towards}{most}");
    let remedy = match carried.filter(|mtu| (LEAST_MTU..hole).contains(mtu)) {
        Some(mtu) => Remedy::Set { key: "mtu", value: format!("{mtu} B") },
        None => Remedy::Set { key: "mtu_discovery", value: "on".to_owned() },
    };
    Some(
        Finding::new(Cause::MtuHole, sentence)
            .on(&[&link.name])
            .towards(direction)
            .weighing(both(link).max(1.0))
            .advising(Some(remedy), direction.sender()),
    )
}

/// A link whose rate changes while it is full.
pub(super) fn varying(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let steps = bond.direction.of(link).rate_steps.as_ref()?;
    let mut rates: Vec<f64> =
        steps.iter().map(|(_, rate)| *rate).filter(|rate| rate.is_finite() && *rate >= 0.0).collect();
    rates.sort_by(f64::total_cmp);
    let quantile = |part: f64| rates.get(((rates.len().max(1) - 1) as f64 * part).round() as usize).copied();
    let (low, high) = quantile(0.1).zip(quantile(0.9))?;
    if rates.len() < FEWEST_STEPS || high < SWING * low {
        return None;
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let swing = rates.iter().map(|rate| (rate - mean).abs()).sum::<f64>() / rates.len() as f64;
    usable(link, bond.direction)?;
    let cost = bond.cost(swing * PAYLOAD * UNFOLLOWED)?;
    let sentence = format!(
        "the rate of {} varies from {} to {} {}; windows follow it late",
        name(&link.name),
        rate(low),
        rate(high),
        towards(bond.direction)
    );
    Some(
        Finding::new(Cause::VaryingRate, sentence)
            .on(&[&link.name])
            .towards(bond.direction)
            .costing(cost)
            .resting_on(vec![format!("mean {}, mean deviation {}", rate(mean), rate(swing))]),
    )
}

/// The capacity of the faster direction.
pub(super) fn both(link: &LinkEstimate) -> f64 {
    Direction::BOTH.iter().filter_map(|direction| usable(link, *direction)).fold(0.0, f64::max)
}

/// The goodput of the faster direction of the whole bond.
pub(super) fn whole(evidence: &Evidence) -> f64 {
    finite(
        Direction::BOTH
            .map(|direction| Bond::of(evidence, direction).whole_bps())
            .into_iter()
            .fold(0.0, f64::max),
    )
}

const LEAST_MTU: u64 = 576;
/// The ratio of high to low rates that is more than noise.
const SWING: f64 = 1.5;
const FEWEST_STEPS: usize = 3;
/// The part of a swing that windows cannot follow.
const UNFOLLOWED: f64 = 0.5;
