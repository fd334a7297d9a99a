//! What the command line may say to `demo` and `compare`. It parses and does nothing else.

use std::path::PathBuf;

use anabranch_sctp::config::Encapsulation;
use clap::Args;

use super::Output;

/// `anabranch demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArguments {
    /// A value of the demonstration's scenario, such as link.lte.delay="80 ms"; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// What lies around packets.
    #[command(flatten)]
    pub around: Around,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArguments {
    /// The scenario file, with one SCTP flow; `-` is standard input
    pub scenario: PathBuf,
    /// A value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Only all paths together, none of them alone
    #[arg(long)]
    pub together: bool,
    /// Transfer between interfaces in two networks of their own instead of over loopback (Linux)
    #[arg(long)]
    pub tun: bool,
    /// What lies around packets.
    #[command(flatten)]
    pub around: Around,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// What lies around packets, simulated and real.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Around {
    /// Plain SCTP in UDP instead of sealed packets, simulated and real
    #[arg(long)]
    insecure: bool,
}

impl Around {
    /// What a scenario calls it.
    pub fn encapsulation(self) -> Encapsulation {
        if self.insecure { Encapsulation::Udp } else { Encapsulation::Sealed }
    }
}

const DEMO_EXAMPLES: &str = "\
It needs no second host and no privileges: sender, receiver and the emulated links between them run
in this process, on loopback. The scenario is scenarios/wifi-lte.toml.

Examples:
  anabranch demo
  what if LTE were slower:    anabranch demo --set 'link.lte.rate=4 Mbit/s'
  for a script:               anabranch demo --json";

const COMPARE_EXAMPLES: &str = "\
The real transfers run on loopback, through a relay that holds every packet as long as the
scenario's links do. A transfer during which the relay was late (more than 1 in 100 packets by over
2 ms) is void and repeated up to three times.

Examples:
  anabranch compare scenarios/wifi-lte.toml
  all paths together only:    anabranch compare scenarios/failover.toml --together
  between interfaces:         anabranch compare scenarios/wifi-lte.toml --tun";
