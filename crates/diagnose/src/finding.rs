//! Findings: each a cause with its rule, its cost and its remedy.

mod acknowledgements;
mod bond;
mod buffers;
mod chance;
mod ends;
mod forgotten;
mod others;
mod paths;
mod promise;
mod queues;
mod seen;
mod sharing;
mod words;

use serde::Serialize;

use crate::evidence::{Direction, Evidence, Place};
use crate::remedy::{Remedy, RemedyWords};
use bond::Bond;

pub use promise::{Promise, with_promises};

/// A finding. Keys in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The cause.
    pub cause: Cause,
    /// The names of the links that it concerns; none if it concerns an end.
    pub links: Vec<String>,
    /// The direction that it slows, if one.
    pub direction: Option<Direction>,
    /// The goodput that it costs in bits a second, if that can be told.
    pub cost_bps: Option<f64>,
    /// The delay that it adds in seconds, if it is a delay that it costs.
    pub delay_s: Option<f64>,
    /// The observation, in words.
    pub sentence: String,
    /// The advice.
    pub remedy: Option<Remedy>,
    /// The end that must make the change.
    pub place: Option<Place>,
    /// The simulator's result with the remedy.
    pub promise: Option<Promise>,
    /// The numbers on which it rests, a line each.
    pub evidence: Vec<String>,
    /// The order of findings: the cost, or the part of the bond that a cause without a known cost is taken to hold back.
    #[serde(skip)]
    weight_bps: f64,
}

/// A cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A path carries nothing, or carried nothing for a while.
    DeadPath,
    /// Packets of a size vanish though the transport uses it.
    MtuHole,
    /// The receive buffer is smaller than what is under way.
    SmallReceiveBuffer,
    /// The send buffer is smaller than what is under way.
    SmallSendBuffer,
    /// An end uses a whole core, or is kept from running.
    SlowProcessor,
    /// Files are read or written slower than the links carry them.
    SlowDisk,
    /// The system drops datagrams because a socket's buffer is full.
    SocketDrops,
    /// Losses by chance hold windows small.
    ChanceLoss,
    /// A queue is so deep that everything behind it waits.
    DeepQueue,
    /// A queue is so shallow that it empties after each loss.
    ShallowQueue,
    /// Packets above a rate are dropped without a queue.
    Policer,
    /// Links have a bottleneck in common.
    SharedLink,
    /// Paths of several addresses leave by one interface.
    OneInterface,
    /// A translator (NAT) forgets a silent path.
    ForgetfulNat,
    /// The rate of a link varies.
    VaryingRate,
    /// The link back is too slow for acknowledgements.
    StarvedAcknowledgements,
    /// Other programs use a link.
    OtherTraffic,
    /// The scheduler leaves usable paths idle.
    Scheduler,
}

impl Cause {
    /// The cause in words.
    pub fn word(self) -> &'static str {
        match self {
            Cause::DeadPath => "dead path",
            Cause::MtuHole => "MTU hole",
            Cause::SmallReceiveBuffer => "small receive buffer",
            Cause::SmallSendBuffer => "small send buffer",
            Cause::SlowProcessor => "slow processor",
            Cause::SlowDisk => "slow disk",
            Cause::SocketDrops => "socket buffer drops",
            Cause::ChanceLoss => "chance loss",
            Cause::DeepQueue => "deep queue",
            Cause::ShallowQueue => "shallow queue",
            Cause::Policer => "policer",
            Cause::SharedLink => "shared link",
            Cause::OneInterface => "one interface",
            Cause::ForgetfulNat => "forgetful NAT",
            Cause::VaryingRate => "varying rate",
            Cause::StarvedAcknowledgements => "starved acknowledgements",
            Cause::OtherTraffic => "other traffic",
            Cause::Scheduler => "scheduler",
        }
    }

    /// True if each end may have it for itself.
    fn is_of_an_end(self) -> bool {
        matches!(self, Cause::MtuHole | Cause::SlowDisk | Cause::OtherTraffic)
    }
}

/// The findings of all rules, ordered by what they cost. Empty if nothing is wrong.
pub fn findings(evidence: &Evidence) -> Vec<Finding> {
    let mut all = sharing::one_interface(evidence);
    all.extend(Direction::BOTH.iter().flat_map(|direction| of_direction(evidence, *direction)));
    all.extend(ends::slow_processor(evidence));
    all.extend(evidence.links.iter().filter_map(|link| paths::dead(evidence, link)));
    all.extend(evidence.links.iter().flat_map(paths::mtu_holes));
    all.extend(evidence.lanes.iter().filter_map(|lane| others::here(evidence, lane)));
    all.extend(others::there(evidence));
    all.extend(evidence.lanes.iter().filter_map(|lane| forgotten::forgotten(evidence, lane)));
    all.sort_by(|one, other| other.weight_bps.total_cmp(&one.weight_bps));
    without_repetitions(all)
}

fn of_direction(evidence: &Evidence, direction: Direction) -> Vec<Finding> {
    let bond = Bond::of(evidence, direction);
    let of_all = [
        buffers::receive_buffer(&bond),
        buffers::send_buffer(&bond),
        buffers::socket_drops(&bond),
        ends::slow_disk(&bond),
        ends::slow_store(&bond),
        seen::outage(&bond),
        seen::scheduler(&bond),
    ];
    let mut all: Vec<Finding> = of_all.into_iter().flatten().collect();
    all.extend(seen::losses(&bond));
    all.extend(sharing::shared(&bond));
    for link in &evidence.links {
        let of_link = [
            chance::loss(&bond, link),
            queues::deep(&bond, link),
            queues::shallow(&bond, link),
            queues::policer(&bond, link),
            paths::varying(&bond, link),
            acknowledgements::starved(&bond, link),
        ];
        all.extend(of_link.into_iter().flatten());
    }
    all
}

/// Of findings with one cause and the same links, the costliest; of causes that each end may have for itself, that of each
/// end.
fn without_repetitions(all: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in all {
        let is_known = |other: &Finding| {
            let is_same_end = !finding.cause.is_of_an_end() || other.place == finding.place;
            other.cause == finding.cause && other.links == finding.links && is_same_end
        };
        if !kept.iter().any(is_known) {
            kept.push(finding);
        }
    }
    kept
}

impl Finding {
    fn new(cause: Cause, sentence: String) -> Finding {
        Finding {
            cause,
            links: Vec::new(),
            direction: None,
            cost_bps: None,
            delay_s: None,
            sentence,
            remedy: None,
            place: None,
            promise: None,
            evidence: Vec::new(),
            weight_bps: 0.0,
        }
    }

    fn on(mut self, links: &[&str]) -> Finding {
        self.links = links.iter().map(|name| words::name(name)).collect();
        self
    }

    fn costing(self, bps: f64) -> Finding {
        let cost_bps = (bps.is_finite() && bps > 0.0).then_some(bps);
        Finding { cost_bps, ..self.weighing(bps) }
    }

    /// A finding whose cost is not known, which counts as if it held back `bps`.
    fn weighing(self, bps: f64) -> Finding {
        let weight_bps = if bps.is_nan() { 0.0 } else { bps };
        Finding { weight_bps, ..self }
    }

    fn advising(self, remedy: Option<Remedy>, place: Place) -> Finding {
        Finding { place: remedy.as_ref().map(|_| place), remedy, ..self }
    }

    fn resting_on(self, evidence: Vec<String>) -> Finding {
        Finding { evidence, ..self }
    }

    fn towards(self, direction: Direction) -> Finding {
        Finding { direction: Some(direction), ..self }
    }

    /// The finding as a sentence, with the remedy in the options of a program.
    pub fn text(&self, words: RemedyWords) -> String {
        words::text(self, words)
    }
}

#[cfg(test)]
mod tests;
