//! The arguments of `bench`.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_bench::protocol::{Deadlines, Order, RequestedDirection};
use clap::Args;

use super::{HostPort, Output, Secrecy, SettingChanges, Via};

/// `anabranch bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Serve tests, one at a time, until Ctrl-C
    #[arg(long, conflicts_with = "to")]
    pub serve: bool,
    /// Addresses or interfaces to listen on, with UDP port 9899 unless another is given (default: all interfaces)
    #[arg(
        long,
        requires = "serve",
        conflicts_with = "to",
        value_delimiter = ',',
        value_name = "IFACE|ADDR[:PORT],…"
    )]
    pub listen: Vec<HostPort>,
    /// Exit after one client's test, or its tests of `--each`
    #[arg(long, requires = "serve", conflicts_with = "to")]
    pub once: bool,
    /// Addresses of the host that runs `anabranch bench --serve`, with UDP port 9899 unless another is given
    #[arg(long, required_unless_present = "serve", value_delimiter = ',', value_name = "HOST[:PORT],…")]
    pub to: Vec<HostPort>,
    /// Use this interface or local address; repeat for each link (default: all interfaces that are up). USE is
    /// `secondary` or `backup`, `max:SIZE`, or both with a comma, as for `anabranch send`
    #[arg(long, conflicts_with = "serve", value_name = "IFACE|ADDR[=USE]")]
    pub via: Vec<Via>,
    /// Duration of a test, in seconds or with a unit
    #[arg(short, long, conflicts_with = "serve", default_value = "10", value_name = "TIME", value_parser = super::quantity::seconds)]
    pub time: Duration,
    /// Time between interim results, in seconds or with a unit
    #[arg(short, long, conflicts_with = "serve", default_value = "1", value_name = "TIME", value_parser = super::quantity::seconds)]
    pub interval: Duration,
    /// Reverse the direction: the server sends
    #[arg(short = 'R', long, conflicts_with_all = ["serve", "bidir"])]
    pub reverse: bool,
    /// Test both directions at once
    #[arg(long, conflicts_with = "serve")]
    pub bidir: bool,
    /// Measure each path alone, then all together, and report what limits them
    #[arg(long, conflicts_with_all = ["serve", "bidir"])]
    pub each: bool,
    /// Send at this rate, each message at its due time (default: unlimited)
    #[arg(short, long, conflicts_with = "serve", value_name = "RATE", value_parser = super::quantity::rate)]
    pub bitrate: Option<BitRate>,
    /// Length of a message (default: 64 KiB, less with a small receive buffer; 1316 B with --bitrate)
    #[arg(short, long, conflicts_with = "serve", value_name = "SIZE", value_parser = super::quantity::size)]
    pub length: Option<ByteCount>,
    /// Count the messages that arrive within this time of their due time, in seconds or with a unit (default: --lifetime)
    #[arg(long, requires = "bitrate", conflicts_with = "serve", value_name = "TIME", value_parser = super::quantity::some_seconds)]
    pub deadline: Option<Duration>,
    /// Give a message up this long after its due time, whether it was sent or not
    #[arg(long, requires = "bitrate", conflicts_with = "serve", value_name = "TIME", value_parser = super::quantity::some_seconds)]
    pub lifetime: Option<Duration>,
    /// Deliver messages with a deadline as they arrive, so that none waits for a lost one
    #[arg(long, requires = "bitrate", conflicts_with = "serve")]
    pub unordered: bool,
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

impl BenchArguments {
    /// The form of the results: a server prints one line per result.
    pub(crate) fn result_output(&self) -> Output {
        Output { json_lines: self.output.json_lines || (self.serve && self.output.json), ..self.output }
    }

    /// The deadlines of messages.
    ///
    /// # Errors
    /// Values that contradict each other.
    pub(crate) fn deadlines(&self) -> Result<Option<Deadlines>, String> {
        let order = if self.unordered { Order::Arrived } else { Order::Sent };
        let Some(deadline) = self.deadline.or(self.lifetime) else {
            return match order {
                Order::Sent => Ok(None),
                Order::Arrived => Err("--unordered is for messages with --deadline or --lifetime".to_owned()),
            };
        };
        let deadlines = Deadlines { deadline, lifetime: self.lifetime, order };
        deadlines.check(self.time)?;
        Ok(Some(deadlines))
    }

    /// Which end sends.
    pub(crate) fn direction(&self) -> RequestedDirection {
        match (self.reverse, self.bidir) {
            (true, _) => RequestedDirection::Reverse,
            (false, true) => RequestedDirection::Both,
            (false, false) => RequestedDirection::Forward,
        }
    }
}

const EXAMPLES: &str = "\
Packets are sealed like those of `anabranch send`. `bench --serve` prints a new key in the command line to
paste on the client. A server runs one test at a time, for an hour at most.

With --bitrate each message has a due time. If the transport cannot accept it then, the message waits, and its
delay counts from the due time.

With --deadline a message that arrives later than that after its due time is late. With --lifetime the sender also
gives it up: a message that still waits then is not sent, and one that was lost is not repeated. The report has the
messages in time, the late ones, and those dropped before and after they were sent. Compare a --lifetime with the same
time as --deadline. A lifetime that is shorter than the deadline leaves time for the way to the other end. Both ends
must be of a version that has deadlines.

Delays between two hosts need their clocks: the test measures the difference by round trips over the association. Its
error is half of the shortest round trip at most, and the report says so. On one host it is zero.

With --each the test first finds the paths, then sends data over each path alone while the others are idle, and then
over all paths together. If losses rather than full links limit the windows, the report names them and the setting to
change. With --each --reverse the server sends, and each test of one path uses one address of this host.

Examples:
  on one host:                     anabranch bench --serve
  on the other, as printed:        ANABRANCH_KEY=… anabranch bench --to 192.0.2.1,198.51.100.1
  do I get the sum of my links:    anabranch bench --to 192.0.2.1 --each
  reverse, for 30 seconds:         anabranch bench --to 192.0.2.1 -R -t 30
  the delay of a video:            anabranch bench --to 192.0.2.1 -b 8Mbit/s -l 1316
  with a jitter buffer of 150 ms:  anabranch bench --to 192.0.2.1 -b 8Mbit/s --deadline 150ms
  late packets are not sent:       anabranch bench --to 192.0.2.1 -b 8Mbit/s --lifetime 150ms
  for a script:                    anabranch bench --to 192.0.2.1 --json

Exit status: 0 success, 1 the test failed, 2 invalid input, 130 after Ctrl-C.";

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
    fn options_have_the_names_that_iperf3_uses() {
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
    fn times_without_a_unit_are_seconds_and_may_have_fractions() {
        let bench = parsed("--to a -t 2.5 -i 0.5 -b 20Mbps -l 64K").expect("a good line");
        assert_eq!((bench.time, bench.interval), (Duration::from_millis(2_500), Duration::from_millis(500)));
        assert_eq!(
            (bench.bitrate, bench.length),
            (Some(BitRate::from_mbps(20)), Some(ByteCount::from_kib(64)))
        );
        let error = parsed("--to a -b 20m").expect_err("mega or milli");
        assert!(error.contains("expected M or Mbit/s"), "{error}");
    }

    #[test]
    fn a_lifetime_is_a_deadline_and_contradictions_are_refused_in_words() {
        let of = |line: &str| parsed(line).and_then(|bench| bench.deadlines());
        let both =
            of("--to a -b 8M --lifetime 100ms --deadline 0.15").expect("a good line").expect("deadlines");
        let (short, long) = (Duration::from_millis(100), Duration::from_millis(150));
        assert_eq!((both.lifetime, both.deadline, both.order), (Some(short), long, Order::Sent));
        let one = of("--to a -b 8M --lifetime 100ms --unordered").expect("a good line").expect("deadlines");
        assert_eq!((one.lifetime, one.deadline, one.order), (Some(short), short, Order::Arrived));
        let judged = of("--to a -b 8M --deadline 150ms").expect("a good line").expect("deadlines");
        assert_eq!((judged.lifetime, judged.deadline), (None, long));
        assert_eq!(of("--to a -b 8M"), Ok(None));
        for (line, complaint) in [
            ("--to a --lifetime 100ms", "--bitrate"),
            ("--to a --deadline 100ms", "--bitrate"),
            ("--to a -b 8M --unordered", "--unordered is for messages with --deadline"),
            ("--to a -b 8M --lifetime 0", "more than 0 s"),
            ("--to a -b 8M --lifetime 200ms --deadline 100ms", "longer than the deadline of 100 ms"),
            ("--to a -b 8M -t 1 --deadline 2", "longer than the test of 1 s"),
            ("--serve --lifetime 100ms", "cannot be used with"),
        ] {
            let error = of(line).expect_err(line);
            assert!(error.contains(complaint), "{line}: {error}");
        }
    }

    #[test]
    fn options_of_tests_are_for_clients_and_either_serve_or_to_is_required() {
        assert!(parsed("--serve --listen 127.0.0.1:0 --once").is_ok());
        assert!(parsed("--to a --each").is_ok_and(|bench| bench.each));
        assert!(parsed("--to a --each -R").is_ok_and(|bench| bench.each && bench.reverse));
        assert!(parsed("--to a --each --bidir").is_err() && parsed("--serve --each").is_err());
        for line in
            ["", "--serve --to 10.0.0.1", "--serve -R", "--to a --once", "--to a -R --bidir", "--serve -t 5"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
