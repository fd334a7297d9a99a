//! The arguments of `plan`.

use std::path::PathBuf;

use anabranch_planner::{Method, StepSet};
use anabranch_sim::predict::{LimitModel, PlanQuestion};
use clap::{Args, ValueEnum};

use super::models::RoundLossName;
use super::{Output, Timing};

/// `anabranch plan`.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArguments {
    /// Scenario file; `-` reads standard input
    pub scenario: PathBuf,
    /// Method to choose the limits
    #[arg(long, value_name = "NAME", default_value = "exact")]
    pub method: MethodName,
    /// With --method step, try only every K-th limit
    #[arg(long, value_name = "K", required_if_eq("method", "step"), value_parser = clap::value_parser!(u32).range(1..))]
    pub step: Option<u32>,
    /// Model of a path's throughput at a limit
    #[arg(long, value_name = "NAME", default_value = "markov")]
    pub model: WindowModelName,
    /// Loss model within one round, for the Markov model
    #[arg(long, value_name = "NAME", default_value = "independent")]
    pub loss_model: RoundLossName,
    /// Write the scenario with the limits to a file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    pub write: Option<PathBuf>,
    /// Draw throughput by window limit and by receive buffer
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Change a value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// The computation times.
    #[command(flatten)]
    pub timing: Timing,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// A model of a path for every limit of its window, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WindowModelName {
    /// Windows round by round, exactly
    Markov,
    /// The mean sawtooth of a window
    Renewal,
}

/// The method that chooses the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
    /// The optimum, by dynamic programming
    Exact,
    /// The optimum, by trying all combinations
    BruteForce,
    /// The best combination of every K-th limit
    Step,
    /// Close to the optimum, for problems of any size
    Hull,
}

impl PlanArguments {
    /// Returns the method and the model of the plan.
    pub(crate) fn question(&self) -> PlanQuestion {
        let method = match self.method {
            MethodName::Exact => Method::Exact,
            MethodName::BruteForce => Method::BruteForce,
            MethodName::Hull => Method::Hull,
            MethodName::Step => Method::Step { step: self.step.unwrap_or(1), set: StepSet::default() },
        };
        let model = match self.model {
            WindowModelName::Markov => LimitModel::Markov,
            WindowModelName::Renewal => LimitModel::Renewal,
        };
        PlanQuestion { method, model, loss: self.loss_model.round_loss() }
    }
}

const PLAN_EXAMPLES: &str = "\
If the windows of all paths together exceed the receive buffer, the paths stall one another. The plan
gives a maximum window for each path, in packets, such that the total throughput is highest. The
certificate is an upper bound on the throughput of any other limits.

Examples:
  in a small buffer:      anabranch plan scenarios/wifi-lte.toml \\
                              --set 'flow.main.sctp.receive_buffer=128 KiB'
  as a picture:           anabranch plan scenarios/wifi-lte.toml --plot plan.svg
  simulate the plan:      anabranch plan scenarios/wifi-lte.toml --write - | anabranch sim -
  in coarse steps:        anabranch plan scenarios/wifi-lte.toml --method step --step 10";
