//! One replication: a scenario and a seed become a network, the network runs, and what came of it is counted. It knows
//! no file and no thread.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_link::{Change, Link, LinkSeed};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Encapsulation, Flow, Handshake, Protocol, Sctp};
use anabranch_sctp::config::IpVersion;
use anabranch_sctp::endpoint::EndpointError;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::Checksum;

use crate::application::Sender;
use crate::host::{End, FlowSettings, SctpEnd, UdpEnd};
use crate::load::Routes;
use crate::measure::Meter;
use crate::network::{Network, Opening};
use crate::observe::{Host, Observation, Watch};
use crate::result::RunResult;
use crate::settings::association_config;
use crate::traffic;

/// A run of a scenario.
#[derive(Debug)]
pub struct Run {
    pub(crate) network: Network,
    pub(crate) flows: Vec<Flow>,
    pub(crate) names: Names,
    pub(crate) seed: u64,
    pub(crate) events: u64,
    pub(crate) now: Time,
    /// What the scenario wants to happen, in order.
    program: VecDeque<(Time, Act)>,
    limit: Time,
    /// Ends whose data decides when all is done.
    awaited: Vec<(usize, Host)>,
    /// Whether a flow has data until time runs out.
    is_endless: bool,
}

/// What results call links and paths.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub links: Vec<String>,
    pub paths: Vec<String>,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to come.
    Running,
    /// Time is up, or everything is done.
    Ended,
}

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("flow {flow:?}: {why}")]
pub struct BuildError {
    /// The flow whose settings do not fit.
    pub flow: String,
    /// What is wrong with them.
    pub why: EndpointError,
}

#[derive(Clone, Debug)]
enum Act {
    Change { link: usize, from: Host, change: Change },
    Start { flow: usize, opening: Opening },
}

impl Run {
    /// A run at its beginning. `watch` says what is to be noted on the way.
    ///
    /// # Errors
    /// The settings of a flow's association contradict one another.
    pub fn new(scenario: &Scenario, seed: u64, watch: Watch) -> Result<Run, BuildError> {
        let root = Seed::from_number(seed);
        let checksum = checksum_for(scenario);
        let mut ends = Vec::new();
        for (index, flow) in scenario.flows.iter().enumerate() {
            let built = ends_of(index, flow, scenario, checksum, &root);
            ends.extend(built.map_err(|why| BuildError { flow: flow.name.clone(), why })?);
        }
        Ok(Run {
            network: Network::new(links_of(scenario, &root), ends, Routes::of(scenario), watch),
            flows: scenario.flows.clone(),
            names: Names {
                links: scenario.links.iter().map(|link| link.name.clone()).collect(),
                paths: scenario.paths.iter().map(|path| path.name.clone()).collect(),
            },
            seed,
            events: 0,
            now: Time::ZERO,
            program: program_of(scenario),
            limit: Time::ZERO + scenario.run.time.unwrap_or(LONGEST),
            awaited: awaited_of(scenario),
            is_endless: scenario.flows.iter().any(|flow| flow.transfer.is_none()),
        })
    }

    /// Lets everything happen within the next `span`.
    pub fn advance(&mut self, span: Duration) -> Progress {
        let until = (self.now + span).min(self.limit);
        while let Some(at) = self.next().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.events += 1;
            match self.program.pop_front_if(|(due, _)| *due <= at) {
                Some((_, act)) => self.act(act),
                None => self.network.step(),
            }
            if self.is_done() {
                return Progress::Ended;
            }
        }
        self.now = match self.next() {
            Some(_) => until,
            // Nothing will ever happen again. With transfers alone that is the end; other flows have their time.
            None if self.is_endless => self.limit,
            None => return Progress::Ended,
        };
        if self.now >= self.limit { Progress::Ended } else { Progress::Running }
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The time at which it ends at the latest.
    pub fn limit(&self) -> Time {
        self.limit
    }

    /// What was seen since the last call, in order of time.
    pub fn take_observations(&mut self) -> Vec<Observation> {
        self.network.take_observations()
    }

    /// Runs to the end.
    pub fn to_end(mut self) -> RunResult {
        while self.advance(Duration::from_secs(3_600)) == Progress::Running {}
        self.finish()
    }

    fn next(&mut self) -> Option<Time> {
        let program = self.program.front().map(|(at, _)| *at);
        [program, self.network.next()].into_iter().flatten().min()
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Change { link, from, change } => self.network.change(self.now, link, from, change),
            Act::Start { flow, opening } => self.network.start(self.now, flow, opening),
        }
    }

    /// Whether every transfer is complete or has failed, and no other flow goes on.
    fn is_done(&mut self) -> bool {
        if self.is_endless {
            return false;
        }
        let network = &self.network;
        self.awaited.retain(|(flow, host)| {
            let end = network.end(*flow, *host);
            let has_failed = end.has_failed() || network.end(*flow, host.other()).has_failed();
            !has_failed && !end.meter().is_none_or(Meter::is_complete)
        });
        self.awaited.is_empty()
    }
}

/// The hosts that send in a direction.
pub(crate) fn senders(direction: Direction) -> &'static [Host] {
    match direction {
        Direction::Forward => &[Host::First],
        Direction::Reverse => &[Host::Second],
        Direction::Both => &[Host::First, Host::Second],
    }
}

/// A run without a limit of its own, and with a transfer that does not end, ends after an hour.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Where nothing damages packets, checking that they are whole costs time and changes nothing.
fn checksum_for(scenario: &Scenario) -> Checksum {
    let corrupts =
        |link: &anabranch_scenario::model::Link| link.forward.corrupt > 0.0 || link.reverse.corrupt > 0.0;
    if scenario.links.iter().any(corrupts) { Checksum::Crc32c } else { Checksum::Omitted }
}

fn links_of(scenario: &Scenario, root: &Seed) -> Vec<Link<crate::load::Load>> {
    let both = scenario.links.iter().flat_map(|link| {
        let (forward, reverse) = LinkSeed::of(root, &link.name);
        [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
    });
    both.collect()
}

fn program_of(scenario: &Scenario) -> VecDeque<(Time, Act)> {
    let changes = scenario.events.iter().flat_map(|event| {
        let change =
            |from: &Host| Act::Change { link: event.link, from: *from, change: event.change.clone() };
        senders(event.direction).iter().map(change).map(|act| (event.at, act))
    });
    let starts = scenario.flows.iter().enumerate().map(|(flow, settings)| {
        let opening = match &settings.protocol {
            Protocol::Sctp(sctp) if sctp.handshake == Handshake::Off => Opening::Joined,
            _ => Opening::Handshake,
        };
        (settings.start, Act::Start { flow, opening })
    });
    let mut program: Vec<(Time, Act)> = changes.chain(starts).collect();
    program.sort_by_key(|(at, _)| *at);
    program.into()
}

fn awaited_of(scenario: &Scenario) -> Vec<(usize, Host)> {
    let flows = scenario.flows.iter().enumerate();
    flows
        .flat_map(|(flow, settings)| senders(settings.direction).iter().map(move |from| (flow, from.other())))
        .collect()
}

/// The two ends of a flow: at the first host, and at the second.
fn ends_of(
    index: usize,
    flow: &Flow,
    scenario: &Scenario,
    checksum: Checksum,
    root: &Seed,
) -> Result<[End; 2], EndpointError> {
    let seed = root.child("flow").child(&flow.name);
    let warmup = Time::ZERO + scenario.run.warmup;
    let sends = |host: Host| senders(flow.direction).contains(&host);
    let sender = |host: Host, size: ByteCount| {
        let source = traffic::build(&flow.traffic, flow.start, &seed.child(name_of(host)).child("traffic"));
        sends(host).then(|| Sender::new(source, size, flow.transfer, flow.start))
    };
    let meter = |host: Host| sends(host.other()).then(|| Meter::new(flow.start, warmup, flow.transfer));
    match &flow.protocol {
        Protocol::Udp => Ok([Host::First, Host::Second]
            .map(|host| End::Udp(Box::new(UdpEnd::new(sender(host, ByteCount::ZERO), meter(host)))))),
        Protocol::Sctp(sctp) => {
            let settings = flow_settings(index, flow, sctp, checksum, warmup);
            // Bulk data comes in messages that fill a chunk.
            let size = settings.config.full_payload(IpVersion::V4);
            let end = |host: Host| {
                let seed = seed.child(name_of(host));
                SctpEnd::new(host, settings.clone(), sender(host, size), meter(host), seed)
            };
            Ok([End::Sctp(Box::new(end(Host::First)?)), End::Sctp(Box::new(end(Host::Second)?))])
        }
    }
}

fn flow_settings(index: usize, flow: &Flow, sctp: &Sctp, checksum: Checksum, warmup: Time) -> FlowSettings {
    let (ip, udp) = (20, 8);
    FlowSettings {
        config: anabranch_sctp::config::Config { checksum, ..association_config(sctp) },
        registry: Registry::standard(),
        port: port(index),
        paths: flow.paths.clone(),
        ordered: sctp.ordered,
        closes: flow.direction != Direction::Both,
        overhead: match sctp.encapsulation {
            Encapsulation::None => ByteCount::new(ip),
            Encapsulation::Udp => ByteCount::new(ip + udp),
        },
        warmup,
    }
}

/// The port of a flow's both ends: one of those that are nobody's (RFC 6335 §6), so that no program that looks
/// at captured packets takes them for another protocol's.
fn port(flow: usize) -> u16 {
    let private = usize::from(u16::MAX - FIRST_PRIVATE_PORT) + 1;
    FIRST_PRIVATE_PORT + u16::try_from(flow % private).unwrap_or(0)
}

const FIRST_PRIVATE_PORT: u16 = 49_152;

fn name_of(host: Host) -> &'static str {
    match host {
        Host::First => "first",
        Host::Second => "second",
    }
}
