//! What the command line may say to `bench`. It parses and does nothing else.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_bench::protocol::RequestedDirection;
use clap::Args;

use super::{HostPort, Output, Secrecy};

/// `anabranch bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BenchArguments {
    /// Wait for tests, one at a time, until Ctrl-C
    #[arg(long, conflicts_with = "to")]
    pub serve: bool,
    /// Addresses to listen on, UDP port 9899 unless told (default: those of all interfaces)
    #[arg(
        long,
        requires = "serve",
        conflicts_with = "to",
        value_delimiter = ',',
        value_name = "ADDR[:PORT],…"
    )]
    pub listen: Vec<HostPort>,
    /// End after one test
    #[arg(long, requires = "serve", conflicts_with = "to")]
    pub once: bool,
    /// Where `anabranch bench --serve` listens: its addresses, UDP port 9899 unless told
    #[arg(long, required_unless_present = "serve", value_delimiter = ',', value_name = "HOST[:PORT],…")]
    pub to: Vec<HostPort>,
    /// Use this interface or local address; repeat it for each link to use (default: all that are up)
    #[arg(long, conflicts_with = "serve", value_name = "IFACE|ADDR")]
    pub via: Vec<String>,
    /// How long a test takes, in seconds or with a unit
    #[arg(short, long, conflicts_with = "serve", default_value = "10", value_name = "TIME", value_parser = crate::quantity::seconds)]
    pub time: Duration,
    /// How often it is told how much was carried
    #[arg(short, long, conflicts_with = "serve", default_value = "1", value_name = "TIME", value_parser = crate::quantity::seconds)]
    pub interval: Duration,
    /// The server sends
    #[arg(short = 'R', long, conflicts_with_all = ["serve", "bidir"])]
    pub reverse: bool,
    /// Both send at once
    #[arg(long, conflicts_with = "serve")]
    pub bidir: bool,
    /// Measure every path alone, then all together, and say what held them back
    #[arg(long, conflicts_with_all = ["serve", "reverse", "bidir"])]
    pub each: bool,
    /// Send at this rate, each message at its time (default: all that goes)
    #[arg(short, long, conflicts_with = "serve", value_name = "RATE", value_parser = crate::quantity::rate)]
    pub bitrate: Option<BitRate>,
    /// How long a message is (default: 64 KiB, or less where a receive buffer is small; 1316 B with --bitrate)
    #[arg(short, long, conflicts_with = "serve", value_name = "SIZE", value_parser = crate::quantity::size)]
    pub length: Option<ByteCount>,
    /// Who may read and change what is sent.
    #[command(flatten)]
    pub secrecy: Secrecy,
    /// A setting of the protocol at this end; `anabranch bench --set help` lists them
    #[arg(long = "set", value_name = "sctp.KEY=VALUE")]
    pub settings: Vec<String>,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

impl BenchArguments {
    /// How the results are printed: a server's are a line each.
    pub fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.serve && self.output.json), ..self.output }
    }

    /// Who sends.
    pub fn direction(&self) -> RequestedDirection {
        match (self.reverse, self.bidir) {
            (true, _) => RequestedDirection::Reverse,
            (false, true) => RequestedDirection::Both,
            (false, false) => RequestedDirection::Forward,
        }
    }
}

const EXAMPLES: &str = "\
Packets are sealed as those of `anabranch send` are; `bench --serve` prints a fresh key with the line
to paste. A server runs one test at a time, of an hour at most.

With --bitrate every message has a time at which it is due. If the transport does not take it then, it waits, and
its delay counts from when it was due.

With --each the paths are learnt first, then each carries data alone while the others rest, then all do. What they
carry the other way is measured from the other host.

Examples:
  on the one host:                 anabranch bench --serve
  on the other, as it says:        ANABRANCH_KEY=… anabranch bench --to 192.0.2.1,198.51.100.1
  do I get the sum of my links:    anabranch bench --to 192.0.2.1 --each
  the other way, 30 seconds:       anabranch bench --to 192.0.2.1 -R -t 30
  the delay of a video:            anabranch bench --to 192.0.2.1 -b 8Mbit/s -l 1316
  for a script:                    anabranch bench --to 192.0.2.1 --json

Exit status: 0 it was measured, 1 the test failed, 2 the input is wrong, 130 after Ctrl-C.";

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn parsed(line: &str) -> Result<BenchArguments, String> {
        let words = ["anabranch", "bench"].into_iter().chain(line.split_whitespace());
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Bench(bench)) => Ok(bench),
            Ok(_) => Err("another command".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn it_is_written_as_for_iperf3() {
        let bench = parsed("--to 10.0.0.1,10.0.1.1 -t 5 -i 1 -R -b 42M -l 1316").expect("a good line");
        assert_eq!(
            (bench.to.len(), bench.time, bench.direction()),
            (2, Duration::from_secs(5), RequestedDirection::Reverse)
        );
        assert_eq!(
            (bench.bitrate, bench.length),
            (Some(BitRate::from_mbps(42)), Some(ByteCount::new(1_316)))
        );
        let plain = parsed("--to 10.0.0.1").expect("a good line");
        assert_eq!((plain.time, plain.direction()), (Duration::from_secs(10), RequestedDirection::Forward));
    }

    #[test]
    fn a_server_is_told_nothing_of_tests_and_one_of_both_is_needed() {
        assert!(parsed("--serve --listen 127.0.0.1:0 --once").is_ok());
        assert!(parsed("--to a --each").is_ok_and(|bench| bench.each));
        assert!(parsed("--to a --each -R").is_err() && parsed("--serve --each").is_err());
        for line in
            ["", "--serve --to 10.0.0.1", "--serve -R", "--to a --once", "--to a -R --bidir", "--serve -t 5"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
