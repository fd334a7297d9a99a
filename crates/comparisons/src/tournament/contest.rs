//! Runs every policy and every path alone on every network, and gathers what the seeds gave.

use anabranch_runs::by_seed::BySeed;
use anabranch_runs::grid::GridPoint;
use anabranch_runs::kept_runs::{KeptRuns, KeptValues};
use anabranch_scenario::model::Flow;
use anabranch_sim::RunResult;

use super::TournamentError;
use super::course::Class;
use super::gate::{Gate, Performance, Yardstick, is_below_by_more_than_chance};
use super::measured::Measured;
use super::network::{Network, NetworkFacts, parse};
use super::policy::Policy;

/// The competitors, their profile, and the number of seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The profile of all policies and of the paths alone.
    pub profile: String,
    /// The congestion control of all of them; `None` for the profile's.
    pub control: Option<String>,
    /// The policies; `fill` and `lowest-rtt` are among them if the form has references.
    pub policies: Vec<Policy>,
    /// The seeds 1 to this.
    pub seeds: u64,
    /// The accepted runs of the references: `fill`, `lowest-rtt` and the paths alone.
    pub references: References,
    /// The form of the contest.
    pub form: Form,
}

/// The runs beside those of the policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each path alone, `fill` and `lowest-rtt`.
    Whole,
    /// Each path alone where results were published, and nothing else: for work on a congestion control.
    Brief,
}

/// Which kept runs count of what policies are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum References {
    /// Runs of this build.
    OfThisBuild,
    /// Runs of any build, which saves most of the time while one policy is developed.
    OfAnyBuild,
}

/// The values of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContestValues {
    /// User data delivered in Mbit/s.
    goodput_mbps: f64,
    /// The delay that 99 % of the messages did not exceed, in milliseconds; infinite if none was delivered.
    p99_ms: f64,
    /// The time that 95 % of the packets did not exceed in waiting for the line of their link, in milliseconds.
    queue_ms: f64,
    /// The time it took to find the rate after an event, in seconds; not a number without events.
    found_s: f64,
    /// After how many events it was not found.
    missed: f64,
}

/// The seeds of one policy or one path alone on one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Goodput in Mbit/s.
    pub goodput: BySeed,
    /// p99 of the delay of messages, in milliseconds.
    pub p99: BySeed,
    /// p95 of the queueing delay of packets, in milliseconds.
    pub queue: BySeed,
    /// The time it took to find the rate after an event, in seconds; not a number without events.
    pub found: BySeed,
    /// After how many events it was not found.
    pub missed: BySeed,
}

/// The results of all policies and paths on one network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkResult {
    /// The network.
    pub network: Network,
    /// The facts of its scenario.
    pub facts: NetworkFacts,
    /// In the order of the contest's policies.
    pub policies: Vec<Series>,
    /// In the order of the network's links; empty where none was run alone.
    pub alone: Vec<Series>,
    /// The values that the gates compare with.
    pub yardstick: Yardstick,
}

impl KeptValues for ContestValues {
    const COLUMNS: &str = "goodput_mbps,p99_ms,queue_p95_ms,found_s,missed";

    type Gauge = Measured;

    fn of(run: &RunResult, mut measured: Measured) -> ContestValues {
        let flow = run.flows.first();
        let p99 = flow.and_then(|flow| flow.delay).map(|delay| 1e3 * delay.p99.as_secs_f64());
        let found = measured.found();
        ContestValues {
            goodput_mbps: flow.map_or(0.0, |flow| flow.goodput_bps / 1e6),
            p99_ms: p99.unwrap_or(f64::INFINITY),
            queue_ms: measured.queue_ms(),
            found_s: found.mean_s,
            missed: f64::from(found.missed),
        }
    }

    fn cells(&self) -> String {
        let ContestValues { goodput_mbps, p99_ms, queue_ms, found_s, missed } = self;
        format!("{goodput_mbps},{p99_ms},{queue_ms},{found_s},{missed}")
    }

    fn from_cells(cells: &[&str]) -> Option<ContestValues> {
        let [goodput, p99, queue, found, missed] = cells else { return None };
        Some(ContestValues {
            goodput_mbps: goodput.parse().ok()?,
            p99_ms: p99.parse().ok()?,
            queue_ms: queue.parse().ok()?,
            found_s: found.parse().ok()?,
            missed: missed.parse().ok()?,
        })
    }
}

impl Contest {
    /// Runs it on these networks.
    ///
    /// # Errors
    /// A network that cannot be run with one of the policies, or a run that cannot be kept.
    pub fn run(
        &self,
        networks: &[Network],
        kept: &mut KeptRuns<ContestValues>,
    ) -> Result<Vec<NetworkResult>, TournamentError> {
        let of_control = self.control.iter().map(|name| ("congestion_control".to_owned(), name.clone()));
        let of_control: Vec<(String, String)> = of_control.collect();
        let networks: Vec<Network> = networks.iter().map(|network| network.with(&of_control)).collect();
        let facts =
            networks.iter().map(Network::facts).collect::<Result<Vec<NetworkFacts>, TournamentError>>()?;
        let mut points = Vec::new();
        for (network, facts) in networks.iter().zip(&facts) {
            points.extend(self.points(network, facts)?);
        }
        if self.references == References::OfAnyBuild {
            networks.iter().zip(&facts).for_each(|(network, facts)| {
                kept.trust(&self.reference_points(network, facts));
            });
        }
        let values = kept.values::<TournamentError>(&points)?;
        let mut series = values.iter().filter_map(|runs| Series::of(runs));
        let results = networks.into_iter().zip(facts).map(|(network, facts)| {
            let policies: Vec<Series> = series.by_ref().take(self.policies.len()).collect();
            let paths = if self.runs_alone(&network) { facts.links.len() } else { 0 };
            let alone: Vec<Series> = series.by_ref().take(paths).collect();
            let yardstick = self.yardstick(&facts, &policies, &alone);
            NetworkResult { network, facts, policies, alone, yardstick }
        });
        Ok(results.collect())
    }

    /// A point for each policy, then one for each path alone.
    fn points(&self, network: &Network, facts: &NetworkFacts) -> Result<Vec<GridPoint>, TournamentError> {
        let flows = |policy: &Policy| {
            let text = network.scenario(&policy.settings(&self.profile));
            Ok((parse(&text)?.flows, text))
        };
        let known =
            self.policies.iter().map(flows).collect::<Result<Vec<(Vec<Flow>, String)>, TournamentError>>()?;
        // What the profile does by itself is run once, under the text of the policy that it is. `default` is the first.
        let policies = known.iter().filter_map(|(flows, _)| {
            let same = known.iter().rev().find(|(other, _)| other == flows);
            same.map(|(_, text)| self.point(text.clone()))
        });
        Ok(policies.chain(self.alone(network, facts)).collect())
    }

    /// The points that policies are compared with.
    fn reference_points(&self, network: &Network, facts: &NetworkFacts) -> Vec<GridPoint> {
        let policies = [Policy::FILL, Policy::LOWEST_RTT].into_iter();
        let policies = policies.map(|policy| self.point(network.scenario(&policy.settings(&self.profile))));
        policies.chain(self.alone(network, facts)).collect()
    }

    fn alone(&self, network: &Network, facts: &NetworkFacts) -> Vec<GridPoint> {
        let links = facts.links.iter().filter(|_| self.runs_alone(network));
        links.map(|link| self.point(network.alone(link, &self.profile))).collect()
    }

    /// Returns true if the paths of a network are run alone.
    fn runs_alone(&self, network: &Network) -> bool {
        self.form == Form::Whole || network.published.is_some()
    }

    fn point(&self, scenario: String) -> GridPoint {
        GridPoint { scenario, seeds: 1..self.seeds + 1 }
    }

    fn yardstick(&self, facts: &NetworkFacts, policies: &[Series], alone: &[Series]) -> Yardstick {
        let of = |policy: Policy| self.position(policy).map(|index| policies[index].goodput.mean());
        let alone = || alone.iter().map(|series| series.goodput.mean());
        Yardstick {
            bounds: facts.bounds,
            best_alone: alone().reduce(f64::max),
            fill: of(Policy::FILL),
            lowest_rtt: of(Policy::LOWEST_RTT),
            longest_delay_ms: facts.longest_delay_ms,
        }
    }

    /// Where a policy stands among the contest's.
    pub fn position(&self, policy: Policy) -> Option<usize> {
        self.policies.iter().position(|found| *found == policy)
    }

    /// Profile and congestion control, for a heading.
    pub fn title(&self) -> String {
        match &self.control {
            Some(control) => format!("{}, {control}", self.profile),
            None => self.profile.clone(),
        }
    }
}

impl Series {
    /// `None` without seeds.
    fn of(runs: &[ContestValues]) -> Option<Series> {
        let of = |value: fn(&ContestValues) -> f64| BySeed::new(runs.iter().map(value).collect());
        Some(Series {
            goodput: of(|run| run.goodput_mbps)?,
            p99: of(|run| run.p99_ms)?,
            queue: of(|run| run.queue_ms)?,
            found: of(|run| run.found_s)?,
            missed: of(|run| run.missed)?,
        })
    }

    /// The means.
    pub(crate) fn performance(&self) -> Performance {
        Performance { goodput_mbps: self.goodput.mean(), p99_ms: self.p99.mean() }
    }
}

impl NetworkResult {
    /// Returns true if it carries a bulk transfer.
    pub fn is_bulk(&self) -> bool {
        self.facts.class != Class::Messages
    }

    /// Returns true if the policy of this number passes a gate; `None` if what the gate compares with was not run.
    pub fn is_passed(&self, gate: Gate, policy: usize) -> Option<bool> {
        gate.is_passed(self.policies[policy].performance(), &self.yardstick)
    }

    /// Returns true if G7 is judged strictly: a bulk transfer over paths that lose packets.
    pub fn is_lossy(&self) -> bool {
        self.is_bulk() && self.facts.has_losses
    }

    /// Returns true if the policy of this number is below that of number `fill` by more than chance.
    pub fn is_below(&self, policy: usize, fill: usize) -> bool {
        is_below_by_more_than_chance(&self.policies[policy].goodput, &self.policies[fill].goodput)
    }

    /// The share of a rate that the policy of this number carries.
    pub fn share_of(&self, rate: f64, policy: usize) -> f64 {
        self.policies[policy].goodput.mean() / rate
    }

    /// The share of the physical bound that the policy of this number carries.
    pub(crate) fn share_of_bound(&self, policy: usize) -> f64 {
        self.share_of(self.yardstick.bounds.bound, policy)
    }

    /// The share of the bound of the best link that the policy of this number carries.
    pub(crate) fn share_of_best(&self, policy: usize) -> f64 {
        self.share_of(self.yardstick.bounds.best_link, policy)
    }
}
