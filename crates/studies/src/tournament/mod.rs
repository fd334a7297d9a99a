//! The tournament of sending policies: all of them on the same networks, each path alone beside them, and what is asked of
//! a policy there (docs/tournament.md).

pub mod bound;
pub mod contest;
pub mod draw;
mod drawn;
pub mod gate;
pub mod network;
pub mod policy;
mod scenario_text;
pub mod table;

use std::collections::BTreeMap;
use std::fmt::Write;

use anabranch_planner::live;
use anabranch_scenario::ScenarioError;

use self::contest::{Contest, ContestValues, NetworkResult, References};
use self::network::Network;
use self::policy::Policy;
use crate::grid::GridError;
use crate::kept_runs::{KeepError, KeptRuns};

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tournament {
    /// The networks, those of a set together.
    pub networks: Vec<Network>,
    /// Keys of `[flow.sctp]` that all of them have besides, as strings.
    pub keys: Vec<(String, String)>,
    /// The profiles.
    pub profiles: Vec<String>,
    /// The policies asked for; `fill` and `lowest-rtt` are run with them.
    pub policies: Vec<Policy>,
    /// How many seeds.
    pub seeds: u64,
    /// Whose runs of `fill`, `lowest-rtt` and the paths alone count.
    pub references: References,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// A set of networks cannot be read.
    #[error("the networks cannot be read: {0}")]
    Networks(#[from] serde_json::Error),
    /// A network's text is not a scenario, or a policy's keys do not fit it.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A scenario cannot be run.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The values of a run cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// An id without a network.
    #[error(
        "there is no network {id:?}; ids are core-00 to core-53, drawn-2026-00 to drawn-2026-39, and drawn-SEED-00 to drawn-SEED-39"
    )]
    UnknownNetwork {
        /// The id.
        id: String,
    },
    /// A name without a policy.
    #[error("there is no policy {name:?}; known are {known}")]
    UnknownPolicy {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A name without a profile.
    #[error("there is no profile {name:?}")]
    UnknownProfile {
        /// The name.
        name: String,
    },
    /// A seed whose set is shipped.
    #[error("the set of seed {seed} is shipped, and another generator drew it: choose another seed")]
    ShippedSeed {
        /// The seed.
        seed: u64,
    },
}

impl Tournament {
    /// Runs it, and gives its tables as Markdown.
    ///
    /// # Errors
    /// A profile that does not exist, a network that cannot be run with one of the policies, or a run that cannot be kept.
    pub fn page(&self, kept: &mut KeptRuns<ContestValues>) -> Result<String, TournamentError> {
        let unknown = self.profiles.iter().find(|profile| !Policy::is_profile(profile));
        if let Some(name) = unknown {
            return Err(TournamentError::UnknownProfile { name: name.clone() });
        }
        let mut page = self.head();
        let networks: Vec<Network> = self.networks.iter().map(|network| network.with(&self.keys)).collect();
        for profile in &self.profiles {
            let contest = self.contest(profile);
            let results = contest.run(&networks, kept)?;
            for (set, results) in by_set(results) {
                let checks: usize = results.iter().map(|result| result.network.gates.len()).sum();
                let _ = writeln!(
                    page,
                    "### {set}, {profile}: {} networks, {checks} checks\n\n{}\n{}",
                    results.len(),
                    table::by_gate(&contest, &results),
                    table::by_network(&contest, &results)
                );
            }
        }
        Ok(page)
    }

    /// The policies that exist, on a profile.
    fn contest(&self, profile: &str) -> Contest {
        let registry = live::registry();
        let is_run = |policy: &Policy| {
            let is_wanted =
                self.policies.contains(policy) || [Policy::FILL, Policy::LOWEST_RTT].contains(policy);
            is_wanted && policy.missing(&registry).is_none()
        };
        let policies = Policy::ALL.into_iter().filter(is_run).collect();
        Contest { profile: profile.to_owned(), policies, seeds: self.seeds, references: self.references }
    }

    /// What was run, and which policies could not be.
    fn head(&self) -> String {
        let mut head = format!(
            "{} seeds (1 to {}); {} networks; profiles: {}. Shares are shares of the bound: the least of what full packets \
             carry, of what the receive buffer lets through, and of the sum of the paths, each measured alone.\n\n",
            self.seeds,
            self.seeds,
            self.networks.len(),
            self.profiles.join(", ")
        );
        for (key, value) in &self.keys {
            let _ = writeln!(head, "Every network has `{key} = \"{value}\"`.\n");
        }
        if self.references == References::OfAnyBuild {
            head.push_str("`fill`, `lowest-rtt` and the paths alone may be those of earlier builds.\n\n");
        }
        let registry = live::registry();
        let missing = self.policies.iter().filter_map(|policy| Some((policy, policy.missing(&registry)?)));
        let missing: Vec<String> =
            missing.map(|(policy, (key, name))| format!("`{}` (no {key} `{name}`)", policy.name)).collect();
        if !missing.is_empty() {
            let _ = writeln!(
                head,
                "Left out, because the registry has not all their names: {}.\n",
                missing.join(", ")
            );
        }
        head
    }
}

/// The results by the networks' sets, in alphabetical order.
fn by_set(results: Vec<NetworkResult>) -> BTreeMap<String, Vec<NetworkResult>> {
    let mut sets = BTreeMap::<String, Vec<NetworkResult>>::new();
    for result in results {
        sets.entry(result.network.set().to_owned()).or_default().push(result);
    }
    sets
}
