//! The bond in one direction: the goodput that its links could carry together, the part that a transfer was seen to miss,
//! and so the most that a cause may cost.

use crate::evidence::{Direction, Evidence};
use crate::link_estimate::{LinkEstimate, LinkStatus};
use crate::path_seen::PathSeen;
use crate::transfer::{Alone, Control, Transfer};
use crate::verdict::weighed::Weighed;

/// The bond in one direction.
pub(super) struct Bond<'a> {
    pub evidence: &'a Evidence,
    pub direction: Direction,
    pub transfer: Option<&'a Transfer>,
    /// The goodput that the measured links can carry together; 0 if none was measured.
    pub usable_bps: f64,
    /// The goodput of each link, for weights.
    alone: Vec<Alone>,
}

impl<'a> Bond<'a> {
    pub(super) fn of(evidence: &'a Evidence, direction: Direction) -> Bond<'a> {
        let alone = evidence.links.iter().filter_map(|link| {
            let goodput_bps = usable(link, direction)?;
            Some(Alone { name: link.name.clone(), goodput_bps, path: PathSeen::default() })
        });
        Bond {
            evidence,
            direction,
            transfer: evidence.transfer(direction),
            usable_bps: together(&evidence.links, direction),
            alone: alone.collect(),
        }
    }

    /// The transfer with each path weighed by its link; `None` if there was none, or its rate was limited on purpose.
    pub(super) fn weighed<R>(&self, read: impl FnOnce(&Weighed<'_>) -> R) -> Option<R> {
        let transfer = self.transfer.filter(|transfer| transfer.offered_bps.is_none())?;
        Some(read(&Weighed::of(transfer, &self.alone)))
    }

    /// The path of a link, as the transfer saw it.
    pub(super) fn path(&self, link: &LinkEstimate) -> Option<&'a PathSeen> {
        self.transfer?.paths.iter().find(|path| path.name == link.name)
    }

    /// The goodput that a link misses in the transfer.
    pub(super) fn path_gap(&self, link: &LinkEstimate) -> Option<f64> {
        let transfer = self.transfer.filter(|transfer| transfer.offered_bps.is_none())?;
        let path = transfer.paths.iter().find(|path| path.name == link.name)?;
        Some((usable(link, self.direction)? - path.goodput_bps).max(0.0))
    }

    /// The sender's congestion control.
    pub(super) fn control(&self) -> Option<&'a Control> {
        let of_transfer = self.transfer.and_then(|transfer| transfer.control.as_ref());
        of_transfer.or(self.evidence.limits(self.direction.sender()).control.as_ref())
    }

    /// Returns true if windows are halved at each loss, also by chance; an unknown control is taken for one that tells apart.
    pub(super) fn halves(&self) -> bool {
        self.control().is_some_and(|control| !control.tells_losses_apart)
    }

    /// The goodput of the whole: by the links, or by the transfer if it carried more.
    pub(super) fn whole_bps(&self) -> f64 {
        let seen = self.transfer.map_or(0.0, |transfer| finite(transfer.goodput_bps));
        self.usable_bps.max(seen)
    }

    /// The goodput that a transfer was seen to miss; endless if nothing tells.
    pub(super) fn missing_bps(&self) -> f64 {
        match self.transfer.filter(|transfer| transfer.offered_bps.is_none()) {
            Some(transfer) if self.usable_bps > 0.0 => {
                (self.usable_bps - finite(transfer.goodput_bps)).max(0.0)
            }
            _ => f64::INFINITY,
        }
    }

    /// The cost of a cause that by itself would cost `predicted_bps`: not more than a transfer was seen to miss. `None` if
    /// that is less than the noise of a measurement.
    pub(super) fn cost(&self, predicted_bps: f64) -> Option<f64> {
        let cost = predicted_bps.min(self.missing_bps());
        (cost.is_finite() && cost > 0.0 && cost >= NOTEWORTHY * self.whole_bps()).then_some(cost)
    }

    /// Returns true if a transfer left no room for a cause.
    pub(super) fn is_full(&self) -> bool {
        self.missing_bps() < NOTEWORTHY * self.whole_bps()
    }

    /// The longest round trip at rest of all measured links, in seconds.
    pub(super) fn longest_round_trip_s(&self) -> Option<f64> {
        let all = self.evidence.links.iter().filter_map(round_trip_s);
        all.reduce(f64::max)
    }
}

/// The round trip of a link at rest, in seconds.
pub(super) fn round_trip_s(link: &LinkEstimate) -> Option<f64> {
    let rest = link.round_trip_median_s.or(link.round_trip_s)?.value;
    (rest.is_finite() && rest > 0.0).then_some(rest)
}

/// The capacity of a link, as user data.
pub(super) fn usable(link: &LinkEstimate, direction: Direction) -> Option<f64> {
    let rate = direction.of(link).rate_bps?.value;
    (link.status == LinkStatus::Measured && rate > 0.0 && rate <= MOST_BPS).then_some(rate * PAYLOAD)
}

/// The sum of all links; those that share a bottleneck count once, with the fastest.
fn together(links: &[LinkEstimate], direction: Direction) -> f64 {
    let mut sum = 0.0;
    let mut counted: Vec<&str> = Vec::new();
    let mut by_rate: Vec<(&LinkEstimate, f64)> =
        links.iter().filter_map(|link| Some((link, usable(link, direction)?))).collect();
    by_rate.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (link, rate) in by_rate {
        let is_shared = direction.shares(link).iter().any(|other| counted.contains(&other.as_str()));
        counted.push(&link.name);
        if !is_shared {
            sum += rate;
        }
    }
    sum
}

/// The number, or 0 where it is not one that a measurement gives.
pub(super) fn finite(number: f64) -> f64 {
    if (0.0..=MOST_BPS).contains(&number) { number } else { 0.0 }
}

/// More than any link carries: larger numbers are errors.
const MOST_BPS: f64 = 1e14;

/// User data per IP packet of 1,500 bytes: the rest is headers, sealing and acknowledgements.
pub(super) const PAYLOAD: f64 = 0.93;
/// A cost below this part of the bond is not a finding: two measurements differ by as much.
pub(super) const NOTEWORTHY: f64 = 0.03;
