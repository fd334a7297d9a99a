//! Ends that are slower than the links: the processor, the disk.

use super::bond::{Bond, NOTEWORTHY, finite};
use super::buffers::held_back;
use super::words::{byte_rate, end, time};
use super::{Cause, Finding};
use crate::evidence::{Direction, Evidence, Limits, Place};
use crate::link_estimate::LinkStatus;
use crate::path_seen::PathSeen;
use crate::remedy::Remedy;
use crate::transfer::Transfer;
use crate::verdict::FULL_CORE;
use crate::verdict::losses::percent;

/// An end that used a whole core, or that the system kept from running.
pub(super) fn slow_processor(evidence: &Evidence) -> Option<Finding> {
    let bonds = Direction::BOTH.map(|direction| Bond::of(evidence, direction));
    let is_unmeasured = evidence.links.iter().any(|link| link.status == LinkStatus::TooLate);
    let slow = [Place::Here, Place::There].into_iter().find_map(|place| {
        let reasons = reasons(evidence.limits(place));
        (!reasons.is_empty()).then_some((Some(place), reasons))
    });
    let by_transfer = || {
        let busiest = bonds
            .iter()
            .filter_map(|bond| bond.transfer)
            .filter(|transfer| !is_held_by_windows(transfer))
            .map(|transfer| transfer.cpu_share);
        let share = busiest.fold(0.0, f64::max);
        (share >= FULL_CORE).then(|| (None, vec![cores(share)]))
    };
    let too_late =
        || is_unmeasured.then(|| (None, vec!["an end was later than what would be measured".to_owned()]));
    let (place, reasons) = slow.or_else(by_transfer).or_else(too_late)?;
    let seen: Vec<&Bond<'_>> = bonds.iter().filter(|bond| bond.missing_bps().is_finite()).collect();
    if !is_unmeasured && !seen.is_empty() && seen.iter().all(|bond| bond.is_full()) {
        return None;
    }
    let subject = place.map_or("an end", end);
    let sentence = format!("{subject} is too slow for these links: {}", reasons.join(", "));
    let missing = seen.iter().map(|bond| bond.missing_bps()).fold(0.0, f64::max);
    let whole = bonds.iter().map(Bond::whole_bps).fold(0.0, f64::max);
    let finding = Finding::new(Cause::SlowProcessor, sentence)
        .advising(Some(Remedy::Outside(FASTER)), place.unwrap_or(Place::Here))
        .resting_on(reasons);
    Some(match (is_unmeasured, missing > 0.0) {
        (true, _) => finding.weighing(f64::INFINITY),
        (false, true) => finding.costing(missing),
        (false, false) => finding.weighing(whole),
    })
}

fn reasons(limits: &Limits) -> Vec<String> {
    let busy = limits.processor_share.filter(|share| *share >= FULL_CORE).map(cores);
    let late = limits.lateness_s.filter(|late| *late >= LATE_S);
    let late = late.map(|late| format!("its timers are up to {} late", time(late)));
    let unsent = limits.least_sent_share.filter(|share| *share < SENT_IN_TIME);
    let unsent =
        unsent.map(|share| format!("it sent {} of its test packets in time", percent(share.max(0.0))));
    [busy, late, unsent].into_iter().flatten().collect()
}

/// Returns true if the paths waited for their windows most of the time: then a busy end is not the limit.
fn is_held_by_windows(transfer: &Transfer) -> bool {
    let sum = |of: fn(&PathSeen) -> f64| transfer.paths.iter().map(of).sum::<f64>();
    sum(|path| path.cwnd_limited_s) > MOSTLY * sum(PathSeen::limited_s)
}

fn cores(share: f64) -> String {
    format!("{:.1} of its cores were used", share.clamp(0.0, 1e6))
}

/// Files that are read slower than the links carry them.
pub(super) fn slow_disk(bond: &Bond<'_>) -> Option<Finding> {
    let transfer = bond.transfer.filter(|transfer| transfer.is_of_files)?;
    let (share, windows) = bond.weighed(|weighed| {
        let windows: f64 = weighed.run.paths.iter().map(|path| path.mean_cwnd_bytes).sum();
        (weighed.application, windows)
    })?;
    let is_buffered = transfer.send_buffer_bytes.is_some_and(|size| windows >= size as f64 * MOSTLY);
    if share < STARVED || is_buffered || transfer.cpu_share >= FULL_CORE {
        return None;
    }
    let cost = bond.cost(held_back(bond, share))?;
    let sentence =
        format!("the paths waited for files to be read or verified for {} of the time", percent(share));
    let advice = Remedy::Outside("use a faster disk, or fewer and larger files");
    Some(
        Finding::new(Cause::SlowDisk, sentence)
            .towards(bond.direction)
            .costing(cost)
            .advising(Some(advice), Place::Here),
    )
}

/// A receiver that writes files slower than the bond carries them to it.
pub(super) fn slow_store(bond: &Bond<'_>) -> Option<Finding> {
    let receiver = bond.direction.receiver();
    let disk =
        bond.evidence.limits(receiver).disk_write_bps.filter(|rate| rate.is_finite() && *rate >= 0.0)?;
    let seen = bond.transfer.filter(|transfer| transfer.offered_bps.is_none());
    let seen = seen.map(|transfer| finite(transfer.goodput_bps)).filter(|goodput| *goodput > 0.0);
    let carried = seen.unwrap_or(bond.usable_bps);
    let cost = carried - disk;
    if cost <= 0.0 || cost < NOTEWORTHY * carried {
        return None;
    }
    let (end, disk, carried) = (end(receiver), byte_rate(disk), byte_rate(carried));
    let sentence = format!("{end} writes files at {disk} to its disk, the bond carries {carried} towards it");
    Some(
        Finding::new(Cause::SlowDisk, sentence)
            .towards(bond.direction)
            .costing(cost)
            .advising(Some(Remedy::Outside("use a faster disk, or a folder on another one")), receiver),
    )
}

const FASTER: &str = "use a faster processor, stop other programs, or raise the limit of its control group";
/// The system's own timers are this late for less than one in a hundred pauses.
const LATE_S: f64 = 0.03;
/// The share of due test packets that a fast enough end sends in time.
const SENT_IN_TIME: f64 = 0.9;
/// The share of the time in which the source had nothing.
const STARVED: f64 = 0.25;
const MOSTLY: f64 = 0.5;
