//! The arguments of `emulate`.

use std::ffi::OsString;
use std::path::PathBuf;

use anabranch_base::Duration;
use clap::Args;

use super::quantity;
use super::{HostPort, Output};

/// `anabranch emulate`.
#[derive(Debug, Args)]
#[command(after_help = EMULATE_EXAMPLES)]
pub(crate) struct EmulateArguments {
    /// Scenario file, whose flows are ignored; `-` reads standard input
    pub scenario: PathBuf,
    /// Where to forward datagrams from the links: one address for all paths, or one per path
    #[arg(
        long,
        required_unless_present = "command",
        conflicts_with = "command",
        value_delimiter = ',',
        value_name = "HOST:PORT,…"
    )]
    pub to: Vec<HostPort>,
    /// Where to receive datagrams, one address per path (default: free ports of 127.0.0.1)
    #[arg(long, conflicts_with = "command", value_delimiter = ',', value_name = "ADDR:PORT,…")]
    pub listen: Vec<HostPort>,
    /// Stop after this time, in seconds or with a unit (default: on Ctrl-C)
    #[arg(long, conflicts_with = "command", value_name = "TIME", value_parser = quantity::seconds)]
    pub time: Option<Duration>,
    /// Change a value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Seed of the random numbers that decide which packets are lost
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Shell line to run at the far end of the paths; it starts before COMMAND and is ended after it
    #[arg(long, requires = "command", value_name = "LINE")]
    pub far: Vec<OsString>,
    /// Write the document of `--json` to a file, because standard output belongs to COMMAND
    #[arg(long, requires = "command", value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Program to run in a network namespace with one interface per path
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

impl EmulateArguments {
    /// The form of the result. A relay prints its addresses first, so each document is one line.
    pub(crate) fn result_output(&self) -> Output {
        let is_relay = self.command.is_empty();
        Output { json_lines: self.output.json_lines || (is_relay && self.output.is_json()), ..self.output }
    }

    /// The changes to the scenario, the settings first.
    pub(crate) fn changes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.settings.iter().cloned().chain(seed).collect()
    }
}

const EMULATE_EXAMPLES: &str = "\
With --to the command is a relay for UDP: a program sends to the address of a path instead of to the
other program. The other program sees each client of a path at a separate port and sends its answers
to that port.

With COMMAND (Linux) the links are interfaces, which any program can use: COMMAND runs in a network
namespace with one interface per path, named after the path; the far ends are in a second namespace.
Both namespaces end with COMMAND. Path N has the addresses 10.77.N.1 near and 10.77.N.2 far, and
fd77:0:0:N::1 and ::2. COMMAND and LINE find the addresses in ANABRANCH_NEAR and ANABRANCH_FAR, and
the far namespace in ANABRANCH_FAR_NET (`nsenter --net=$ANABRANCH_FAR_NET`). A report on the links
goes to standard error; with --json it goes to standard output, and the output of COMMAND goes to
standard error. Root rights are not needed where users may create namespaces.

The scenario's clock starts with the first packet.

Examples:
  between send and recv:    anabranch recv --listen 127.0.0.1:7000
                            anabranch emulate scenarios/wifi-lte.toml --to 127.0.0.1:7000 \\
                                --listen 127.0.0.1:7001,127.0.0.1:7002
                            anabranch send FILE --to 127.0.0.1:7001,127.0.0.1:7002
  for ten minutes:          anabranch emulate radio.toml --to 192.0.2.1:5000 --time 600 --json
  one ping:                 anabranch emulate scenarios/wifi-lte.toml -- ping -c 3 10.77.1.2
  TCP over one of them:     anabranch emulate scenarios/wifi-lte.toml --far 'iperf3 -s' \\
                                -- iperf3 -c 10.77.2.2
  a shell:                  anabranch emulate scenarios/wifi-lte.toml -- bash

Exit status: that of COMMAND; without COMMAND, or if it could not be run, 0 success, 1 failure,
2 invalid input, 130 after Ctrl-C.";
