//! The pairs of ends that carry a scenario's flows, before the first event.

use anabranch_base::{Seed, Time};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Flow;

use crate::host::{Draft, Transport};
use crate::measure::Meter;
use crate::observe::Host;
use crate::senders::sends;
use crate::unfit::BuildError;

/// The scenario's paths for each pair of ends that carries the flow: one pair over all paths, or an independent pair
/// on each path (M-CMT-8).
pub(crate) fn pairs_of(flow: &Flow) -> Vec<Vec<usize>> {
    if flow.protocol.is_appstripe() {
        flow.paths.iter().map(|path| vec![*path]).collect()
    } else {
        vec![flow.paths.clone()]
    }
}

/// The ends of all pairs, in the order of the flows: for each pair the end at the first host, then the end at the
/// second.
///
/// # Errors
/// The settings of a flow's association contradict each other.
pub(crate) fn ends_of(scenario: &Scenario, root: &Seed) -> Result<Vec<Box<dyn Transport>>, BuildError> {
    let mut ends = Vec::new();
    for flow in &scenario.flows {
        for (number, paths) in pairs_of(flow).into_iter().enumerate() {
            let draft = Draft {
                scenario,
                flow,
                port: port(ends.len() / 2),
                paths,
                seed: seed_of(flow, number, root),
            };
            ends.extend(draft.ends().map_err(|why| BuildError::Flow { flow: flow.name.clone(), why })?);
        }
    }
    Ok(ends)
}

/// The meters of each flow: at the first host, then at the second; `None` if the flow only sends there.
pub(crate) fn meters_of(scenario: &Scenario) -> Vec<Option<Meter>> {
    let warmup = Time::ZERO + scenario.run.warmup;
    let of_flow = |flow: &Flow| {
        Host::BOTH
            .map(|host| sends(flow, host.other()).then(|| Meter::new(flow.start, warmup, flow.transfer)))
    };
    scenario.flows.iter().flat_map(of_flow).collect()
}

/// The first pair has the flow's own seed, so that AppStripe over one path equals the association on it.
fn seed_of(flow: &Flow, number: usize, root: &Seed) -> Seed {
    let seed = root.child("flow").child(&flow.name);
    if number == 0 { seed } else { seed.child("pair").child(&number.to_string()) }
}

/// The port of both ends of a pair: a dynamic one (RFC 6335 §6), so that programs do not take captured packets for
/// another protocol.
fn port(pair: usize) -> u16 {
    let private = usize::from(u16::MAX - FIRST_PRIVATE_PORT) + 1;
    FIRST_PRIVATE_PORT + u16::try_from(pair % private).unwrap_or(0)
}

const FIRST_PRIVATE_PORT: u16 = 49_152;
