//! The arguments of `demo` and `compare`.

use std::path::PathBuf;

use anabranch_sctp::config::Encapsulation;
use clap::Args;

use super::Output;

/// `anabranch demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArguments {
    /// Change a value of the demo's scenario, such as link.lte.delay="80 ms"; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// The encapsulation of packets.
    #[command(flatten)]
    pub encapsulation: EncapsulationChoice,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// Scenario file with one SCTP flow; `-` reads standard input
    pub scenario: PathBuf,
    /// Change a value of the scenario, such as link.wifi.loss=0.01; `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Compare all paths together only, not each path alone
    #[arg(long)]
    pub together: bool,
    /// Transfer between interfaces in two network namespaces instead of over loopback (Linux)
    #[arg(long)]
    pub tun: bool,
    /// The encapsulation of packets.
    #[command(flatten)]
    pub encapsulation: EncapsulationChoice,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// The encapsulation of packets, simulated and real.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EncapsulationChoice {
    /// Use plain SCTP over UDP instead of sealed packets, simulated and real
    #[arg(long)]
    insecure: bool,
}

impl EncapsulationChoice {
    /// The value of the setting `encapsulation`.
    pub(crate) fn encapsulation(self) -> Encapsulation {
        if self.insecure { Encapsulation::Udp } else { Encapsulation::Sealed }
    }
}

const DEMO_EXAMPLES: &str = "\
The demo needs neither a second host nor privileges: sender, receiver and the emulated links between
them run in this process, on loopback. It takes about 80 seconds. The transfer over both links is
made five times. The scenario is scenarios/phone.toml.

Examples:
  anabranch demo
  with a slower LTE link:     anabranch demo --set 'link.lte.rate=4 Mbit/s'
  with the earlier profile:   anabranch demo --set flow.main.sctp.profile=tuned-1
  for a script:               anabranch demo --json";

const COMPARE_EXAMPLES: &str = "\
The real transfers run on loopback, through a relay that delays every packet as long as the
scenario's links do. If the relay was late during a transfer (by over 2 ms for more than 1 in 100
packets), the result is discarded and the transfer repeated, up to three times.

Examples:
  anabranch compare scenarios/wifi-lte.toml
  all paths together only:    anabranch compare scenarios/failover.toml --together
  between interfaces:         anabranch compare scenarios/wifi-lte.toml --tun";
