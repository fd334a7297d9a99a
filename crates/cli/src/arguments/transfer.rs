//! What the command line may say to `send` and `recv`. It parses and does nothing else.

use std::path::PathBuf;

use anabranch_base::BitRate;
use clap::Args;

use super::{HostPort, Output, Secrecy};

/// `anabranch send`.
#[derive(Debug, Args)]
#[command(after_help = SEND_EXAMPLES)]
pub struct SendArguments {
    /// Files and directories to send one after another; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where `anabranch recv` listens: its addresses, UDP port 9899 unless told; IPv6 with a port in brackets
    #[arg(long, required = true, value_delimiter = ',', value_name = "HOST[:PORT],…")]
    pub to: Vec<HostPort>,
    /// Send from this interface or local address; repeat it for each link to use (default: all that are up)
    #[arg(long, value_name = "IFACE|ADDR")]
    pub via: Vec<String>,
    /// What the file is called at the receiver (with one FILE only; `-` is called `stdin` without)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Send no faster than this over all paths together, such as "10 Mbit/s", 500k or 2M (bits a second)
    #[arg(long, value_name = "RATE", value_parser = crate::quantity::rate)]
    pub limit_rate: Option<BitRate>,
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
    pub listen: Vec<HostPort>,
    /// Where files are put; `-` puts one file on standard output
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub dir: PathBuf,
    /// Replace files that exist already, once the new ones are there and right
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

impl RecvArguments {
    /// How the result of a transfer is printed: the documents of many are a line each.
    pub fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.keep && self.output.json), ..self.output }
    }
}

const SEND_EXAMPLES: &str = "\
A pair of a local and a remote address is a path: those of one subnet or route, else the first --via with
the first address of --to, and so on; with one remote address, every --via with it. An interface that comes up meanwhile, or is
plugged in, is used too; one that goes is left. With --via INTERFACE those alone are followed, with
--via ADDRESS none.

Packets are sealed: only who has the key can read or change them. `anabranch recv` prints a fresh one
with the line to paste, as the variable ANABRANCH_KEY; services have theirs in a --key-file. It is never
an argument, which everybody on the host could see.

A file of 1 MiB and more that was broken off, by a kill at either end too, goes on where it was when the
same line is entered again; what is complete is not refused. Modes (not set-user-id and its like) and
times go with the files. Symbolic links are not followed; they, pipes, sockets and devices in a
directory are left out, and named at the end.

Examples:
  a directory:                    anabranch send photos --to 192.0.2.1
  a server with two addresses:    anabranch send big.iso --to 192.0.2.1,198.51.100.1
  two uplinks to one address:     anabranch send big.iso --to server.example --via eth0 --via wwan0
  what leaves room for others:    anabranch send big.iso --limit-rate 20M --to 192.0.2.1
  what another program prints:    tar c photos | anabranch send - --name photos.tar --to 192.0.2.1
  another port, for a script:     anabranch send big.iso --to [2001:db8::1]:7000 --json

Exit status: 0 the receiver stored everything and its SHA-256 is right, 1 something was not stored,
2 the input is wrong, 130 after Ctrl-C.";

const RECV_EXAMPLES: &str = "\
It prints the line to paste on the sender, with a fresh key unless one is given, and ends after one
transfer unless --keep is given. Until a file is complete and its SHA-256 is right, it is kept in a
directory .anabranch-partial-UID beside the place where it goes, which nobody else may enter. Where a
transfer was broken off and something of it is kept, recv stays: the same line on the sender goes on,
as it does with another recv later, and its key. Nothing is overwritten unless --force is given, and no symbolic link is followed.

Examples:
  on all interfaces:              anabranch recv
  two addresses of this host:     anabranch recv --listen 192.0.2.1,198.51.100.1 --dir inbox
  go on, an object a transfer:    anabranch recv --listen 192.0.2.1:7000 --keep --json
  into another program:           anabranch recv --dir - | tar x
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
        assert_eq!((send.files.len(), send.to.len(), send.via.len(), send.settings.len()), (2, 2, 2, 1));
        assert!(send.output.verbose && !send.output.is_json());
    }
}
