//! Buffers smaller than what is under way, and sockets that overflow.

use anabranch_base::ByteCount;
use anabranch_base::exact::exact_size;

use super::bond::{Bond, finite};
use super::chance::cost_of_share;
use super::words::{end, rate, time};
use super::{Cause, Finding};
use crate::remedy::Remedy;
use crate::verdict::losses::percent;
use crate::verdict::{FULL_CORE, NOTEWORTHY};

/// A receive buffer that was full, or that would be.
pub(super) fn receive_buffer(bond: &Bond<'_>) -> Option<Finding> {
    let place = bond.direction.receiver();
    let size = bond.transfer.and_then(|transfer| transfer.receive_buffer_bytes);
    let size = size.or(bond.evidence.limits(place).receive_buffer_bytes);
    let seen = bond.weighed(|weighed| (weighed.receive_window, weighed.needed_buffer().0));
    let (cost, needed, proof) = match seen {
        Some((share, needed)) if share >= NOTEWORTHY => {
            let proof = format!("the receive window was closed for {} of the time", percent(share));
            (bond.cost(held_back(bond, share))?, needed, proof)
        }
        Some(_) => return None,
        None => by_size(bond, size?)?,
    };
    let needed = needed.max(needed_bytes(bond).unwrap_or(0.0)).max(2.0 * size.unwrap_or(0) as f64);
    Some(
        Finding::new(
            Cause::SmallReceiveBuffer,
            format!(
                "the receive buffer{} of {} holds less than what is under way and costs {}",
                of(size),
                end(place),
                rate(cost)
            ),
        )
        .towards(bond.direction)
        .costing(cost)
        .advising(Some(buffer("receive_buffer", needed)), place)
        .resting_on(lines(bond, proof)),
    )
}

/// A send buffer that was full of data under way, or that would be.
pub(super) fn send_buffer(bond: &Bond<'_>) -> Option<Finding> {
    let place = bond.direction.sender();
    let size = bond.transfer.and_then(|transfer| transfer.send_buffer_bytes);
    let size = size.or(bond.evidence.limits(place).send_buffer_bytes)?;
    let seen = bond.weighed(|weighed| {
        let windows: f64 = weighed.run.paths.iter().map(|path| finite(path.mean_cwnd_bytes)).sum();
        let is_dry = weighed.application >= NOTEWORTHY && weighed.run.cpu_share < FULL_CORE;
        // A sender that has less under way lacks data, not room.
        (is_dry && windows >= size as f64 * MOSTLY, weighed.application)
    });
    let (cost, proof) = match seen {
        Some((true, share)) => (
            bond.cost(held_back(bond, share))?,
            format!("the paths ran dry for {} of the time", percent(share)),
        ),
        Some(_) => return None,
        None => {
            let (cost, _, proof) = by_size(bond, size)?;
            (cost, proof)
        }
    };
    let needed = needed_bytes(bond).unwrap_or(0.0).max(2.0 * size as f64);
    Some(
        Finding::new(
            Cause::SmallSendBuffer,
            format!(
                "the send buffer{} of {} holds less than what is under way and costs {}",
                of(Some(size)),
                end(place),
                rate(cost)
            ),
        )
        .towards(bond.direction)
        .costing(cost)
        .advising(Some(buffer("send_buffer", needed)), place)
        .resting_on(lines(bond, proof)),
    )
}

/// Datagrams that the receiving system dropped because the program did not read them in time.
pub(super) fn socket_drops(bond: &Bond<'_>) -> Option<Finding> {
    let place = bond.direction.receiver();
    let limits = bond.evidence.limits(place);
    let drops = limits.socket_drops?;
    let arrived = limits.arrived_datagrams?;
    let share = drops as f64 / (drops.saturating_add(arrived)).max(1) as f64;
    if drops < FEWEST_DROPS || share < LEAST_DROPPED {
        return None;
    }
    let cost = bond.cost(cost_of_share(bond, share, bond.direction))?;
    let sentence = format!("the system dropped {drops} datagrams at the sockets of {}", end(place));
    Some(
        Finding::new(Cause::SocketDrops, sentence)
            .towards(bond.direction)
            .costing(cost)
            .advising(
                Some(Remedy::Outside("raise net.core.rmem_max, which limits the buffers of sockets")),
                place,
            )
            .resting_on(vec![format!("{} of what arrived", percent(share))]),
    )
}

/// The cost of a buffer that is smaller than what all links have under way at rest, and the buffer that is needed.
fn by_size(bond: &Bond<'_>, size: u64) -> Option<(f64, f64, String)> {
    let longest = bond.longest_round_trip_s()?;
    let allowed = size as f64 * 8.0 / longest;
    let cost = bond.cost(bond.usable_bps - allowed)?;
    let proof = format!("one buffer a round trip of {} is {}", time(longest), rate(allowed));
    Some((cost, needed_bytes(bond)?, proof))
}

/// The buffer that the links need, "2 * sum(BW_i) * RTT_max" (RFC 6182 §5.3).
fn needed_bytes(bond: &Bond<'_>) -> Option<f64> {
    Some(2.0 * bond.usable_bps * bond.longest_round_trip_s()? / 8.0)
}

/// The goodput of the `share` of the time in which the links were held back.
pub(super) fn held_back(bond: &Bond<'_>, share: f64) -> f64 {
    let share = share.clamp(0.0, MOST_SHARE);
    if bond.usable_bps > 0.0 { share * bond.usable_bps } else { bond.whole_bps() * share / (1.0 - share) }
}

fn lines(bond: &Bond<'_>, proof: String) -> Vec<String> {
    let mut lines = vec![proof];
    if let Some((needed, longest)) = needed_bytes(bond).zip(bond.longest_round_trip_s()) {
        lines.push(format!(
            "twice {} for the longest round trip of {} is {}",
            rate(bond.usable_bps),
            time(longest),
            ByteCount::new(needed.clamp(0.0, MOST_BUFFER) as u64).rounded()
        ));
    }
    lines
}

fn of(size: Option<u64>) -> String {
    size.map_or(String::new(), |size| format!(" ({})", exact_size(ByteCount::new(size))))
}

/// A power of two: the estimate is not more exact.
fn buffer(key: &'static str, bytes: f64) -> Remedy {
    let bytes = (bytes.clamp(LEAST_BUFFER, MOST_BUFFER) as u64).next_power_of_two();
    Remedy::Set { key, value: exact_size(ByteCount::new(bytes)) }
}

const MOSTLY: f64 = 0.5;
const MOST_SHARE: f64 = 0.95;
const FEWEST_DROPS: u64 = 10;
const LEAST_DROPPED: f64 = 1e-3;
const LEAST_BUFFER: f64 = 65_536.0;
const MOST_BUFFER: f64 = 1_073_741_824.0;
