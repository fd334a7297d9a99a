//! A path that a translator (NAT) or a firewall forgets while it is silent.

use super::paths::both;
use super::words::{name, time};
use super::{Cause, Finding};
use crate::evidence::{Evidence, LaneSeen, Place};
use crate::link_estimate::LinkStatus;
use crate::remedy::Remedy;

/// A path that works, and that a translator forgot before this end's next HEARTBEAT.
pub(super) fn forgotten(evidence: &Evidence, lane: &LaneSeen) -> Option<Finding> {
    let within = lane.forgot_within_s.filter(|within| within.is_finite() && *within > 0.0)?;
    let is_it = |link: &&crate::LinkEstimate| link.name == lane.name && link.status == LinkStatus::Measured;
    let link = evidence.links.iter().find(is_it)?;
    let heartbeat = evidence.here.heartbeat_s.filter(|heartbeat| heartbeat.is_finite() && *heartbeat > 0.0);
    // A path that heard of this end all the time was not silent: its late packets were lost for another reason.
    if heartbeat.is_some_and(|heartbeat| heartbeat < LEAST) {
        return None;
    }
    let spoken = heartbeat.map_or("this end sends no heartbeats".to_owned(), |heartbeat| {
        format!("heartbeats come each {}", span(heartbeat))
    });
    let sentence = format!(
        "the translator (NAT) before {} forgets a silent path within {}, and {spoken}; until this end sends, the other \
         one cannot reach it there",
        name(&link.name),
        span(within),
    );
    let remedy =
        Remedy::Set { key: "failover.heartbeat", value: format!("{} s", shorter(within, heartbeat)) };
    let counts = "test packets of the other end arrived before the silence and once this end had spoken again, and none \
                  of those after the silence";
    Some(
        Finding::new(Cause::ForgetfulNat, sentence)
            .on(&[&link.name])
            .weighing(both(link).max(1.0))
            .advising(Some(remedy), Place::Here)
            .resting_on(vec![counts.to_owned()]),
    )
}

/// `25 s`, `1.5 s`.
fn span(seconds: f64) -> String {
    if seconds < 9.95 { time(seconds) } else { format!("{:.0} s", seconds.min(1e9)) }
}

/// A period of HEARTBEATs in whole seconds that is well within the silence, and shorter than the present one.
fn shorter(within: f64, heartbeat: Option<f64>) -> u64 {
    let most = heartbeat.map_or(MOST, |heartbeat| (heartbeat / 2.0).min(MOST));
    (within * PART).min(most).floor().max(1.0) as u64
}

/// The part of the silence after which the next packet comes, so that one may be lost.
const PART: f64 = 0.4;
/// The shortest period, in seconds, that leaves a path silent: hardly any translator forgets sooner.
const LEAST: f64 = 5.0;
/// The longest period that is advised, in seconds: few translators forget sooner (RFC 4787 §4.3 requires two minutes).
const MOST: f64 = 10.0;
