//! What the command line may say to `emulate`. It parses and does nothing else.

use std::path::PathBuf;

use anabranch_base::Duration;
use clap::Args;

use super::{Host, Output};
use crate::quantity;

/// `anabranch emulate`.
#[derive(Debug, Args)]
#[command(after_help = EMULATE_EXAMPLES)]
pub struct EmulateArguments {
    /// The scenario file; its flows play no part here. `-` is standard input
    pub scenario: PathBuf,
    /// Where datagrams go that came over the links: one address for all paths, or one a path
    #[arg(long, required = true, value_delimiter = ',', value_name = "HOST:PORT,…")]
    pub to: Vec<Host>,
    /// Where programs send to, one address a path (default: ports of 127.0.0.1 that the system chooses)
    #[arg(long, value_delimiter = ',', value_name = "ADDR:PORT,…")]
    pub listen: Vec<Host>,
    /// End after so long (default: with Ctrl-C)
    #[arg(long, value_name = "TIME", value_parser = quantity::span)]
    pub time: Option<Duration>,
    /// A value of the scenario, such as link.wifi.loss=0.01
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Which packets are lost
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

impl EmulateArguments {
    /// How the result is printed: where it listens has to be told first, so documents are a line each.
    pub fn result_output(&self) -> Output {
        Output { json_lines: self.output.is_json(), ..self.output }
    }

    /// All changes to the scenario, the settings first.
    pub fn changes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.settings.iter().cloned().chain(seed).collect()
    }
}

const EMULATE_EXAMPLES: &str = "\
Any program that sends UDP can be put on the links: it sends to the address of a path instead of to
the other program. Each client of a path is shown to the other program at a port of its own, to
which answers go back. The scenario's clock runs from the first datagram.

Examples:
  between send and recv:    anabranch recv --listen 127.0.0.1:7000
                            anabranch emulate scenarios/wifi-lte.toml --to 127.0.0.1:7000 \\
                                --listen 127.0.0.1:7001,127.0.0.1:7002
                            anabranch send FILE --to 127.0.0.1:7001,127.0.0.1:7002
  for ten minutes:          anabranch emulate radio.toml --to 192.0.2.1:5000 --time '600 s' --json";
