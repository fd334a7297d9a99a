//! The tournament of sending policies: all of them on the same networks, each path alone beside them, and what is asked of
//! a policy there (docs/tournament.md).

pub mod bound;
mod class_table;
pub mod contest;
pub mod course;
pub mod draw;
mod drawn;
pub mod found;
pub mod gate;
pub(crate) mod least_p99;
pub mod measured;
pub mod network;
pub mod policy;
pub(crate) mod published;
mod published_table;
#[cfg(test)]
mod sample;
mod scenario_text;
pub mod sets;
pub mod start;
pub mod table;

use std::collections::BTreeMap;
use std::fmt::Write;

use anabranch_planner::live;
use anabranch_runs::grid::GridError;
use anabranch_runs::kept_runs::{KeepError, KeptRuns};
use anabranch_scenario::ScenarioError;

use self::contest::{Contest, ContestValues, Form, NetworkResult, References};
use self::network::Network;
use self::policy::Policy;

/// The settings of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Tournament {
    /// The networks, those of a set together.
    pub networks: Vec<Network>,
    /// Keys of `[flow.sctp]` that all of them have besides, as strings.
    pub keys: Vec<(String, String)>,
    /// The profiles.
    pub profiles: Vec<String>,
    /// The congestion controls; none for that of the profile.
    pub controls: Vec<String>,
    /// The policies asked for; in the whole form, `fill` and `lowest-rtt` are run with them.
    pub policies: Vec<Policy>,
    /// The number of seeds.
    pub seeds: u64,
    /// The accepted runs of `fill`, `lowest-rtt` and the paths alone.
    pub references: References,
    /// The form of the contest.
    pub form: Form,
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
        "there is no network {id:?}; ids are core-00 to core-53, drawn-2026-00 to drawn-2026-39, published-16-00 to published-16-31, and \
         drawn-SEED-00 to drawn-SEED-39"
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
    /// A network whose bound cannot be computed.
    #[error("there is no bound: {what}")]
    NoBound {
        /// The obstacle.
        what: &'static str,
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
        let mut scores = Vec::new();
        for profile in &self.profiles {
            for contest in self.contests(profile) {
                let results = contest.run(&networks, kept)?;
                for (set, results) in by_set(results) {
                    page.push_str(&self.section(&set, &contest, &results));
                    scores.push((set, contest.clone(), results));
                }
            }
        }
        if self.form == Form::Brief {
            let _ = writeln!(page, "### By class\n\n{}", class_table::over_sets(&scores));
            let _ = writeln!(page, "{}", class_table::messages(&scores));
        }
        Ok(page)
    }

    /// The tables of one set.
    fn section(&self, set: &str, contest: &Contest, results: &[NetworkResult]) -> String {
        let checks: usize = results.iter().map(|result| result.network.gates.len()).sum();
        let mut text =
            format!("### {set}, {}: {} networks, {checks} checks\n\n", contest.title(), results.len());
        let _ = writeln!(text, "{}", table::by_gate(contest, results));
        let _ = writeln!(text, "{}", class_table::by_class(contest, results));
        match self.form {
            Form::Whole => {
                let _ = writeln!(text, "{}", table::by_network(contest, results));
            }
            Form::Brief => {
                for number in 0..contest.policies.len() {
                    let _ = writeln!(text, "{}", class_table::by_network(contest, results, number));
                }
            }
        }
        if results.iter().any(|result| result.network.published.is_some()) {
            let _ = writeln!(text, "{}", published_table::by_pair(contest, results));
        }
        text
    }

    /// The contests on a profile, one a control.
    fn contests(&self, profile: &str) -> Vec<Contest> {
        let contest =
            |control: Option<&String>| Contest { control: control.cloned(), ..self.contest(profile) };
        match &self.controls[..] {
            [] => vec![contest(None)],
            controls => controls.iter().map(|control| contest(Some(control))).collect(),
        }
    }

    /// The policies that exist, on a profile.
    fn contest(&self, profile: &str) -> Contest {
        let registry = live::registry();
        let is_run = |policy: &Policy| {
            let is_reference =
                self.form == Form::Whole && [Policy::FILL, Policy::LOWEST_RTT].contains(policy);
            let is_wanted = self.policies.contains(policy) || is_reference;
            is_wanted && policy.missing(&registry).is_none()
        };
        let policies = Policy::ALL.into_iter().filter(is_run).collect();
        Contest {
            profile: profile.to_owned(),
            control: None,
            policies,
            seeds: self.seeds,
            references: self.references,
            form: self.form,
        }
    }

    /// Returns the heading: the runs, and the policies that could not run.
    fn head(&self) -> String {
        let mut head = format!(
            "{} seeds (1 to {}); {} networks; profiles: {}. Shares are shares of the physical bound: what full packets carry \
             over all links, less what these lose, and as far as the buffer lets them through.\n\n",
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
