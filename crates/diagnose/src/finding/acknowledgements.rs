//! Acknowledgements that the link back is too slow to carry.

use super::bond::{Bond, PAYLOAD, usable};
use super::words::{name, rate};
use super::{Cause, Finding};
use crate::link_estimate::LinkEstimate;
use crate::remedy::Remedy;

/// A link whose other direction cannot carry the SACKs for all data of this one.
pub(super) fn starved(bond: &Bond<'_>, link: &LinkEstimate) -> Option<Finding> {
    let back = bond.direction.opposite();
    let capacity = usable(link, bond.direction)?;
    let room = usable(link, back)? / PAYLOAD;
    let every = bond.evidence.limits(bond.direction.receiver()).sack_every.unwrap_or(USUAL).max(1);
    // Each SACK answers for `every` full packets.
    let allowed = room / SACK * f64::from(every) * PACKET * PAYLOAD;
    let cost = bond.cost(capacity - allowed)?;
    let wanted =
        (f64::from(every) * capacity / allowed.max(1.0) * SPARE).ceil().clamp(2.0, MOST_EVERY) as u32;
    let sentence = format!(
        "{} carries {} in the other direction, too little for the acknowledgements of {}",
        name(&link.name),
        rate(room),
        rate(capacity)
    );
    let remedy = (wanted > every).then(|| Remedy::Set { key: "sack.every", value: wanted.to_string() });
    Some(
        Finding::new(Cause::StarvedAcknowledgements, sentence)
            .on(&[&link.name])
            .towards(bond.direction)
            .costing(cost)
            .advising(remedy, bond.direction.receiver())
            .resting_on(vec![format!(
                "a SACK of {SACK:.0} bytes for {every} packets needs {}",
                rate(capacity / PAYLOAD / PACKET / f64::from(every) * SACK)
            )]),
    )
}

/// A SACK with a few gap reports as an IP packet, sealed, in bytes.
const SACK: f64 = 100.0;
const PACKET: f64 = 1_500.0;
/// The packets for which a SACK answers, if the receiver did not tell.
const USUAL: u32 = 2;
/// Room for the other traffic of the link.
const SPARE: f64 = 2.0;
const MOST_EVERY: f64 = 64.0;
