//! `tournament`: prints how sending policies compare.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use anabranch_runs::kept_runs::{KeptRuns, RunCounts, by_this_program};
use anabranch_runs::printing::{print, tell};
use clap::ValueEnum;

use crate::tournament::Tournament;
use crate::tournament::contest::{Form, References};
use crate::tournament::network::Network;
use crate::tournament::policy::{PROFILES, Policy};
use crate::tournament::sets::{SetName, ShippedSet};

/// Sending policies on 126 networks, beside what is possible there and each path alone (docs/tournament.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only these: core, drawn-2026, published-16, or drawn:SEED for forty networks drawn from a seed; with commas between
    /// them, or given several times
    #[arg(long = "set", alias = "sets", value_parser = SetName::parse, value_delimiter = ',', value_name = "SET")]
    sets: Vec<SetName>,
    /// Forty networks drawn from this seed, instead of the shipped sets or beside those that are named
    #[arg(long, value_name = "SEED")]
    draw: Option<u64>,
    /// Only this network, of any set; may be given several times
    #[arg(long = "network", value_name = "ID", value_delimiter = ',', conflicts_with_all = ["sets", "draw"])]
    networks: Vec<String>,
    /// Only this policy, and those that the gates compare with; may be given several times
    #[arg(long = "policy", alias = "policies", value_name = "NAME", value_delimiter = ',')]
    policies: Vec<String>,
    /// Only this profile; may be given several times
    #[arg(long = "profile", alias = "profiles", value_name = "NAME", value_delimiter = ',')]
    profiles: Vec<String>,
    /// Under this congestion control, whatever the profile's; may be given several times
    #[arg(long = "control", alias = "controls", value_name = "NAME", value_delimiter = ',')]
    controls: Vec<String>,
    /// Run the policies alone, and no path by itself but where results were published; shares by network and by class
    #[arg(long)]
    brief: bool,
    /// A key of [flow.sctp] that every network has, such as mtu_discovery=on, which the shipped ones turn off; its value
    /// is a string; may be given several times
    #[arg(long = "key", value_name = "KEY=VALUE", value_parser = key_and_value)]
    keys: Vec<(String, String)>,
    /// Seeds 1 to N
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Keep what every run gave in this folder, and make no run that this very program kept there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take `fill`, `lowest-rtt` and the paths alone as an earlier build left them in the folder, where it did: for work on
    /// one policy
    #[arg(long, requires = "out")]
    old_references: bool,
    /// Print the scenario of this network and run nothing; with the first of `--profile` and `--policy`, if there is one
    #[arg(long, value_name = "ID")]
    show: Option<String>,
}

/// Prints it.
///
/// # Errors
/// An unknown network or policy, a run that cannot be made or kept, or output that is not taken.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(id) = &arguments.show {
        print(&arguments.scenario(id)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tournament = Tournament {
        networks: arguments.networks()?,
        keys: arguments.keys.clone(),
        profiles: arguments.profiles(),
        controls: arguments.controls.clone(),
        policies: arguments.policies()?,
        seeds: arguments.seeds,
        references: if arguments.old_references { References::OfAnyBuild } else { References::OfThisBuild },
        form: if arguments.brief { Form::Brief } else { Form::Whole },
    };
    let mut kept = match &arguments.out {
        Some(folder) => KeptRuns::in_folder(folder, &by_this_program()?)?,
        None => KeptRuns::in_memory(),
    };
    tell_of_rows(kept.counts());
    print(&tournament.page(&mut kept)?)?;
    let RunCounts { taken, made, .. } = kept.counts();
    tell(&format!("{taken} runs taken, {made} made"));
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn networks(&self) -> Result<Vec<Network>, Box<dyn Error>> {
        if !self.networks.is_empty() {
            return Ok(self.networks.iter().map(|id| Network::find(id)).collect::<Result<_, _>>()?);
        }
        let mut sets = self.sets.clone();
        sets.extend(self.draw.map(SetName::Drawn));
        if sets.is_empty() {
            sets.extend(ShippedSet::value_variants().iter().copied().map(SetName::Shipped));
        }
        let mut networks = Vec::new();
        for set in sets {
            networks.extend(set.read()?.networks);
        }
        Ok(networks)
    }

    fn profiles(&self) -> Vec<String> {
        if !self.profiles.is_empty() {
            return self.profiles.clone();
        }
        PROFILES.into_iter().filter(|profile| Policy::is_profile(profile)).map(str::to_owned).collect()
    }

    fn policies(&self) -> Result<Vec<Policy>, Box<dyn Error>> {
        if self.policies.is_empty() {
            return Ok(Policy::ALL.to_vec());
        }
        Ok(self.policies.iter().map(|name| Policy::find(name)).collect::<Result<_, _>>()?)
    }

    fn scenario(&self, id: &str) -> Result<String, Box<dyn Error>> {
        let network = Network::find(id)?.with(&self.keys);
        let profile = self.profiles.first().map_or(PROFILES[0], String::as_str);
        let policy = self.policies.first().map_or(Ok(Policy::DEFAULT), |name| Policy::find(name))?;
        Ok(network.scenario(&policy.settings(profile)))
    }
}

/// `KEY=VALUE`.
fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("KEY=VALUE, for example mtu_discovery=on")?;
    Ok((key.trim().to_owned(), value.trim().trim_matches('"').to_owned()))
}

/// Reports the rows of the folder that are not used.
fn tell_of_rows(counts: RunCounts) {
    let RunCounts { foreign, damaged, .. } = counts;
    if foreign > 0 {
        tell(&format!("{foreign} kept runs are of other builds of this program"));
    }
    if damaged > 0 {
        tell(&format!("{damaged} lines of kept runs are cut off or damaged, and are not used"));
    }
}
