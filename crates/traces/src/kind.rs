//! The kinds of recordings, and their recognition by content.

use std::fmt;

use crate::{iperf3, ping};

/// The kind of a recording: the program or format it is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceKind {
    /// Mahimahi: times in milliseconds, one a line, at which 1,504 bytes may pass.
    Mahimahi,
    /// A table with columns of time, rate, delay and loss.
    Csv,
    /// The output of `ping`.
    Ping,
    /// The output of `iperf3 --json`.
    Iperf3,
}

impl TraceKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [TraceKind; 4] = [TraceKind::Mahimahi, TraceKind::Csv, TraceKind::Ping, TraceKind::Iperf3];

    /// The kind of a text; `None` if it is unlike all of them.
    pub fn of(text: &str) -> Option<TraceKind> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            return Some(TraceKind::Iperf3);
        }
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        // Programs print warnings before their report.
        if lines.clone().take(LOOKED_AT).any(iperf3::begins) {
            return Some(TraceKind::Iperf3);
        }
        let first = lines.next()?;
        if first.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(TraceKind::Mahimahi);
        }
        if std::iter::once(first).chain(lines.take(LOOKED_AT)).any(ping::is_line) {
            return Some(TraceKind::Ping);
        }
        let is_table = first.contains([',', ';', '\t']);
        is_table.then_some(TraceKind::Csv)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TraceKind::Mahimahi => "mahimahi",
            TraceKind::Csv => "csv",
            TraceKind::Ping => "ping",
            TraceKind::Iperf3 => "iperf3",
        }
    }
}

impl fmt::Display for TraceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TraceKind::Mahimahi => "Mahimahi",
            TraceKind::Csv => "a CSV table",
            TraceKind::Ping => "ping",
            TraceKind::Iperf3 => "iperf3",
        })
    }
}

/// `ping` and the shell write few lines before the first reply.
const LOOKED_AT: usize = 40;

/// The expected content, for a text of no known kind.
pub(crate) const EXPECTED: &str = "a trace of Mahimahi (a time in ms on each line), a CSV table whose first line names its \
                                   columns, the output of ping, or that of iperf3 --json; --kind says which";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_recognised_by_their_content() {
        for (text, kind) in [
            ("1\n2\n", Some(TraceKind::Mahimahi)),
            ("\u{feff}0\r\n5\r\n", Some(TraceKind::Mahimahi)),
            ("{\n\t\"start\": {}", Some(TraceKind::Iperf3)),
            ("# made by hand\ntime_s,rate_mbps\n", Some(TraceKind::Csv)),
            ("time_s\trate_mbps\n", Some(TraceKind::Csv)),
            ("PING a (192.0.2.1) 56(84) bytes of data.\n", Some(TraceKind::Ping)),
            ("[1700000000.1] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=1 ms\n", Some(TraceKind::Ping)),
            ("\nPing wird ausgeführt für a.org [192.0.2.1] mit 32 Bytes Daten:\n", Some(TraceKind::Ping)),
            ("Antwort von 192.0.2.1: Bytes=32 Zeit<1ms TTL=64\n", Some(TraceKind::Ping)),
            ("10 Pakete übertragen, 3 empfangen, 70% Paketverlust\n", Some(TraceKind::Ping)),
            ("Nov 14 22:13:20 64 bajtů z 192.0.2.1: pořadí=1 TTL=64 čas=1 ms\n", Some(TraceKind::Ping)),
            ("a.org : [0], 64 bytes, 12.1 ms (12.1 avg, 0% loss)\n", Some(TraceKind::Ping)),
            ("warning: a, b\n{\n\t\"start\": {}", Some(TraceKind::Iperf3)),
            ("", None),
            ("hello\n", None),
        ] {
            assert_eq!(TraceKind::of(text), kind, "{text:?}");
        }
    }
}
