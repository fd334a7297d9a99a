//! Rules for what a transfer alone shows: outages, a scheduler that leaves paths idle, losses.

use super::bond::Bond;
use super::buffers::held_back;
use super::words::{name, rate, time};
use super::{Cause, Finding};
use crate::evidence::Place;
use crate::path_seen::PathSeen;
use crate::remedy::Remedy;
use crate::verdict::losses::{self, loss_share, percent};
use crate::verdict::{NOTEWORTHY, advice};

/// A path that was down for a while.
pub(super) fn outage(bond: &Bond<'_>) -> Option<Finding> {
    let (path, share) = bond.weighed(|weighed| {
        let is_outage = weighed.is_gap_an_outage();
        weighed.longest_down().filter(|_| is_outage).map(|(path, share)| (path.clone(), share))
    })??;
    let rest = if path.is_active { "works again" } else { "is still down" };
    let sentence = format!(
        "{} carried nothing for {} ({:.0} % of the time) and {rest}",
        name(&path.name),
        time(path.down_s),
        share * 100.0
    );
    let cost = bond.cost(held_back(bond, share / bond.transfer?.paths.len().max(1) as f64))?;
    Some(
        Finding::new(Cause::DeadPath, sentence)
            .on(&[&path.name])
            .towards(bond.direction)
            .costing(cost)
            .advising(Some(Remedy::Outside("check that link")), Place::Here),
    )
}

/// A scheduler that chose other paths while one had room.
pub(super) fn scheduler(bond: &Bond<'_>) -> Option<Finding> {
    let share = bond.weighed(|weighed| weighed.scheduler)?;
    let transfer = bond.transfer?;
    let unused = transfer
        .paths
        .iter()
        .max_by(|one, other| one.scheduler_limited_s.total_cmp(&other.scheduler_limited_s))?;
    if share < NOTEWORTHY {
        return None;
    }
    let cost = bond.cost(held_back(bond, share))?;
    let used = transfer.scheduler.as_deref();
    let other = advice::FILLING.into_iter().find(|other| Some(*other) != used);
    let sentence = match used {
        Some(used) => format!("the scheduler {} left room on {}", name(used), name(&unused.name)),
        None => format!("the scheduler left room on {}", name(&unused.name)),
    };
    Some(
        Finding::new(Cause::Scheduler, sentence)
            .on(&[&unused.name])
            .towards(bond.direction)
            .costing(cost)
            .advising(
                other.map(|other| Remedy::Set { key: "scheduler", value: other.to_owned() }),
                bond.direction.sender(),
            )
            .resting_on(vec![format!("for {} of the time", percent(share))]),
    )
}

/// Paths whose windows losses keep small while hardly anything waits, where the links were not measured.
pub(super) fn losses(bond: &Bond<'_>) -> Vec<Finding> {
    let Some(transfer) = bond.transfer.filter(|_| bond.evidence.links.is_empty()) else { return Vec::new() };
    if transfer.offered_bps.is_some() {
        return Vec::new();
    }
    let held = losses::held_by_losses(&transfer.paths, transfer.control.as_ref());
    held.into_iter().map(|path| held_path(bond, path)).collect()
}

fn held_path(bond: &Bond<'_>, path: &PathSeen) -> Finding {
    let allowed = losses::allowed_bps(path);
    let carried = allowed.map_or(String::new(), |bps| format!("; its window allows {}", rate(bps)));
    let sentence =
        format!("{} lost about {} with an empty queue{carried}", name(&path.name), percent(loss_share(path)));
    let remedy = Remedy::Set { key: "congestion_control", value: "westwood".to_owned() };
    Finding::new(Cause::ChanceLoss, sentence)
        .on(&[&path.name])
        .towards(bond.direction)
        // The capacity of the link is not known.
        .weighing(path.goodput_bps)
        .advising(Some(remedy), bond.direction.sender())
        .resting_on(vec![format!("{} of {} packets", path.retransmitted_chunks, path.sent_packets)])
}
