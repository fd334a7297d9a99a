//! One replication: a scenario and a seed become a network, the network runs, and its result is computed.

use std::collections::VecDeque;

use anabranch_base::{Duration, Seed, Time};
use anabranch_link::fabric::RouteId;
use anabranch_link::{Change, Fabric, Link, LinkSeed};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Flow, HandshakeMode, Protocol};

use crate::load::{Carried, Routes};
use crate::measure::Meter;
use crate::network::{Network, Opening};
use crate::observe::{Host, Observation, Watch};
use crate::pairs::{ends_of, meters_of};
use crate::radio;
use crate::result::RunResult;
use crate::senders::senders;
use crate::unfit::BuildError;

/// A run of a scenario.
#[derive(Debug)]
pub struct Run {
    pub(crate) network: Network,
    pub(crate) flows: Vec<Flow>,
    pub(crate) names: Names,
    pub(crate) seed: u64,
    pub(crate) events: u64,
    pub(crate) now: Time,
    /// The actions of the scenario, in order.
    program: VecDeque<(Time, Act)>,
    limit: Time,
    /// The flows, with the hosts that receive their data, whose completion ends the run.
    awaited: Vec<(usize, Host)>,
    /// True if a flow has data until the end of the run.
    is_endless: bool,
}

/// The names of links, radios, nodes and paths in results.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub links: Vec<String>,
    pub radios: Vec<String>,
    pub nodes: Vec<String>,
    pub paths: Vec<String>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunProgress {
    /// More events follow.
    Running,
    /// The time is over, or everything is complete.
    Ended,
}

#[derive(Clone, Debug)]
enum Act {
    Change { link: usize, from: Host, change: Change },
    Station { node: usize, is_present: bool },
    Start { flow: usize, opening: Opening },
}

impl Run {
    /// A run at its start. `watch` says what to observe.
    ///
    /// # Errors
    /// The settings of a flow's association contradict each other.
    pub fn new(scenario: &Scenario, seed: u64, watch: Watch) -> Result<Run, BuildError> {
        let root = Seed::from_number(seed);
        let (ends, (fabric, ways)) = (ends_of(scenario, &root)?, fabric_of(scenario, &root)?);
        let routes = Routes::of(scenario, ways);
        let network = Network::new(fabric, ends, meters_of(scenario), routes, watch);
        Ok(Run::of(scenario, seed, network))
    }

    /// A run of the scenario in `network`, which has the scenario's links and flows.
    pub(crate) fn of(scenario: &Scenario, seed: u64, mut network: Network) -> Run {
        network.set_warmup(Time::ZERO + scenario.run.warmup);
        Run {
            network,
            flows: scenario.flows.clone(),
            names: Names {
                links: scenario.links.iter().map(|link| link.name.clone()).collect(),
                radios: scenario.radios.iter().map(|radio| radio.name.clone()).collect(),
                nodes: scenario.nodes.iter().map(|node| node.name.clone()).collect(),
                paths: scenario.paths.iter().map(|path| path.name.clone()).collect(),
            },
            seed,
            events: 0,
            now: Time::ZERO,
            program: program_of(scenario),
            limit: Time::ZERO + scenario.run.time.unwrap_or(LONGEST),
            awaited: awaited_of(scenario),
            is_endless: scenario.flows.iter().any(|flow| flow.transfer.is_none()),
        }
    }

    /// Handles all events within the next `span`.
    pub fn advance(&mut self, span: Duration) -> RunProgress {
        let until = (self.now + span).min(self.limit);
        loop {
            if self.advance_network(until) == RunProgress::Ended {
                return RunProgress::Ended;
            }
            // What the scenario does comes before what the network does at the same time.
            let Some((due, act)) = self.program.pop_front_if(|(due, _)| *due <= until) else { break };
            self.now = self.now.max(due);
            self.events += 1;
            self.act(act);
            if self.is_done() {
                return RunProgress::Ended;
            }
        }
        self.now = match self.next() {
            Some(_) => until,
            // No event follows. If there are only transfers, the run ends; otherwise time passes until the limit.
            None if self.is_endless => self.limit,
            None => return RunProgress::Ended,
        };
        if self.now >= self.limit { RunProgress::Ended } else { RunProgress::Running }
    }

    /// Handles the events of the network until `until` and before the scenario's next one.
    fn advance_network(&mut self, until: Time) -> RunProgress {
        let last = match self.program.front() {
            Some((due, _)) if *due == Time::ZERO => return RunProgress::Running,
            Some((due, _)) => until.min(*due - Duration::from_nanos(1)),
            None => until,
        };
        while let Some(at) = self.network.step_until(last) {
            self.now = self.now.max(at);
            self.events += 1;
            if self.is_done() {
                return RunProgress::Ended;
            }
        }
        RunProgress::Running
    }

    /// The current simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The latest time at which it ends.
    pub fn limit(&self) -> Time {
        self.limit
    }

    /// The observations since the last call, in order of time.
    pub fn take_observations(&mut self) -> Vec<Observation> {
        self.network.take_observations()
    }

    /// Runs to the end.
    pub fn to_end(mut self) -> RunResult {
        while self.advance(Duration::from_secs(3_600)) == RunProgress::Running {}
        self.finish()
    }

    fn next(&self) -> Option<Time> {
        let program = self.program.front().map(|(at, _)| *at);
        program.into_iter().chain(self.network.next()).min()
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Change { link, from, change } => self.network.change(self.now, link, from, change),
            Act::Station { node, is_present: true } => self.network.come_back(self.now, node),
            Act::Station { node, is_present: false } => self.network.vanish(self.now, node),
            Act::Start { flow, opening } => self.network.start(self.now, flow, opening),
        }
    }

    /// Returns true if every transfer is complete or has failed, and no other flow is still sending.
    fn is_done(&mut self) -> bool {
        if self.is_endless {
            return false;
        }
        let network = &self.network;
        self.awaited.retain(|(flow, host)| {
            !network.has_failed(*flow) && !network.meter(*flow, *host).is_none_or(Meter::is_complete)
        });
        self.awaited.is_empty()
    }
}

/// The duration of a run without a limit whose transfers do not end.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The scenario's links and meshes, and the routes of its paths through them.
///
/// # Errors
/// The ends of a flow with a static route are not connected.
pub(crate) fn fabric_of(
    scenario: &Scenario,
    root: &Seed,
) -> Result<(Fabric<Carried>, Vec<[RouteId; 2]>), BuildError> {
    let mut fabric = Fabric::new(scenario.links.iter().map(|link| {
        let (forward, reverse) = LinkSeed::of(root, &link.name);
        [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
    }));
    radio::add_meshes(scenario, root, &mut fabric)?;
    let ways = scenario.paths.iter().map(|path| match path.air {
        Some(air) => radio::add_path(&mut fabric, air),
        None => fabric.add_path(&path.links),
    });
    let ways = ways.collect();
    Ok((fabric, ways))
}

fn program_of(scenario: &Scenario) -> VecDeque<(Time, Act)> {
    let changes = scenario.events.iter().flat_map(|event| {
        let change =
            |from: &Host| Act::Change { link: event.link, from: *from, change: event.change.clone() };
        senders(event.direction).iter().map(change).map(|act| (event.at, act))
    });
    let stations = scenario
        .node_events
        .iter()
        .map(|event| (event.at, Act::Station { node: event.node, is_present: event.is_present }));
    let starts = scenario.flows.iter().enumerate().map(|(flow, settings)| {
        let opening = match &settings.protocol {
            Protocol::Sctp(sctp) if sctp.handshake == HandshakeMode::Off => Opening::Joined,
            _ => Opening::Handshake,
        };
        (settings.start, Act::Start { flow, opening })
    });
    let mut program: Vec<(Time, Act)> = changes.chain(stations).chain(starts).collect();
    program.sort_by_key(|(at, _)| *at);
    program.into()
}

fn awaited_of(scenario: &Scenario) -> Vec<(usize, Host)> {
    let flows = scenario.flows.iter().enumerate();
    flows
        .flat_map(|(flow, settings)| senders(settings.direction).iter().map(move |from| (flow, from.other())))
        .collect()
}
