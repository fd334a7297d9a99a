//! What the command line may say to `emulate`. It parses and does nothing else.

use std::ffi::OsString;
use std::path::PathBuf;

use anabranch_base::Duration;
use clap::Args;

use super::{HostPort, Output};
use crate::quantity;

/// `anabranch emulate`.
#[derive(Debug, Args)]
#[command(after_help = EMULATE_EXAMPLES)]
pub struct EmulateArguments {
    /// The scenario file; its flows play no part here. `-` is standard input
    pub scenario: PathBuf,
    /// Where datagrams go that came over the links: one address for all paths, or one a path
    #[arg(
        long,
        required_unless_present = "command",
        conflicts_with = "command",
        value_delimiter = ',',
        value_name = "HOST:PORT,…"
    )]
    pub to: Vec<HostPort>,
    /// Where programs send to, one address a path (default: ports of 127.0.0.1 that the system chooses)
    #[arg(long, conflicts_with = "command", value_delimiter = ',', value_name = "ADDR:PORT,…")]
    pub listen: Vec<HostPort>,
    /// End after this time (default: on Ctrl-C)
    #[arg(long, conflicts_with = "command", value_name = "TIME", value_parser = quantity::span)]
    pub time: Option<Duration>,
    /// A value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Which packets are lost
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A shell line that begins at the far end of the paths before COMMAND does, and is ended after it
    #[arg(long, requires = "command", value_name = "LINE")]
    pub far: Vec<OsString>,
    /// Write the document of `--json` into a file: standard output is COMMAND's
    #[arg(long, requires = "command", value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// A program that runs in a network of its own, with an interface a path
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

impl EmulateArguments {
    /// How the result is printed: a relay first prints where it listens, so that each document is one line.
    pub fn result_output(&self) -> Output {
        let is_relay = self.command.is_empty();
        Output { json_lines: self.output.json_lines || (is_relay && self.output.is_json()), ..self.output }
    }

    /// All changes to the scenario, the settings first.
    pub fn changes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.settings.iter().cloned().chain(seed).collect()
    }
}

const EMULATE_EXAMPLES: &str = "\
With --to it is a relay: a program that sends UDP sends to the address of a path instead of to the
other program. Each client of a path is shown to the other program at a port of its own, to which
answers go back.

With COMMAND (Linux) the links are interfaces, for any program: COMMAND runs in a network of its own
with an interface a path, named after it; the far ends are in a second one. Both are gone when it
ends. Path N has the addresses 10.77.N.1 near and 10.77.N.2 far, and fd77:0:0:N::1 and ::2. COMMAND
and LINE find them in ANABRANCH_NEAR and ANABRANCH_FAR, and the other network in ANABRANCH_FAR_NET
(`nsenter --net=$ANABRANCH_FAR_NET`). What the links did is told on
standard error; with --json it is told on standard output, and what COMMAND prints goes to standard
error. It needs no root where users may have namespaces.

The scenario's clock runs from the first packet.

Examples:
  between send and recv:    anabranch recv --listen 127.0.0.1:7000
                            anabranch emulate scenarios/wifi-lte.toml --to 127.0.0.1:7000 \\
                                --listen 127.0.0.1:7001,127.0.0.1:7002
                            anabranch send FILE --to 127.0.0.1:7001,127.0.0.1:7002
  for ten minutes:          anabranch emulate radio.toml --to 192.0.2.1:5000 --time '600 s' --json
  a look around:            anabranch emulate scenarios/wifi-lte.toml -- ping -c 3 10.77.1.2
  TCP over one of them:     anabranch emulate scenarios/wifi-lte.toml --far 'iperf3 -s' \\
                                -- iperf3 -c 10.77.2.2
  a shell among the links:  anabranch emulate scenarios/wifi-lte.toml -- bash

Exit status: COMMAND's own; without COMMAND, or where it could not be run, 0 done, 1 the work failed,
2 the input is wrong, 130 after Ctrl-C.";
