//! The arguments of `forward`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use anabranch_base::{BitRate, ByteCount};
use anabranch_forward::{Allowance, Destination, ReverseAllowance};
#[cfg(target_os = "linux")]
use anabranch_transparent::{Except, Taken};
use clap::{ArgGroup, Args};

use super::{HostPort, Output, Secrecy, SettingChanges, Via};

/// `anabranch forward`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE, group = ArgGroup::new("role").required(true).multiple(true).args(["serve", "to", "bind", "release"]))]
pub(crate) struct ForwardArguments {
    /// Connect to destinations for the other end: this is the server
    #[arg(long)]
    pub serve: bool,
    /// Addresses of the other end, with UDP port 9899 unless another is given
    #[arg(long, value_delimiter = ',', value_name = "HOST[:PORT],…", conflicts_with = "bind")]
    pub to: Vec<HostPort>,
    /// Wait for the other end on these addresses or interfaces, with UDP port 9899 unless another is given; `--serve`
    /// without `--to` waits on all
    #[arg(long, value_delimiter = ',', num_args = 0..=1, value_name = "IFACE|ADDR[:PORT],…")]
    pub bind: Option<Vec<HostPort>>,
    /// Use this interface or local address; repeat for each link (default: all interfaces that are up). USE is
    /// `backup`, `secondary`, `max:SIZE`, or two with a comma, as for `anabranch send`
    #[arg(long, value_name = "IFACE|ADDR[=USE]", requires = "to")]
    pub via: Vec<Via>,
    /// Serve SOCKS5 to programs of this host, on 127.0.0.1 unless an address is given
    #[arg(long, value_name = "[ADDR:]PORT", conflicts_with = "serve")]
    pub socks: Vec<LocalPort>,
    /// Serve HTTP CONNECT to programs of this host
    #[arg(long, value_name = "[ADDR:]PORT", conflicts_with = "serve")]
    pub http: Vec<LocalPort>,
    /// Carry TCP connections to this port on to HOST, as the server knows it
    #[arg(long, value_name = "[ADDR:]PORT=HOST:PORT", conflicts_with = "serve")]
    pub listen: Vec<PortMapping>,
    /// Carry UDP datagrams to this port on to HOST, as the server knows it
    #[arg(long, value_name = "[ADDR:]PORT=HOST:PORT", conflicts_with = "serve")]
    pub udp: Vec<PortMapping>,
    /// Open a TCP port of the server, and carry its connections to HOST, as this host knows it
    #[arg(long, value_name = "[ADDR:]PORT=HOST:PORT", conflicts_with = "serve")]
    pub reverse: Vec<PortMapping>,
    /// Let anybody answer datagrams, not their destination alone
    #[arg(long, conflicts_with = "serve")]
    pub full_cone: bool,
    /// Carry flows of programs that have no settings for it, of Linux: `host`, `uid=NAME`, `cgroup=PATH`, `port=443`,
    /// `from=NET|IFACE` (a network behind this host), `to=NET` (private destinations too). Needs root or CAP_NET_ADMIN
    #[cfg(target_os = "linux")]
    #[arg(long, value_delimiter = ',', num_args = 0..=1, default_missing_value = "host", value_name = "WHAT,…", conflicts_with = "serve")]
    pub transparent: Vec<Taken>,
    /// Leave these destinations beside the bond
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "NET[:PORTS]", requires = "transparent")]
    pub except: Vec<Except>,
    /// Let nothing leave beside the bond, also when this program has ended, until --release
    #[cfg(target_os = "linux")]
    #[arg(long, requires = "transparent")]
    pub strict: bool,
    /// Remove the rules that --transparent and --strict left, and exit
    #[cfg(target_os = "linux")]
    #[arg(long, exclusive = true)]
    pub release: bool,
    /// Permit destinations beyond the public internet: a network or address, with ports if only these; `all`; repeat for
    /// each
    #[arg(long, value_name = "NET[:PORTS]", requires = "serve")]
    pub allow: Vec<Allowance>,
    /// Permit clients to open TCP ports of this host with --reverse
    #[arg(long, value_name = "[CLIENT@]PORTS", requires = "serve")]
    pub allow_reverse: Vec<ReverseAllowance>,
    /// Admit the clients of this file, each with a name and a key of its own; the file is read again when it changes
    #[arg(long, value_name = "FILE", requires = "serve", conflicts_with_all = ["insecure", "key_file", "to"])]
    pub clients: Option<PathBuf>,
    /// Serve metrics to Prometheus by HTTP at this port, on 127.0.0.1 unless an address is given, under /metrics
    #[arg(long, value_name = "[ADDR:]PORT")]
    pub metrics: Option<LocalPort>,
    /// Read options from this TOML file, under their long names: those of the command line are added, or replace them
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Add a client to the file of --clients, print the key for it, and exit
    #[arg(long, value_name = "NAME", requires = "clients", conflicts_with = "to")]
    pub add_client: Option<String>,
    /// Limit the flows of each client (default: 10000)
    #[arg(long, value_name = "N", requires = "serve")]
    pub max_flows: Option<usize>,
    /// Limit the rate of each client, both directions together, such as "10 Mbit/s", 500k or 2M (bits per second)
    #[arg(long, value_name = "RATE", requires = "serve", value_parser = super::quantity::rate)]
    pub limit_rate: Option<BitRate>,
    /// Limit the memory for the buffers of each client, at least 1 MB (default: 128 MB); the oldest bond of a client ends where
    /// a newer one does not fit beside it
    #[arg(long, value_name = "SIZE", requires = "serve", value_parser = memory)]
    pub limit_memory: Option<ByteCount>,
    /// The protection of packets.
    #[command(flatten)]
    pub secrecy: Secrecy,
    /// The changes of settings.
    #[command(flatten)]
    pub settings: SettingChanges,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Report events of the paths
    #[arg(short, long)]
    pub verbose: bool,
}

/// A TCP or UDP port at which this program or its server listens: on loopback unless an address is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalPort {
    /// The address.
    pub address: SocketAddr,
}

/// A port, and the destination of what arrives there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortMapping {
    /// The port.
    pub at: LocalPort,
    /// The destination.
    pub to: Destination,
}

impl ForwardArguments {
    /// The form of the output: `forward` has no result, so that nothing is printed but notices.
    pub(crate) fn output(&self) -> Output {
        Output { quiet: self.quiet, verbose: self.verbose, ..Output::default() }
    }

    /// Returns true unless it does one thing and exits.
    pub(crate) fn runs_on(&self) -> bool {
        #[cfg(target_os = "linux")]
        if self.release {
            return false;
        }
        self.add_client.is_none()
    }

    /// The most flows of a client.
    pub(crate) fn most_flows(&self) -> usize {
        self.max_flows.unwrap_or(10_000)
    }

    /// The most memory of a client; `None` at the end with the programs.
    pub(crate) fn most_memory(&self) -> Option<ByteCount> {
        self.serve.then(|| self.limit_memory.unwrap_or(ByteCount::new(128_000_000)))
    }

    /// Returns true if flows are carried that have no settings for it.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_transparent(&self) -> bool {
        !self.transparent.is_empty()
    }

    /// No other system leads flows here.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_transparent(&self) -> bool {
        false
    }

    /// Checks that the end with the programs has a port for them.
    ///
    /// # Errors
    /// It has none.
    pub(crate) fn check(&self) -> Result<(), String> {
        let ports =
            [self.socks.len(), self.http.len(), self.listen.len(), self.udp.len(), self.reverse.len()];
        let of_server = [
            ("--allow", !self.allow.is_empty()),
            ("--allow-reverse", !self.allow_reverse.is_empty()),
            ("--clients", self.clients.is_some()),
            ("--max-flows", self.max_flows.is_some()),
            ("--limit-rate", self.limit_rate.is_some()),
            ("--limit-memory", self.limit_memory.is_some()),
        ];
        if let Some((option, _)) = of_server.iter().find(|(_, is_given)| *is_given && !self.serve) {
            return Err(format!("{option} is for the end with --serve, which connects to destinations"));
        }
        if self.serve || self.is_transparent() || ports.iter().any(|count| *count > 0) {
            return Ok(());
        }
        Err("nothing to forward: give --socks 1080, --http 8080, --listen 2222=host:22, --udp 5353=host:53 \
             or --reverse 8080=localhost:80, or --transparent for all programs; the end that connects to destinations has --serve"
            .to_owned())
    }
}

/// Reads the limit of a client's memory.
fn memory(text: &str) -> Result<ByteCount, String> {
    let size = super::quantity::size(text)?;
    if size < LEAST_MEMORY {
        return Err(format!("{size} is too little for the buffers of one client; at least 1 MB"));
    }
    Ok(size)
}

/// Half of it is for each direction.
const LEAST_MEMORY: ByteCount = ByteCount::new(1_000_000);

impl FromStr for LocalPort {
    type Err = String;

    /// `PORT`, `ADDR:PORT` or `[IPV6]:PORT`.
    fn from_str(text: &str) -> Result<LocalPort, String> {
        if let Ok(port) = text.parse() {
            return Ok(LocalPort { address: (Ipv4Addr::LOCALHOST, port).into() });
        }
        if let Some(port) = text.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
            return Ok(LocalPort { address: (Ipv4Addr::LOCALHOST, port).into() });
        }
        let address = text.parse().map_err(|_| {
            let bare = text.parse::<IpAddr>().is_ok();
            let hint = if bare { "; the port is missing" } else { "" };
            format!("{text:?} is not PORT or ADDR:PORT, such as 1080, 192.0.2.1:1080 or [::1]:1080{hint}")
        })?;
        Ok(LocalPort { address })
    }
}

impl FromStr for PortMapping {
    type Err = String;

    /// `PORT=HOST:PORT`, also with an address before the first port.
    fn from_str(text: &str) -> Result<PortMapping, String> {
        let (at, to) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?} is not PORT=HOST:PORT, such as 2222=host:22"))?;
        let to = to.parse().map_err(|error| format!("{to:?}: {error}; expected HOST:PORT"))?;
        Ok(PortMapping { at: at.parse()?, to })
    }
}

const USAGE: &str = "\
anabranch forward --serve [--bind ADDR,…] [--allow NET[:PORTS]] [OPTIONS]
       anabranch forward --to HOST[:PORT],… --socks PORT [--http PORT] [--listen PORT=HOST:PORT] [OPTIONS]";

const EXAMPLES: &str = "\
Programs of this host use all its links at once. `forward --serve` at a server with a public address prints the
line for this host. A program connects to a port of this host; the server connects to the destination. A
connection is never carried inside another one: both ends are ends of TCP, and each has a stream of its own in
one association.

Ports of this host are on 127.0.0.1 unless an address is given: every program of this host may use them, and with
another address every host that can reach it. Names are looked up by the server.

The server connects to the public internet. It refuses loopback, private and link-local networks, its own
addresses and all others that are not public, whatever name leads to them, unless --allow names them. Ports of
the server are opened by --reverse only where --allow-reverse permits them.

The bond is opened again whenever it ends. Connections survive as long as both ends run: ten minutes without any
link, and a change of addresses.

With --bind instead of --to this end waits and the server dials, with `forward --serve --to HOST`.

Examples:
  on the server:                   anabranch forward --serve
  on the laptop, as printed:       ANABRANCH_KEY=… anabranch forward --to 192.0.2.1 --socks 1080
  a browser or curl:               curl --proxy socks5h://127.0.0.1:1080 https://example.org/
  ssh to a host at the server:     anabranch forward --to 192.0.2.1 --listen 2222=10.0.0.5:22
  which the server must permit:    anabranch forward --serve --allow 10.0.0.5:22
  a game's or a call's datagrams:  anabranch forward --to 192.0.2.1 --udp 5000=game.example:5000
  a web server of the laptop:      anabranch forward --to 192.0.2.1 --reverse 8080=localhost:80
  which the server must permit:    anabranch forward --serve --allow-reverse 8080
  all programs of this host:       sudo anabranch forward --to 192.0.2.1 --transparent
  a modem as a backup:             anabranch forward --to 192.0.2.1 --socks 1080 --via wwan0=backup
  a client with a key of its own:  anabranch forward --serve --clients FILE --add-client alice
  and the server for all of them:  anabranch forward --serve --clients FILE
  a service, with a file:          anabranch forward --config /etc/anabranch/forward.toml

Exit status: 1 the sockets failed, 2 invalid input, 130 after Ctrl-C.";

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn parsed(line: &str) -> Result<ForwardArguments, String> {
        let words = ["anabranch", "forward"].into_iter().chain(line.split_whitespace());
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Forward(forward)) => forward.check().map(|()| forward),
            Ok(_) => Err("another command".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn ports_are_on_loopback_unless_an_address_is_given() {
        let forward =
            parsed("--to a --socks 1080 --http [::1]:8080 --listen 0.0.0.0:2222=b:22").expect("good");
        let shown = |ports: &[LocalPort]| ports.iter().map(|one| one.address.to_string()).collect::<Vec<_>>();
        assert_eq!(shown(&forward.socks), ["127.0.0.1:1080"]);
        assert_eq!(shown(&forward.http), ["[::1]:8080"]);
        let mapping = &forward.listen[0];
        assert_eq!(
            (mapping.at.address.to_string(), mapping.to.to_string()),
            ("0.0.0.0:2222".into(), "b:22".into())
        );
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_named() {
        for (line, complaint) in [
            ("--to a", "nothing to forward: give --socks"),
            ("--socks 1080", "--serve|--to"),
            ("--serve --socks 1080", "cannot be used with"),
            ("--to a --socks 1080 --allow 10.0.0.0/8", "--serve"),
            ("--to a --listen 22", "is not PORT=HOST:PORT"),
            ("--to a --listen 22=b", "without a port"),
            ("--to a --socks 1.2.3.4", "the port is missing"),
            ("--serve --allow 10.0.0.1/8", "10.0.0.0/8"),
            ("--serve --via eth0", "--to"),
            ("--serve --limit-memory 100kB", "at least 1 MB"),
            ("--to a --socks 1 --limit-memory 64MB", "--limit-memory is for the end with --serve"),
            ("--to a --socks 1 --max-flows 9", "--max-flows is for the end with --serve"),
            ("--to a --bind --socks 1", "cannot be used with"),
        ] {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(complaint), "{line}: {error}");
        }
    }

    #[test]
    fn the_memory_of_a_client_is_limited_unless_it_is_said_otherwise() {
        let memory = |line| parsed(line).map(|forward| forward.most_memory());
        assert_eq!(memory("--serve"), Ok(Some(ByteCount::new(128_000_000))));
        assert_eq!(memory("--serve --limit-memory 1GiB"), Ok(Some(ByteCount::from_mib(1024))));
        assert_eq!(memory("--to a --socks 1"), Ok(None));
    }

    #[test]
    fn either_end_may_wait() {
        for line in ["--serve", "--serve --bind eth0", "--serve --to a", "--bind --socks 1080"] {
            assert!(parsed(line).is_ok(), "{line}");
        }
    }
}
