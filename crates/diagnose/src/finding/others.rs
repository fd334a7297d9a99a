//! Others' traffic beside the measurement, at either end.

use std::collections::BTreeSet;

use super::bond::NOTEWORTHY;
use super::paths::{both, whole};
use super::words::{name, rate};
use super::{Cause, Finding};
use crate::evidence::{Evidence, LaneSeen, Place};
use crate::remedy::Remedy;

/// Other programs' traffic on a link.
pub(super) fn here(evidence: &Evidence, lane: &LaneSeen) -> Option<Finding> {
    let others = lane.others_bps.filter(|others| others.is_finite())?;
    let capacity = capacity(evidence, lane);
    let cost = others.min(capacity);
    if cost <= 0.0 || !is_much(evidence, others, capacity) {
        return None;
    }
    let sentence = format!("other programs moved {} over {} meanwhile", rate(others), name(&lane.name));
    Some(
        Finding::new(Cause::OtherTraffic, sentence)
            .on(&[&lane.name])
            .costing(cost)
            .advising(Some(Remedy::Outside(STOP)), Place::Here),
    )
}

/// Others' traffic at the other end: each interface there counts once, whatever links it carries. It may be faster than these
/// links together, so the cost is not known.
pub(super) fn there(evidence: &Evidence) -> Vec<Finding> {
    let interfaces: BTreeSet<&str> =
        evidence.lanes.iter().filter_map(|lane| lane.interface_there.as_deref()).collect();
    interfaces.into_iter().filter_map(|interface| at_interface(evidence, interface)).collect()
}

fn at_interface(evidence: &Evidence, interface: &str) -> Option<Finding> {
    let is_there = |lane: &&LaneSeen| lane.interface_there.as_deref() == Some(interface);
    let lanes: Vec<&LaneSeen> = evidence.lanes.iter().filter(is_there).collect();
    let rates = lanes.iter().filter_map(|lane| lane.others_there_bps);
    let others = rates.filter(|others| others.is_finite()).reduce(f64::max)?;
    let capacity: f64 = lanes.iter().map(|lane| capacity(evidence, lane)).sum();
    if capacity <= 0.0 || !is_much(evidence, others, capacity) {
        return None;
    }
    let (interface, carried) = (name(interface), rate(others));
    let sentence = format!("others moved {carried} over {interface} of the other end meanwhile");
    let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
    // An interface of all links is a matter of that end.
    let names = if names.len() < evidence.lanes.len() { names } else { Vec::new() };
    Some(
        Finding::new(Cause::OtherTraffic, sentence)
            .on(&names)
            .weighing(NOTEWORTHY * whole(evidence))
            .advising(Some(Remedy::Outside(STOP)), Place::There),
    )
}

/// The capacity of a lane's link in the faster direction; 0 if it is not known.
fn capacity(evidence: &Evidence, lane: &LaneSeen) -> f64 {
    evidence.links.iter().find(|link| link.name == lane.name).map_or(0.0, both)
}

/// Returns true if `others` matter beside links of `capacity`.
fn is_much(evidence: &Evidence, others: f64, capacity: f64) -> bool {
    let used = others.min(capacity);
    used >= OTHERS * capacity && used >= NOTEWORTHY * whole(evidence)
}

const STOP: &str = "stop them, or measure when they are idle";
/// The least part of a link that others must take.
const OTHERS: f64 = 0.05;
