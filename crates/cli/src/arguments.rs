//! What the command line may say. It parses and does nothing else: no name is looked up, no file opened.

mod models;

pub use models::{LossModel, MethodName, ModelName, PlanArguments, PredictArguments, WindowModelName};

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::PathBuf;
use std::str::FromStr;

use anabranch_base::Duration;
use anabranch_scenario::model::Encapsulation;
use clap::{Args, Parser, Subcommand};

/// Bond several links and get their sum: moves files over every path between two hosts at once.
#[derive(Debug, Parser)]
#[command(name = "anabranch", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show it at work: a phone's two links, predicted, simulated and really used, in one table
    Demo(DemoArguments),
    /// Run a scenario in the simulator
    Sim(SimArguments),
    /// Say what the analytic models make of a scenario
    Predict(PredictArguments),
    /// Say how far each path's window should grow in the shared receive buffer
    Plan(PlanArguments),
    /// Put predicted, simulated and real in one table: each path of a scenario alone, and all together
    Compare(CompareArguments),
    /// Put a scenario's links between real programs: a relay for UDP, one listen address a path
    Emulate(EmulateArguments),
    /// Send files over every usable path to a host where `anabranch recv` runs
    Send(SendArguments),
    /// Receive files from `anabranch send`, check them and put them into a directory
    Recv(RecvArguments),
}

/// `anabranch demo`.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct DemoArguments {
    /// A value of the demonstration's scenario, such as link.lte.delay="80 ms"
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
    /// A value of the scenario, such as link.wifi.loss=0.01
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Only all paths together, none of them alone
    #[arg(long)]
    pub together: bool,
    /// What lies around packets.
    #[command(flatten)]
    pub around: Around,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch sim`.
#[derive(Debug, Args)]
#[command(after_help = SIM_EXAMPLES)]
pub struct SimArguments {
    /// The scenario file; `-` is standard input
    pub scenario: PathBuf,
    /// A value of the scenario, such as link.wifi.loss=0.01 or flow.main.sctp.scheduler=fill
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// How many independent replications
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// The first replication's seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Replicate until every flow's goodput is known to so many per cent (95 % confidence; 5 to 10,000 runs)
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Share>,
    /// Write a capture of the first replication for Wireshark, one interface a path
    #[arg(long, value_name = "DIR")]
    pub pcap: Option<PathBuf>,
    /// Write tables of the first replication: paths, links and packets over time
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// Write a page with charts of the first replication
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// On how many threads replications run (default: one a core); the results do not depend on it
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

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
    #[arg(long, value_name = "TIME", value_parser = crate::quantity::span)]
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

/// A share of a whole, written in per cent or as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

/// `anabranch send`.
#[derive(Debug, Args)]
#[command(after_help = SEND_EXAMPLES)]
pub struct SendArguments {
    /// Files to send one after another; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where `anabranch recv` listens: its addresses, UDP port 9899 unless told; IPv6 with a port in brackets
    #[arg(long, required = true, value_delimiter = ',', value_name = "HOST[:PORT],…")]
    pub to: Vec<Host>,
    /// Send from this interface or local address; repeat it for each link to use (default: all that are up)
    #[arg(long, value_name = "IFACE|ADDR")]
    pub via: Vec<String>,
    /// What the file is called at the receiver (with one FILE only; `-` is called `stdin` without)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Who may read and change what is sent.
    #[command(flatten)]
    pub secrecy: Secrecy,
    /// A setting of the protocol; `anabranch send --set help` lists them
    #[arg(long = "set", value_name = "sctp.KEY=VALUE")]
    pub settings: Vec<String>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch recv`.
#[derive(Debug, Args)]
#[command(after_help = RECV_EXAMPLES)]
pub struct RecvArguments {
    /// Addresses to listen on, UDP port 9899 unless told (default: those of all interfaces)
    #[arg(long, value_delimiter = ',', value_name = "ADDR[:PORT],…")]
    pub listen: Vec<Host>,
    /// Where files are put
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub dir: PathBuf,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// Go on after the first transfer, one at a time
    #[arg(long)]
    pub keep: bool,
    /// Who may read and change what is sent.
    #[command(flatten)]
    pub secrecy: Secrecy,
    /// A setting of the protocol; `anabranch send --set help` lists them
    #[arg(long = "set", value_name = "sctp.KEY=VALUE")]
    pub settings: Vec<String>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// Who may read and change what is sent.
#[derive(Clone, Debug, Default, Args)]
pub struct Secrecy {
    /// The file with the key that both ends have, for services; else the variable ANABRANCH_KEY
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub key_file: Option<PathBuf>,
    /// Plain SCTP in UDP (RFC 6951): everybody on the way can read and change it
    #[arg(long)]
    pub insecure: bool,
}

/// What lies around packets, simulated and real.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Around {
    /// Plain SCTP in UDP instead of sealed packets, simulated and real
    #[arg(long)]
    insecure: bool,
}

/// What is printed, and how.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Output {
    /// Print one JSON document on standard output; all else goes to standard error
    #[arg(long)]
    pub json: bool,
    /// Print one JSON object a second, then the document, each on a line
    #[arg(long)]
    pub json_lines: bool,
    /// Print nothing but errors (and JSON)
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell what happens to each path
    #[arg(short, long)]
    pub verbose: bool,
}

/// A host and a UDP port, not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// A name or an address.
    pub name: String,
    /// The UDP port, if one was given.
    pub port: Option<u16>,
}

impl Arguments {
    /// How the command's result is printed.
    pub fn output(&self) -> Output {
        match &self.command {
            Command::Demo(demo) => demo.output,
            Command::Sim(sim) => sim.output,
            Command::Predict(predict) => predict.output,
            Command::Plan(plan) => plan.output,
            Command::Compare(compare) => compare.output,
            Command::Emulate(emulate) => emulate.result_output(),
            Command::Send(send) => send.output,
            Command::Recv(recv) => recv.result_output(),
        }
    }
}

/// Whether somebody asks which settings `send` and `recv` have: `--set help`, whatever else is missing.
pub fn asks_for_settings(arguments: &[String]) -> bool {
    let is_asked = arguments.windows(2).any(|pair| pair == ["--set", "help"])
        || arguments.iter().any(|one| one == "--set=help");
    is_asked && matches!(arguments.get(1).map(String::as_str), Some("send" | "recv"))
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

impl SimArguments {
    /// All changes to the scenario, the settings first.
    pub fn changes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        let runs = self.runs.map(|runs| format!("run.runs={runs}"));
        self.settings.iter().cloned().chain(seed).chain(runs).collect()
    }
}

impl Around {
    /// What a scenario calls it.
    pub fn encapsulation(self) -> Encapsulation {
        if self.insecure { Encapsulation::Udp } else { Encapsulation::Sealed }
    }
}

impl FromStr for Share {
    type Err = String;

    /// `2%`, `2 %` or `0.02`.
    fn from_str(text: &str) -> Result<Share, String> {
        let expected = || format!("{text:?} is no share: expected one such as 2% or 0.02");
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(percent) => (percent.trim(), 0.01),
            None => (text.trim(), 1.0),
        };
        let share = number.parse::<f64>().map_err(|_| expected())? * scale;
        if share > 0.0 && share < 1.0 { Ok(Share(share)) } else { Err(expected()) }
    }
}

impl RecvArguments {
    /// How the result of a transfer is printed: the documents of many are a line each.
    pub fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.keep && self.output.json), ..self.output }
    }
}

impl Output {
    /// Whether standard output is for JSON only.
    pub fn is_json(self) -> bool {
        self.json || self.json_lines
    }
}

impl FromStr for Host {
    type Err = String;

    /// `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT` or `IPV6`.
    fn from_str(text: &str) -> Result<Host, String> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => bracketed(rest)?,
            // More than one colon is an IPv6 address without a port.
            None if text.parse::<Ipv6Addr>().is_ok() => (text, None),
            None => match text.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (text, None),
            },
        };
        if name.is_empty() {
            return Err("a host is missing: expected HOST or HOST:PORT".to_owned());
        }
        if name.contains(':') && name.parse::<IpAddr>().is_err() {
            return Err(format!("{name:?} is no IPv6 address; with a port, write [ADDRESS]:PORT"));
        }
        let port = port.map(parse_port).transpose()?;
        Ok(Host { name: name.to_owned(), port })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.contains(':'), self.port) {
            (true, Some(port)) => write!(f, "[{}]:{port}", self.name),
            (false, Some(port)) => write!(f, "{}:{port}", self.name),
            (_, None) => f.write_str(&self.name),
        }
    }
}

fn bracketed(rest: &str) -> Result<(&str, Option<&str>), String> {
    let (name, after) = rest.split_once(']').ok_or("a `]` is missing: expected [ADDRESS]:PORT")?;
    if name.parse::<Ipv6Addr>().is_err() {
        return Err(format!("{name:?} is no IPv6 address; other hosts need no brackets"));
    }
    match after.strip_prefix(':') {
        Some(port) => Ok((name, Some(port))),
        None if after.is_empty() => Ok((name, None)),
        None => Err(format!("{after:?} after `]`: expected :PORT")),
    }
}

fn parse_port(port: &str) -> Result<u16, String> {
    port.parse().map_err(|_| format!("{port:?} is no UDP port: expected 0 to 65535"))
}

const EXAMPLES: &str = "\
Examples:
  see two links at work:          anabranch demo
  try it in the simulator:        anabranch sim scenarios/wifi-lte.toml
  on the one host:                anabranch recv --dir inbox
  on the other, as recv says:     ANABRANCH_KEY=… anabranch send big.iso --to 192.0.2.1,198.51.100.1

`anabranch COMMAND --help` tells more. Exit status: 0 done, 1 the work failed, 2 the input is wrong,
130 after Ctrl-C.";

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
  all paths together only:    anabranch compare scenarios/failover.toml --together";

const SIM_EXAMPLES: &str = "\
The same scenario and seed give the same numbers on every machine, whatever --threads says.

Examples:
  anabranch sim scenarios/wifi-lte.toml
  with more loss:        anabranch sim scenarios/wifi-lte.toml --set link.wifi.loss=0.02
  how sure is that:      anabranch sim scenarios/wifi-lte.toml --until 2%
  what happened:         anabranch sim scenarios/wifi-lte.toml --report run.html --pcap captures";

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

const SEND_EXAMPLES: &str = "\
A pair of a local and a remote address is a path: the first --via with the first address of --to,
and so on; with one remote address, every --via with it. An interface that comes up meanwhile, or is
plugged in, is used too; one that goes is left. With --via INTERFACE those alone are followed, with
--via ADDRESS none.

Packets are sealed: only who has the key can read or change them. `anabranch recv` prints a fresh one
with the line to paste, as the variable ANABRANCH_KEY; services have theirs in a --key-file. It is never
an argument, which everybody on the host could see.

Examples:
  a server with two addresses:    anabranch send big.iso --to 192.0.2.1,198.51.100.1
  two uplinks to one address:     anabranch send big.iso --to server.example --via eth0 --via wwan0
  what another program prints:    tar c photos | anabranch send - --name photos.tar --to 192.0.2.1
  another port, for a script:     anabranch send big.iso --to [2001:db8::1]:7000 --json

Exit status: 0 the receiver stored everything and its SHA-256 is right, 1 something was not stored,
2 the input is wrong, 130 after Ctrl-C.";

const RECV_EXAMPLES: &str = "\
It prints the line to paste on the sender, with a fresh key unless one is given, and ends after one
transfer unless --keep is given. A file is written as NAME.part and gets its name when its SHA-256 is right. Nothing is overwritten unless
--force is given.

Examples:
  on all interfaces:              anabranch recv
  two addresses of this host:     anabranch recv --listen 192.0.2.1,198.51.100.1 --dir inbox
  go on, an object a transfer:    anabranch recv --listen 192.0.2.1:7000 --keep --json
  a service, with its own key:    (umask 077; openssl rand -hex 16 > service.key)
                                  anabranch recv --keep --key-file service.key";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn host(text: &str) -> Result<(String, Option<u16>), String> {
        text.parse::<Host>().map(|host| (host.name, host.port))
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn hosts_have_names_or_addresses_and_perhaps_ports() {
        let named = |name: &str, port| Ok((name.to_owned(), port));
        assert_eq!(host("10.0.0.1"), named("10.0.0.1", None));
        assert_eq!(host("server.example:7000"), named("server.example", Some(7000)));
        assert_eq!(host("::1"), named("::1", None));
        assert_eq!(host("[::1]"), named("::1", None));
        assert_eq!(host("[2001:db8::1]:9"), named("2001:db8::1", Some(9)));
    }

    #[test]
    fn what_is_no_host_is_refused_with_what_was_expected() {
        for (text, complaint) in [
            ("", "a host is missing"),
            (":80", "a host is missing"),
            ("a:b", "is no UDP port"),
            ("a:65536", "is no UDP port"),
            ("[::1", "a `]` is missing"),
            ("[a]:1", "is no IPv6 address"),
            ("[::1]x", "expected :PORT"),
            ("1:2:3", "is no UDP port"),
        ] {
            let error = host(text).expect_err(text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn a_host_is_shown_as_it_is_written() {
        for text in ["a", "a:1", "[::1]:1", "::1"] {
            assert_eq!(text.parse::<Host>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn shares_are_per_cent_or_numbers_between_nothing_and_all() {
        let share = |text: &str| text.parse::<Share>().map(|share| share.0).ok();
        assert_eq!(["2%", "2 %", "0.02"].map(share), [Some(0.02); 3]);
        assert_eq!(["", "%", "0", "-1%", "100%", "nan", "inf"].map(share), [None; 7]);
    }

    #[test]
    fn a_sender_takes_several_files_addresses_and_interfaces() {
        let line =
            "anabranch send a b --to 10.0.0.1,10.0.1.1:7 --via eth0 --via 10.0.0.9 --set sctp.mtu=1400 -v";
        let arguments = Arguments::try_parse_from(line.split(' ')).expect("a good line");
        let Command::Send(send) = arguments.command else { panic!("another command") };
        assert_eq!((send.files.len(), send.to.len(), send.via.len(), send.settings.len()), (2, 2, 2, 1));
        assert!(send.output.verbose && !send.output.is_json());
    }
}
