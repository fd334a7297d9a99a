//! Links that are one: a common bottleneck, a common interface.

use super::bond::{Bond, usable};
use super::words::{name, names, rate, towards};
use super::{Cause, Finding};
use crate::evidence::{Direction, Evidence, LaneSeen, Place};
use crate::link_estimate::LinkEstimate;
use crate::remedy::Remedy;

/// Groups of links with one bottleneck in this direction, each told once.
pub(super) fn shared(bond: &Bond<'_>) -> Vec<Finding> {
    let links = &bond.evidence.links;
    let mut told: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for link in links {
        let group = group(links, link, bond.direction);
        if group.len() < 2 || told.contains(&link.name.as_str()) || leave_together(bond.evidence, &group) {
            continue;
        }
        told.extend(group.iter().map(|link| link.name.as_str()));
        found.extend(finding(bond, &group));
    }
    found
}

fn group<'a>(
    links: &'a [LinkEstimate],
    first: &'a LinkEstimate,
    direction: Direction,
) -> Vec<&'a LinkEstimate> {
    let is_with = |other: &&LinkEstimate| {
        other.name == first.name
            || direction.shares(first).contains(&other.name)
            || direction.shares(other).contains(&first.name)
    };
    links.iter().filter(is_with).collect()
}

fn finding(bond: &Bond<'_>, group: &[&LinkEstimate]) -> Option<Finding> {
    let rates: Vec<f64> = group.iter().filter_map(|link| usable(link, bond.direction)).collect();
    let most = rates.iter().copied().fold(0.0, f64::max);
    let added = rates.iter().sum::<f64>() - most;
    let all: Vec<&str> = group.iter().map(|link| link.name.as_str()).collect();
    if added <= 0.0 {
        return None;
    }
    let sentence = format!(
        "{} share a link {}: together they carry {}, as one of them alone",
        names(&all),
        towards(bond.direction),
        rate(most)
    );
    Some(
        Finding::new(Cause::SharedLink, sentence)
            .on(&all)
            .towards(bond.direction)
            .costing(added)
            .advising(
                Some(Remedy::Outside("use a link of another provider in place of one of them")),
                Place::Here,
            )
            .resting_on(vec![format!("the delays of {} rise and fall together", names(&all))]),
    )
}

/// Paths of several addresses whose packets leave by one interface, and paths that leave by another than their own.
pub(super) fn one_interface(evidence: &Evidence) -> Vec<Finding> {
    let mut told: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for lane in &evidence.lanes {
        let Some(by) = lane.carried_by.as_deref().filter(|by| !told.contains(by)) else { continue };
        let lanes: Vec<&LaneSeen> =
            evidence.lanes.iter().filter(|other| other.carried_by.as_deref() == Some(by)).collect();
        let is_astray = |lane: &LaneSeen| lane.interface.as_deref().is_some_and(|own| own != by);
        let are_several = lanes.iter().any(|other| other.local != lane.local);
        if lanes.iter().any(|lane| is_astray(lane)) || are_several {
            told.push(by);
            found.push(leaving_by(evidence, by, &lanes));
        }
    }
    found
}

fn leaving_by(evidence: &Evidence, by: &str, lanes: &[&LaneSeen]) -> Finding {
    let all: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
    let verb = if all.len() == 1 { "leaves" } else { "both leave" };
    let verb = if all.len() > 2 { "all leave" } else { verb };
    let sentence = format!("{} {verb} by the interface {}, by its counters", names(&all), name(by));
    let rates = evidence.links.iter().filter(|link| all.contains(&link.name.as_str()));
    let rates: Vec<f64> = rates.filter_map(|link| usable(link, Direction::Forward)).collect();
    let most = rates.iter().copied().fold(0.0, f64::max);
    let added = rates.iter().sum::<f64>() - most;
    let finding = Finding::new(Cause::OneInterface, sentence).on(&all).advising(
        Some(Remedy::Outside("add a routing rule for each address, or bind each path to its interface")),
        Place::Here,
    );
    if added > 0.0 { finding.costing(added) } else { finding.weighing(most) }
}

/// Returns true if the interface explains why the links are shared.
fn leave_together(evidence: &Evidence, group: &[&LinkEstimate]) -> bool {
    let mut by =
        group.iter().map(|link| evidence.lane(&link.name).and_then(|lane| lane.carried_by.as_deref()));
    let first = by.next().flatten();
    first.is_some() && by.all(|other| other == first)
}
