//! The arguments of `predict`.

use std::path::PathBuf;

use anabranch_models::RoundLoss;
use anabranch_sim::predict::Model;
use clap::{Args, ValueEnum};

use super::Output;

/// `anabranch predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub(crate) struct PredictArguments {
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

/// A model by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelName {
    /// Windows round by round, exactly (Wallace and Shami)
    Markov,
    /// The mean sawtooth of a window (Wallace and Shami)
    Renewal,
    /// The formula for TCP of Padhye and others; a send rate
    Pftk,
    /// Coupled windows in one receive buffer (Liu and others); a send rate
    Mptcp,
}

/// The correlation of losses within one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoundLossName {
    /// Each packet is lost independently of the others
    Independent,
    /// After the first lost packet of a round, all are lost
    Correlated,
}

impl RoundLossName {
    /// The model's type.
    pub(crate) fn round_loss(self) -> RoundLoss {
        match self {
            RoundLossName::Independent => RoundLoss::Independent,
            RoundLossName::Correlated => RoundLoss::Correlated,
        }
    }
}

impl ModelName {
    /// The model's type.
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
    pub(crate) fn selected(&self) -> Vec<Model> {
        let named: Vec<Model> = self.models.iter().map(|name| name.model()).collect();
        Model::ALL.into_iter().filter(|model| named.is_empty() || named.contains(model)).collect()
    }
}

const PREDICT_EXAMPLES: &str = "\
The models use the rate, the delay and the mean loss of each path, and the receive buffer. They do not
model queues, or the start and the end of a transfer. A note names each feature of the scenario that a
model leaves out, or the reason why a model gives no result. Throughput counts whole packets; goodput
counts user data.

Examples:
  anabranch predict scenarios/wifi-lte.toml
  with more loss:         anabranch predict scenarios/wifi-lte.toml --set link.wifi.loss=0.01
  one model:              anabranch predict scenarios/wifi-lte.toml \\
                              --model markov --loss-model correlated
  for a script:           anabranch predict scenarios/wifi-lte.toml --json";
