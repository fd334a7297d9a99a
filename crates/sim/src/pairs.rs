//! The pairs of ends that carry a scenario's flows, as they are before anything happens. It knows settings and seeds,
//! and no link.

use anabranch_base::{ByteCount, Seed, Time};
use anabranch_planner::live;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Protocol, Sctp};
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::wire::Checksum;

use crate::application::Sender;
use crate::host::{End, FlowSettings, SctpEnd, UdpEnd, hints};
use crate::measure::Meter;
use crate::observe::Host;
use crate::predict::planned_config;
use crate::run::{BuildError, Unfit, senders};
use crate::traffic;

/// The scenario's paths behind those of each pair of ends that carries the flow: one pair over all of them, or one on
/// each that knows of no other (M-CMT-8).
pub fn pairs_of(flow: &Flow) -> Vec<Vec<usize>> {
    match flow.protocol.is_appstripe() {
        true => flow.paths.iter().map(|path| vec![*path]).collect(),
        false => vec![flow.paths.clone()],
    }
}

/// The ends of all pairs, in the order of the flows: of each pair that at the first host, then that at the second.
///
/// # Errors
/// The settings of a flow's association contradict one another.
pub fn ends_of(scenario: &Scenario, root: &Seed) -> Result<Vec<End>, BuildError> {
    let checksum = checksum_for(scenario);
    let mut ends = Vec::new();
    for flow in &scenario.flows {
        for (number, paths) in pairs_of(flow).into_iter().enumerate() {
            let draft = Draft {
                scenario,
                flow,
                port: port(ends.len() / 2),
                paths,
                seed: seed_of(flow, number, root),
                checksum,
                warmup: Time::ZERO + scenario.run.warmup,
            };
            ends.extend(draft.ends().map_err(|why| BuildError { flow: flow.name.clone(), why })?);
        }
    }
    Ok(ends)
}

/// What counts the data of each flow: at the first host, then at the second; `None` where the flow only sends.
pub fn meters_of(scenario: &Scenario) -> Vec<Option<Meter>> {
    let warmup = Time::ZERO + scenario.run.warmup;
    let of_flow = |flow: &Flow| {
        [Host::First, Host::Second]
            .map(|host| sends(flow, host.other()).then(|| Meter::new(flow.start, warmup, flow.transfer)))
    };
    scenario.flows.iter().flat_map(of_flow).collect()
}

/// A pair before its ends are made.
struct Draft<'a> {
    scenario: &'a Scenario,
    flow: &'a Flow,
    port: u16,
    paths: Vec<usize>,
    seed: Seed,
    checksum: Checksum,
    warmup: Time,
}

impl Draft<'_> {
    fn ends(&self) -> Result<[End; 2], Unfit> {
        match &self.flow.protocol {
            Protocol::Udp => Ok([Host::First, Host::Second]
                .map(|host| End::Udp(Box::new(UdpEnd::new(self.sender(host, ByteCount::ZERO)))))),
            Protocol::Sctp(sctp) => {
                let end = |host: Host| -> Result<SctpEnd, Unfit> {
                    let settings = self.settings(host, sctp)?;
                    // Bulk data comes in messages that fill a chunk.
                    let sender = self.sender(host, settings.config.full_payload(IpVersion::V4));
                    let end = SctpEnd::new(host, settings, sender, self.seed_at(host))?;
                    Ok(end.hinted(hints(self.scenario, &self.paths, host)))
                };
                Ok([End::Sctp(Box::new(end(Host::First)?)), End::Sctp(Box::new(end(Host::Second)?))])
            }
        }
    }

    /// The application at a host, if it sends.
    fn sender(&self, host: Host, size: ByteCount) -> Option<Sender> {
        let flow = self.flow;
        let source = traffic::build(&flow.traffic, flow.start, &self.seed_at(host).child("traffic"));
        sends(flow, host).then(|| Sender::new(source, size, flow.transfer, flow.start))
    }

    fn seed_at(&self, host: Host) -> Seed {
        self.seed.child(match host {
            Host::First => "first",
            Host::Second => "second",
        })
    }

    fn settings(&self, host: Host, sctp: &Sctp) -> Result<FlowSettings, Unfit> {
        let config = planned_config(self.scenario, &self.paths, host, sctp)?;
        let config = Config { checksum: self.checksum, ..config };
        Ok(FlowSettings {
            overhead: config.overhead(IpVersion::V4),
            config,
            registry: live::registry(),
            port: self.port,
            paths: self.paths.clone(),
            ordered: sctp.ordered,
            closes: self.flow.direction != Direction::Both,
            warmup: self.warmup,
        })
    }
}

fn sends(flow: &Flow, host: Host) -> bool {
    senders(flow.direction).contains(&host)
}

/// The first pair has the flow's own seed, so that AppStripe over one path is the association on it.
fn seed_of(flow: &Flow, number: usize, root: &Seed) -> Seed {
    let seed = root.child("flow").child(&flow.name);
    if number == 0 { seed } else { seed.child("pair").child(&number.to_string()) }
}

/// Where nothing damages packets, checking that they are whole costs time and changes nothing.
fn checksum_for(scenario: &Scenario) -> Checksum {
    let corrupts =
        |link: &anabranch_scenario::model::Link| link.forward.corrupt > 0.0 || link.reverse.corrupt > 0.0;
    if scenario.links.iter().any(corrupts) { Checksum::Crc32c } else { Checksum::Omitted }
}

/// The port of a pair's both ends: one of those that are nobody's (RFC 6335 §6), so that no program that looks
/// at captured packets takes them for another protocol's.
fn port(pair: usize) -> u16 {
    let private = usize::from(u16::MAX - FIRST_PRIVATE_PORT) + 1;
    FIRST_PRIVATE_PORT + u16::try_from(pair % private).unwrap_or(0)
}

const FIRST_PRIVATE_PORT: u16 = 49_152;
