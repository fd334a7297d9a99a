//! What a line of `ping` says.

use anabranch_base::Duration;

/// A line, in so far as it is of use.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// Of a probe.
    Probe(Probe),
    /// Of the summary at the end.
    Summary,
    /// Nothing of use.
    Other,
}

/// A probe and its fate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Probe {
    /// Its number as it is printed.
    pub sequence: u64,
    /// Its round trip in milliseconds, as it is printed; `None` where there was no answer.
    pub round_trip: Option<String>,
    /// The time of day, with `ping -D`.
    pub at: Option<Duration>,
}

impl Line {
    pub fn of(line: &str) -> Line {
        if let Some(sequence) = sequence(line) {
            return Line::Probe(Probe { sequence, round_trip: round_trip(line), at: time_of_day(line) });
        }
        let is_summary = line.contains("packets transmitted") || line.contains("min/avg/max");
        if is_summary { Line::Summary } else { Line::Other }
    }
}

/// The number behind `icmp_seq=`, `icmp_seq ` or `seq=`.
fn sequence(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("seq=").or_else(|| line.split_once("icmp_seq "))?;
    let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    digits.parse().ok().filter(|number| *number < 1 << 40)
}

/// The number before the first ` ms` that stands behind `=` or `<`: its name is in the user's language.
fn round_trip(line: &str) -> Option<String> {
    line.match_indices(" ms").find_map(|(at, _)| {
        let before = &line[..at];
        let start = before.rfind(['=', '<'])? + 1;
        let number = &before[start..];
        (!number.is_empty() && !number.contains(' ')).then(|| number.to_owned())
    })
}

/// `[1700000000.123456]` at the start.
fn time_of_day(line: &str) -> Option<Duration> {
    let (seconds, _) = line.strip_prefix('[')?.split_once(']')?;
    anabranch_scenario::quantity::span(&format!("{seconds} s")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(line: &str) -> Option<(u64, Option<String>)> {
        match Line::of(line) {
            Line::Probe(Probe { sequence, round_trip, .. }) => Some((sequence, round_trip)),
            _ => None,
        }
    }

    #[test]
    fn probes_are_read_in_the_words_of_each_system() {
        let answered = |sequence, time: &str| Some((sequence, Some(time.to_owned())));
        for (line, expected) in [
            ("64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms", answered(1, "12.3")),
            ("64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12 ms (DUP!)", answered(2, "12")),
            ("64 Bytes von example.org (192.0.2.1): icmp_seq=3 ttl=57 Zeit=0.043 ms", answered(3, "0.043")),
            ("64 bytes from 192.0.2.1: seq=0 ttl=64 time=1.070 ms", answered(0, "1.070")),
            ("16 bytes from 2001:db8::1, icmp_seq=4 hlim=58 time=9.8 ms", answered(4, "9.8")),
            ("64 bytes from 192.0.2.1: icmp_seq=5 ttl=57 time<1 ms", answered(5, "1")),
            ("no answer yet for icmp_seq=6", Some((6, None))),
            ("Request timeout for icmp_seq 7", Some((7, None))),
            ("From 192.0.2.9 icmp_seq=8 Destination Host Unreachable", Some((8, None))),
            ("64 bytes from 192.0.2.1: icmp_seq=x", None),
            ("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.", None),
        ] {
            assert_eq!(probe(line), expected, "{line}");
        }
        let stamped = Line::of("[1700000000.25] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=1 ms");
        let Line::Probe(Probe { at: Some(at), .. }) = stamped else { panic!("{stamped:?}") };
        assert_eq!(at, Duration::from_millis(1_700_000_000_250));
    }
}
