//! The arguments of `predict` and `plan`. This module parses and does nothing else.

use std::path::PathBuf;

use anabranch_models::RoundLoss;
use anabranch_planner::{Method, StepSet};
use anabranch_sim::predict::{LimitModel, Model, PlanQuestion};
use clap::{Args, ValueEnum};

use super::{Output, Timing};

/// `anabranch predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArguments {
    /// Scenario file; `-` reads standard input
    pub scenario: PathBuf,
    /// The models to use (default: all)
    #[arg(long = "model", value_name = "NAME,…", value_delimiter = ',')]
    pub models: Vec<ModelName>,
    /// Loss model within one round, for the Markov model
    #[arg(long, value_name = "NAME", default_value = "independent")]
    pub loss_model: RoundLossName,
    /// Change a value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch plan`.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct PlanArguments {
    /// Scenario file; `-` reads standard input
    pub scenario: PathBuf,
    /// Method that chooses the limits
    #[arg(long, value_name = "NAME", default_value = "exact")]
    pub method: MethodName,
    /// With --method step, try only every K-th limit
    #[arg(long, value_name = "K", required_if_eq("method", "step"), value_parser = clap::value_parser!(u32).range(1..))]
    pub step: Option<u32>,
    /// Model that computes the throughput of a path at a limit
    #[arg(long, value_name = "NAME", default_value = "markov")]
    pub model: WindowModelName,
    /// Loss model within one round, for the Markov model
    #[arg(long, value_name = "NAME", default_value = "independent")]
    pub loss_model: RoundLossName,
    /// Write the scenario with the limits to a file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    pub write: Option<PathBuf>,
    /// Draw throughput over the limit and over the receive buffer
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Change a value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Times of the machine.
    #[command(flatten)]
    pub timing: Timing,
    /// The form of the output.
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

/// The correlation of losses within one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoundLossName {
    /// Each packet is lost independently of the others
    Independent,
    /// After the first lost packet of a round, all are lost
    Correlated,
}

/// The method that chooses the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// The optimum, by dynamic programming
    Exact,
    /// The optimum, by trying all combinations
    BruteForce,
    /// The best combination of every K-th limit
    Step,
    /// Close to the optimum, for problems of any size
    Hull,
}

impl RoundLossName {
    /// The same as the models' type.
    pub fn round_loss(self) -> RoundLoss {
        match self {
            RoundLossName::Independent => RoundLoss::Independent,
            RoundLossName::Correlated => RoundLoss::Correlated,
        }
    }
}

impl ModelName {
    /// The same as the models' type.
    fn model(self) -> Model {
        match self {
            ModelName::Markov => Model::Markov,
            ModelName::Renewal => Model::Renewal,
            ModelName::Pftk => Model::Pftk,
            ModelName::Mptcp => Model::Mptcp,
        }
    }
}

impl PredictArguments {
    /// The requested models, each once, in the order of documents.
    pub fn wanted(&self) -> Vec<Model> {
        let named: Vec<Model> = self.models.iter().map(|name| name.model()).collect();
        Model::ALL.into_iter().filter(|model| named.is_empty() || named.contains(model)).collect()
    }
}

impl PlanArguments {
    /// How the plan is made.
    pub fn question(&self) -> PlanQuestion {
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

const PREDICT_EXAMPLES: &str = "\
The models use the rate, the delay and the mean loss of each path, and the receive buffer; they do
not model queues, the start or the end of a transfer. A note names each feature of the scenario that
a model leaves out, or the reason why a model gives no result. Throughput counts whole packets,
goodput counts user data.

Examples:
  anabranch predict scenarios/wifi-lte.toml
  with more loss:         anabranch predict scenarios/wifi-lte.toml --set link.wifi.loss=0.01
  one model:              anabranch predict scenarios/wifi-lte.toml \\
                              --model markov --loss-model correlated
  for a script:           anabranch predict scenarios/wifi-lte.toml --json";

const PLAN_EXAMPLES: &str = "\
If the windows of all paths together exceed the receive buffer, the paths stall one another. The
plan gives the largest window of each path, in packets, with which the total throughput is highest.
The certificate bounds how much better any other limits could be.

Examples:
  in a small buffer:      anabranch plan scenarios/wifi-lte.toml \\
                              --set 'flow.main.sctp.receive_buffer=128 KiB'
  as a picture:           anabranch plan scenarios/wifi-lte.toml --plot plan.svg
  simulate the plan:      anabranch plan scenarios/wifi-lte.toml --write - | anabranch sim -
  in coarse steps:        anabranch plan scenarios/wifi-lte.toml --method step --step 10";
