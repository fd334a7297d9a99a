//! One replication: a scenario and a seed become a network, the network runs, and its result is counted.

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
    /// What the scenario wants to happen, in order.
    program: VecDeque<(Time, Act)>,
    limit: Time,
    /// The flows, and where their data arrives, that decide when all is done.
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
pub enum RunProgress {
    /// There is more to come.
    Running,
    /// Time is up, or everything is done.
    Ended,
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
        let (ends, (fabric, ways)) = (ends_of(scenario, &root)?, fabric_of(scenario, &root));
        let routes = Routes::of(scenario, ways);
        let network = Network::new(fabric, ends, meters_of(scenario), routes, watch);
        Ok(Run::of(scenario, seed, network))
    }

    /// A run of the scenario in `network`, which has its links and its flows.
    pub(crate) fn of(scenario: &Scenario, seed: u64, network: Network) -> Run {
        Run {
            network,
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
        }
    }

    /// Lets everything happen within the next `span`.
    pub fn advance(&mut self, span: Duration) -> RunProgress {
        let until = (self.now + span).min(self.limit);
        while let Some(at) = self.next().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.events += 1;
            match self.program.pop_front_if(|(due, _)| *due <= at) {
                Some((_, act)) => self.act(act),
                None => self.network.step(),
            }
            if self.is_done() {
                return RunProgress::Ended;
            }
        }
        self.now = match self.next() {
            Some(_) => until,
            // Nothing will ever happen again. With transfers alone that is the end; other flows have their time.
            None if self.is_endless => self.limit,
            None => return RunProgress::Ended,
        };
        if self.now >= self.limit { RunProgress::Ended } else { RunProgress::Running }
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
        while self.advance(Duration::from_secs(3_600)) == RunProgress::Running {}
        self.finish()
    }

    fn next(&self) -> Option<Time> {
        let program = self.program.front().map(|(at, _)| *at);
        [program, self.network.next()].into_iter().flatten().min()
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Change { link, from, change } => self.network.change(self.now, link, from, change),
            Act::Start { flow, opening } => self.network.start(self.now, flow, opening),
        }
    }

    /// Whether every transfer is complete or has failed, and no other flow is still sending.
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

/// A run without a limit of its own, and with a transfer that does not end, ends after an hour.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The scenario's links, and the ways of its paths through them.
pub(crate) fn fabric_of(scenario: &Scenario, root: &Seed) -> (Fabric<Carried>, Vec<[RouteId; 2]>) {
    let mut fabric = Fabric::new(scenario.links.iter().map(|link| {
        let (forward, reverse) = LinkSeed::of(root, &link.name);
        [Link::new(&link.forward, forward), Link::new(&link.reverse, reverse)]
    }));
    let ways = scenario.paths.iter().map(|path| fabric.add_path(&path.links)).collect();
    (fabric, ways)
}

fn program_of(scenario: &Scenario) -> VecDeque<(Time, Act)> {
    let changes = scenario.events.iter().flat_map(|event| {
        let change =
            |from: &Host| Act::Change { link: event.link, from: *from, change: event.change.clone() };
        senders(event.direction).iter().map(change).map(|act| (event.at, act))
    });
    let starts = scenario.flows.iter().enumerate().map(|(flow, settings)| {
        let opening = match &settings.protocol {
            Protocol::Sctp(sctp) if sctp.handshake == HandshakeMode::Off => Opening::Joined,
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
