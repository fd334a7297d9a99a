//! What the command line may say to the analytic models and the planner. It parses and does nothing else.

use std::path::PathBuf;

use anabranch_models::RoundLoss;
use clap::{Args, ValueEnum};

use super::Output;

/// `anabranch predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArguments {
    /// The scenario file; `-` is standard input
    pub scenario: PathBuf,
    /// Which models (default: all of them)
    #[arg(long = "model", value_name = "NAME,…", value_delimiter = ',')]
    pub models: Vec<ModelName>,
    /// How losses of one round go together, for the Markov model
    #[arg(long, value_name = "NAME", default_value = "independent")]
    pub loss_model: RoundLossName,
    /// A value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch plan`.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct PlanArguments {
    /// The scenario file; `-` is standard input
    pub scenario: PathBuf,
    /// How limits are chosen
    #[arg(long, value_name = "NAME", default_value = "exact")]
    pub method: MethodName,
    /// Try every K-th limit only, with --method step
    #[arg(long, value_name = "K", required_if_eq("method", "step"), value_parser = clap::value_parser!(u32).range(1..))]
    pub step: Option<u32>,
    /// Which model says what a path carries at a limit
    #[arg(long, value_name = "NAME", default_value = "markov")]
    pub model: WindowModelName,
    /// How losses of one round go together, for the Markov model
    #[arg(long, value_name = "NAME", default_value = "independent")]
    pub loss_model: RoundLossName,
    /// Write the scenario file with the limits in it; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    pub write: Option<PathBuf>,
    /// Draw throughput by limit and by receive buffer
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// A value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// A model by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// Windows round by round, exactly (Wallace and Shami)
    Markov,
    /// The mean sawtooth of a window (Wallace and Shami)
    Renewal,
    /// The formula for TCP of Padhye and others; a send rate
    Pftk,
    /// Coupled windows in one receive buffer (Liu and others); a send rate
    Mptcp,
}

/// A model of a path for every limit of its window, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WindowModelName {
    /// Windows round by round, exactly
    Markov,
    /// The mean sawtooth of a window
    Renewal,
}

/// How losses of one round go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoundLossName {
    /// Each packet is lost for itself
    Independent,
    /// After the first lost packet of a round, all are lost
    Correlated,
}

/// How limits are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// The best of all, by dynamic programming
    Exact,
    /// The best of all, by trying all
    BruteForce,
    /// The best of every K-th
    Step,
    /// Near the best, however large the problem is
    Hull,
}

impl RoundLossName {
    /// As the models have it.
    pub fn round_loss(self) -> RoundLoss {
        match self {
            RoundLossName::Independent => RoundLoss::Independent,
            RoundLossName::Correlated => RoundLoss::Correlated,
        }
    }

    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            RoundLossName::Independent => "independent",
            RoundLossName::Correlated => "correlated",
        }
    }
}

impl ModelName {
    /// All of them, in the order of documents.
    pub const ALL: [ModelName; 4] =
        [ModelName::Markov, ModelName::Renewal, ModelName::Pftk, ModelName::Mptcp];

    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            ModelName::Markov => "markov",
            ModelName::Renewal => "renewal",
            ModelName::Pftk => "pftk",
            ModelName::Mptcp => "mptcp",
        }
    }
}

impl PredictArguments {
    /// The models that are wanted, each once, in the order of documents.
    pub fn wanted(&self) -> Vec<ModelName> {
        let is_wanted = |name: &ModelName| self.models.is_empty() || self.models.contains(name);
        ModelName::ALL.into_iter().filter(is_wanted).collect()
    }
}

const PREDICT_EXAMPLES: &str = "\
The models know for each path its rate, its delay and its mean loss, and a receive buffer: no queue,
no start, no end. What a scenario has beyond that is noted, or the reason why they say nothing.
Throughput counts whole packets, goodput user data.

Examples:
  anabranch predict scenarios/wifi-lte.toml
  with more loss:         anabranch predict scenarios/wifi-lte.toml --set link.wifi.loss=0.01
  one model:              anabranch predict scenarios/wifi-lte.toml \\
                              --model markov --loss-model correlated
  for a script:           anabranch predict scenarios/wifi-lte.toml --json";

const PLAN_EXAMPLES: &str = "\
Windows that are together larger than the receive buffer stall one another. The plan says how many
packets of it each path's window may take so that the paths carry most together; the certificate
says how much better any other limits could be at most.

Examples:
  in a small buffer:      anabranch plan scenarios/wifi-lte.toml \\
                              --set 'flow.main.sctp.receive_buffer=128 KiB'
  as a picture:           anabranch plan scenarios/wifi-lte.toml --plot plan.svg
  and try it:             anabranch plan scenarios/wifi-lte.toml --write - | anabranch sim -
  coarsely:               anabranch plan scenarios/wifi-lte.toml --method step --step 10";
