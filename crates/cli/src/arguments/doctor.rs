//! The arguments of `doctor`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{HostPort, Output, Secrecy, SettingChanges, Via};

/// `anabranch doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("meeting").required(true).args(["to", "listen"])))]
pub(crate) struct DoctorArguments {
    /// Addresses of the host that runs `bench --serve`, `forward --serve`, `recv --keep` or `doctor --listen --answer`, with
    /// UDP port 9899 unless another is given
    #[arg(long, value_delimiter = ',', value_name = "HOST[:PORT],…")]
    pub to: Vec<HostPort>,
    /// Wait for the other end, at these addresses or interfaces (default: all)
    #[arg(long, num_args = 0.., value_delimiter = ',', value_name = "IFACE|ADDR[:PORT],…", conflicts_with = "via")]
    pub listen: Option<Vec<HostPort>>,
    /// Answer the measurement of the other end, which prints the findings
    #[arg(long, conflicts_with_all = ["light", "write", "report", "verify"])]
    pub answer: bool,
    /// Use this interface or local address; repeat for each link (default: all interfaces that are up). USE is
    /// `secondary` or `backup`, `max:SIZE`, or both with a comma, as for `anabranch send`
    #[arg(long, value_name = "IFACE|ADDR[=USE]")]
    pub via: Vec<Via>,
    /// The folder of this end for files, whose disk is measured by writing 64 MB or for half a second. Reading is not measured:
    /// what was just written would come from memory. `recv` measures its own
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    /// Send at most 2 MB over each link, for rates within 20 %
    #[arg(long)]
    pub light: bool,
    /// Write a scenario file of the measured links, for `anabranch sim`, `emulate` and `compare`
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Write a page with the measurement as charts
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Try the best of the simulated changes really, and say what it gave
    #[arg(long, conflicts_with = "light")]
    pub verify: bool,
    /// The protection of packets.
    #[command(flatten)]
    pub secrecy: Secrecy,
    /// The changes of settings.
    #[command(flatten)]
    pub settings: SettingChanges,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

const EXAMPLES: &str = "\
The measurement takes some 30 s, more where a queue is deep, and fills each link each way for some seconds.
It finds the rate, the delay, the queue and the losses of each link, which links share a bottleneck, and what
this machine and the other one limit; the simulator then runs these links with one setting changed at a time.
The other end needs this version, and only answers: it sends test packets where it is asked to, and says what
arrived. Other programs that use the links meanwhile change the result; what they took is said.

Examples:
  what makes it slow:     anabranch doctor --to server.example.org --key-file key
  on a metered link:      anabranch doctor --to 192.0.2.1 --via wwan0 --light
  keep the links:         anabranch doctor --to 192.0.2.1 --write network.toml
  then try a change:      anabranch sim network.toml --set sctp.scheduler=fill
  this end listens:       anabranch doctor --listen
  and the other answers:  anabranch doctor --answer --to 192.0.2.1

Exit status: 0 healthy, 1 nothing could be measured, 2 invalid input, 3 findings, 130 after Ctrl-C.";

#[cfg(test)]
mod tests {
    use crate::arguments::{Arguments, Command};
    use clap::Parser as _;

    fn parsed(line: &str) -> Result<Command, String> {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let words = ["anabranch", "doctor"].into_iter().chain(words);
        Arguments::try_parse_from(words).map(|arguments| arguments.command).map_err(|error| error.to_string())
    }

    #[test]
    fn either_end_listens_and_either_measures() {
        for line in [
            "--to 192.0.2.1",
            "--listen",
            "--listen eth0,wwan0",
            "--answer --to 192.0.2.1",
            "--answer --listen",
        ] {
            assert!(parsed(line).is_ok(), "{line}");
        }
        for line in
            ["", "--to 192.0.2.1 --listen", "--answer --to 192.0.2.1 --write a.toml", "--listen --via eth0"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
