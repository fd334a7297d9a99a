//! Runs every policy and every path alone on every network, and gathers what the seeds gave.

use anabranch_scenario::model::Flow;
use anabranch_sim::RunResult;

use super::TournamentError;
use super::gate::{Gate, Performance, Yardstick, is_below_by_more_than_chance};
use super::network::{Network, NetworkFacts, parse};
use super::policy::Policy;
use crate::figures::by_seed::BySeed;
use crate::grid::GridPoint;
use crate::kept_runs::{KeptRuns, KeptValues};

/// Who competes on which profile, and with how many seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The profile of all policies and of the paths alone.
    pub profile: String,
    /// The policies; `fill` and `lowest-rtt` are among them.
    pub policies: Vec<Policy>,
    /// The seeds 1 to this.
    pub seeds: u64,
    /// Whose runs of the references count: `fill`, `lowest-rtt` and the paths alone.
    pub references: References,
}

/// Which kept runs count of what policies are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum References {
    /// Those of this build.
    OfThisBuild,
    /// Those of any build, which saves most of the time while one policy is developed.
    OfAnyBuild,
}

/// What is read from a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContestValues {
    /// User data delivered in Mbit/s.
    goodput_mbps: f64,
    /// The delay that 99 % of the messages did not exceed, in milliseconds; infinite if none was delivered.
    p99_ms: f64,
}

/// The seeds of one policy or one path alone on one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Goodput in Mbit/s.
    pub goodput: BySeed,
    /// p99 of the delay of messages, in milliseconds.
    pub p99: BySeed,
}

/// What all policies and paths gave on one network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkResult {
    /// The network.
    pub network: Network,
    /// What the judgement reads from its scenario.
    pub facts: NetworkFacts,
    /// In the order of the contest's policies.
    pub policies: Vec<Series>,
    /// In the order of the network's links.
    pub alone: Vec<Series>,
    /// What the gates compare with.
    pub yardstick: Yardstick,
}

impl KeptValues for ContestValues {
    const COLUMNS: &str = "goodput_mbps,p99_ms";

    fn of(run: &RunResult) -> ContestValues {
        let flow = run.flows.first();
        let p99 = flow.and_then(|flow| flow.delay).map(|delay| 1e3 * delay.p99.as_secs_f64());
        ContestValues {
            goodput_mbps: flow.map_or(0.0, |flow| flow.goodput_bps / 1e6),
            p99_ms: p99.unwrap_or(f64::INFINITY),
        }
    }

    fn cells(&self) -> String {
        format!("{},{}", self.goodput_mbps, self.p99_ms)
    }

    fn from_cells(cells: &[&str]) -> Option<ContestValues> {
        let [goodput, p99] = cells else { return None };
        Some(ContestValues { goodput_mbps: goodput.parse().ok()?, p99_ms: p99.parse().ok()? })
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
        let results = networks.iter().zip(facts).map(|(network, facts)| {
            let policies: Vec<Series> = series.by_ref().take(self.policies.len()).collect();
            let alone: Vec<Series> = series.by_ref().take(facts.links.len()).collect();
            let yardstick = self.yardstick(network, &facts, &policies, &alone);
            NetworkResult { network: network.clone(), facts, policies, alone, yardstick }
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

    /// What policies are compared with.
    fn reference_points(&self, network: &Network, facts: &NetworkFacts) -> Vec<GridPoint> {
        let policies = [Policy::FILL, Policy::LOWEST_RTT].into_iter();
        let policies = policies.map(|policy| self.point(network.scenario(&policy.settings(&self.profile))));
        policies.chain(self.alone(network, facts)).collect()
    }

    fn alone(&self, network: &Network, facts: &NetworkFacts) -> Vec<GridPoint> {
        facts.links.iter().map(|link| self.point(network.alone(link, &self.profile))).collect()
    }

    fn point(&self, scenario: String) -> GridPoint {
        GridPoint { scenario, seeds: 1..self.seeds + 1 }
    }

    fn yardstick(
        &self,
        network: &Network,
        facts: &NetworkFacts,
        policies: &[Series],
        alone: &[Series],
    ) -> Yardstick {
        let of = |policy: Policy| self.position(policy).map_or(0.0, |index| policies[index].goodput.mean());
        let alone = || alone.iter().map(|series| series.goodput.mean());
        Yardstick {
            ceiling: network.ceiling_mbps,
            bound: network.bound_mbps,
            best_alone: alone().fold(0.0, f64::max),
            sum_alone: alone().sum(),
            fill: of(Policy::FILL),
            lowest_rtt: of(Policy::LOWEST_RTT),
            longest_delay_ms: facts.longest_delay_ms,
        }
    }

    /// Where a policy stands among the contest's.
    pub fn position(&self, policy: Policy) -> Option<usize> {
        self.policies.iter().position(|found| *found == policy)
    }
}

impl Series {
    /// `None` without seeds.
    fn of(runs: &[ContestValues]) -> Option<Series> {
        let of = |value: fn(&ContestValues) -> f64| BySeed::new(runs.iter().map(value).collect());
        Some(Series { goodput: of(|run| run.goodput_mbps)?, p99: of(|run| run.p99_ms)? })
    }

    /// The means.
    pub fn performance(&self) -> Performance {
        Performance { goodput_mbps: self.goodput.mean(), p99_ms: self.p99.mean() }
    }
}

impl NetworkResult {
    /// Whether it carries a bulk transfer.
    pub fn is_bulk(&self) -> bool {
        self.network.cbr_share.is_none()
    }

    /// Whether the policy of this number passes a gate.
    pub fn is_passed(&self, gate: Gate, policy: usize) -> bool {
        gate.is_passed(self.policies[policy].performance(), &self.yardstick)
    }

    /// Whether G7 is judged strictly: a bulk transfer over paths that lose packets.
    pub fn is_lossy(&self) -> bool {
        self.is_bulk() && self.facts.has_losses
    }

    /// Whether the policy of this number is below that of number `fill` by more than chance.
    pub fn is_below(&self, policy: usize, fill: usize) -> bool {
        is_below_by_more_than_chance(&self.policies[policy].goodput, &self.policies[fill].goodput)
    }

    /// The share of the bound that the policy of this number carries.
    pub fn share_of_whole(&self, policy: usize) -> f64 {
        self.policies[policy].goodput.mean() / self.yardstick.whole()
    }

    /// The share of the best path alone that the policy of this number carries.
    pub fn share_of_best(&self, policy: usize) -> f64 {
        self.policies[policy].goodput.mean() / self.yardstick.best_alone
    }
}
