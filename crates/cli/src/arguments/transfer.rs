//! The arguments of `send` and `recv`.

use std::path::PathBuf;

use anabranch_base::BitRate;
use clap::Args;

use super::{HostPort, Output, RetryLimit, Secrecy, SettingChanges, Via};

/// `anabranch send`.
#[derive(Debug, Args)]
#[command(after_help = SEND_EXAMPLES, override_usage = SEND_USAGE)]
pub(crate) struct SendArguments {
    /// Files and directories to send, in this order; `-` reads standard input. Without --to and --listen, the last one is
    /// the directory [USER@]HOST:[DIR] of the receiver, which is started there by ssh
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Addresses of the host that runs `anabranch recv`, with UDP port 9899 unless another is given; an IPv6 address
    /// with a port is written in brackets
    #[arg(long, value_delimiter = ',', value_name = "HOST[:PORT],…", conflicts_with = "listen")]
    pub to: Vec<HostPort>,
    /// Wait until a receiver fetches the files with `anabranch recv --from`: listen on these addresses, with UDP port 9899
    /// unless another is given (default: all interfaces)
    #[arg(long, value_delimiter = ',', num_args = 0..=1, value_name = "ADDR[:PORT],…")]
    pub listen: Option<Vec<HostPort>>,
    /// With --listen: keep serving after the first complete fetch, one receiver at a time
    #[arg(long, requires = "listen", conflicts_with = "to")]
    pub keep: bool,
    /// After an interruption, connect again and continue: until all is sent, or until COUNT attempts in a row, or attempts
    /// for TIME, transferred nothing
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "unlimited", value_name = "COUNT|TIME", conflicts_with = "listen")]
    pub retry: Option<RetryLimit>,
    /// With HOST:DIR: the command and options that start a program on the other host (default: $ANABRANCH_SSH, or `ssh`)
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["to", "listen"])]
    pub ssh: Option<String>,
    /// With HOST:DIR: anabranch on the other host, if its shell does not find it
    #[arg(long, default_value = "anabranch", value_name = "PATH", conflicts_with_all = ["to", "listen"])]
    pub remote_program: String,
    /// Send from this interface or local address; repeat for each link (default: all interfaces that are up). USE is
    /// `secondary` (new data only while the other links are full), `backup` (only while no other link works), `max:SIZE`
    /// (stop using the link before it is charged more), or one of the first two and `max:SIZE` with a comma
    #[arg(long, value_name = "IFACE|ADDR[=USE]", conflicts_with = "listen")]
    pub via: Vec<Via>,
    /// Name of the file at the receiver, if there is only one FILE (default: its own name, or `stdin` for `-`)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Limit the rate over all paths together, such as "10 Mbit/s", 500k or 2M (bits per second)
    #[arg(long, value_name = "RATE", value_parser = super::quantity::rate)]
    pub limit_rate: Option<BitRate>,
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

/// `anabranch recv`.
#[derive(Debug, Args)]
#[command(after_help = RECV_EXAMPLES)]
pub(crate) struct RecvArguments {
    /// Addresses or interfaces to listen on, with UDP port 9899 unless another is given (default: all interfaces)
    #[arg(long, value_delimiter = ',', value_name = "IFACE|ADDR[:PORT],…")]
    pub listen: Vec<HostPort>,
    /// Fetch from a host that runs `anabranch send --listen`, with UDP port 9899 unless another is given
    #[arg(long, value_delimiter = ',', value_name = "HOST[:PORT],…", conflicts_with_all = ["listen", "keep"])]
    pub from: Vec<HostPort>,
    /// With --from: fetch over this interface or local address; repeat for each link (default: all interfaces that are up).
    /// USE is `secondary` (new data only while the other links are full), `backup` (only while no other link works),
    /// `max:SIZE` (stop using the link before it is charged more), or one of the first two and `max:SIZE` with a comma
    #[arg(long, value_name = "IFACE|ADDR[=USE]", requires = "from")]
    pub via: Vec<Via>,
    /// With --from: after an interruption, connect again and continue: until all is received, or until COUNT attempts in a
    /// row, or attempts for TIME, transferred nothing
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "unlimited", value_name = "COUNT|TIME", requires = "from")]
    pub retry: Option<RetryLimit>,
    /// For programs that start this one: print a JSON object with the addresses when ready, and end with standard input
    #[arg(long, conflicts_with_all = ["from", "keep"])]
    pub attached: bool,
    /// Directory for received files; `-` writes a single file to standard output
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub dir: PathBuf,
    /// Replace existing files, after the new ones are complete and verified
    #[arg(long)]
    pub force: bool,
    /// Keep receiving after the first transfer, one transfer at a time
    #[arg(long)]
    pub keep: bool,
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

impl SendArguments {
    /// The form of the result: with several transfers, each document is one line.
    pub(crate) fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.keep && self.output.json), ..self.output }
    }
}

impl RecvArguments {
    /// The form of the result: with several transfers, each document is one line.
    pub(crate) fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.keep && self.output.json), ..self.output }
    }
}

const SEND_USAGE: &str = "\
anabranch send [OPTIONS] FILE... [USER@]HOST:[DIR]
       anabranch send [OPTIONS] FILE... --to HOST[:PORT],…
       anabranch send [OPTIONS] FILE... --listen [ADDR[:PORT],…]";

const SEND_EXAMPLES: &str = "\
A path is a pair of a local and a remote address. Addresses in the same subnet or on the same route form
pairs; otherwise the first --via is paired with the first address of --to, and so on. With one remote
address, each --via is paired with it. An interface that comes up during the transfer is used too, and one
that goes down is no longer used. With --via INTERFACE only the named interfaces are tracked; with
--via ADDRESS none is.

A metered link can be a backup (--via wwan0=backup), which is used only while no other link works, or secondary
(--via wwan0=secondary): it carries new data only while the links without a role are full. It can have a limit
(--via wwan0=max:2GB). The program at the other end respects all three. If every --via is a backup or secondary,
all other interfaces are used too. All packets count, in both directions, with headers, copies and probes. A link is given
up before its limit, by the traffic of its last second. The table at the end has the charge of each link.

Packets are sealed: only programs with the key can read or change them. `anabranch recv` prints a new key in
the command line to paste, as the variable ANABRANCH_KEY. A service reads its key from a --key-file. The key
is never an argument, because every user of the host can see the arguments of a program.

An interrupted transfer of a file of 1 MiB or more continues where it stopped when the same command is
run again, even if either program was killed. Files that are already complete are accepted as they are.
With --listen, the command prints the line to paste on the receiver, and exits after one complete fetch
unless --keep is given. A fetch that breaks off does not end it. Receivers are served one at a time.
Input from a pipe can be read only once, so it cannot be sent with --keep.
With --retry the command itself tries again after pauses of 1 to 60 s, and at once when an interface appears. Wrong input,
a refusal and a fault of a file are final. So is silence before the other end has answered once: its key may be another.

With HOST:DIR, ssh starts `anabranch recv` on that host, with a new key that travels through ssh. That program must be
installed there, and its UDP port 9899 reachable (if that is in use, another). It ends when the connection of ssh does.

Permissions (except set-user-id, set-group-id and sticky) and times are sent with the files. Symbolic
links are not followed. Links, pipes, sockets and devices in a directory are skipped and listed at the end.

Examples:
  a directory:                    anabranch send photos --to 192.0.2.1
  a host that ssh reaches:        anabranch send photos me@server.example:backup
  another port of ssh:            anabranch send big.iso server.example: --ssh 'ssh -p 2222'
  in spite of interruptions:      anabranch send big.iso --retry --to 192.0.2.1
  for at most an idle hour:       anabranch send big.iso --retry=1h --to 192.0.2.1
  a server with two addresses:    anabranch send big.iso --to 192.0.2.1,198.51.100.1
  two uplinks to one address:     anabranch send big.iso --to server.example --via eth0 --via wwan0
  a modem as a backup:            anabranch send big.iso --to server.example --via wwan0=backup
  a modem if the rest is full:    anabranch send big.iso --to server.example --via wwan0=secondary
  with limited bandwidth:         anabranch send big.iso --limit-rate 20M --to 192.0.2.1
  output of another program:      tar c photos | anabranch send - --name photos.tar --to 192.0.2.1
  another port, for a script:     anabranch send big.iso --to [2001:db8::1]:7000 --json
  for a laptop to fetch:          anabranch send big.iso --listen
  for one laptop after another:   anabranch send big.iso --listen 192.0.2.1:7000 --keep

Exit status: 0 the receiver stored and verified all files, 1 a file was not stored, 2 invalid input,
130 after Ctrl-C.";

const RECV_EXAMPLES: &str = "\
The command prints the line to paste on the sender, with a new key unless one is given, and exits after
one transfer unless --keep is given. Until a file is complete and its SHA-256 verified, its data stay in
a directory .anabranch-partial-UID beside the file, which other users cannot enter. If a transfer is
interrupted and part of a file is kept, recv keeps running: the same line on the sender continues the transfer. A later
recv with the key it prints continues it too. With --from the command dials a host that runs
`anabranch send --listen`, which prints the line to paste here. It exits when the transfer ends, and the
same command continues one that was interrupted. Files are overwritten only with --force, and symbolic
links are not followed.

Examples:
  on all interfaces:              anabranch recv
  two addresses of this host:     anabranch recv --listen 192.0.2.1,198.51.100.1 --dir inbox
  keep running, for a script:     anabranch recv --listen 192.0.2.1:7000 --keep --json
  into another program:           anabranch recv --dir - | tar x
  from a server, over two links:  anabranch recv --from 192.0.2.1 --via wlan0 --via wwan0
  in spite of interruptions:      anabranch recv --from 192.0.2.1 --retry
  a service, with its own key:    (umask 077; openssl rand -hex 16 > service.key)
                                  anabranch recv --keep --key-file service.key";

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::arguments::{Arguments, Command};

    #[test]
    fn a_sender_takes_several_files_addresses_and_interfaces() {
        let line =
            "anabranch send a b --to 10.0.0.1,10.0.1.1:7 --via eth0 --via 10.0.0.9 --set sctp.mtu=1400 -v";
        let arguments = Arguments::try_parse_from(line.split(' ')).expect("a good line");
        let Command::Send(send) = arguments.command else { panic!("another command") };
        assert_eq!(
            (send.files.len(), send.to.len(), send.via.len(), send.settings.settings.len()),
            (2, 2, 2, 1)
        );
        assert!(send.output.verbose && !send.output.is_json());
    }
}
