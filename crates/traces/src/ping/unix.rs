//! Lines of `ping` on Linux (iputils, BusyBox, inetutils, toybox), the BSDs and macOS: probes have sequence numbers.

use super::plain::{Assignment, assignments};
use super::run::Fate;
use super::summary::{Counts, RoundTrips, round_trips};

/// A recognised line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// The first line of a run: the host, and the first number.
    Head {
        target: String,
        first: u64,
    },
    /// A line of the probe with this number.
    Probe(u64, Fate),
    /// The counts of a summary, or the contradiction in it.
    Counts(Result<Counts, String>),
    RoundTrips(RoundTrips),
    /// Any other line.
    Other,
}

impl Line {
    /// Parses a line without its time stamp. Answers name their number `sequence_name`.
    pub(super) fn of(line: &str, sequence_name: &str) -> Line {
        if let Some((target, first)) = head(line) {
            return Line::Head { target, first };
        }
        if let Some((sequence, fate)) = probe(line, sequence_name) {
            return Line::Probe(sequence, fate);
        }
        if let Some(counts) = Counts::of(line) {
            return Line::Counts(counts);
        }
        round_trips(line).map_or(Line::Other, Line::RoundTrips)
    }
}

/// The name of the number in the answers of a file: the first number after `64 bytes from …:`, where the last one is a
/// time.
pub(super) fn sequence_name(line: &str) -> Option<&str> {
    let numbers = assignments(line);
    let (first, last) = (numbers.first()?, numbers.last()?);
    let is_answer = is_answer(line) && numbers.len() > 1 && !last.unit.is_empty() && first.unit.is_empty();
    (is_answer && first.count().is_some()).then_some(first.name)
}

/// `PING example.org (192.0.2.7) 56(84) bytes of data.`: iputils and toybox count from 1, all others from 0.
fn head(line: &str) -> Option<(String, u64)> {
    if line.starts_with("PING6(") {
        let target = line.split_once("--> ")?.1.split(' ').next()?;
        return Some((target.to_owned(), 0));
    }
    let (name, rest) = line.split_once(' ')?;
    if !["PING", "Ping", "ПІНГ"].contains(&name) || !rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let target = rest.split([' ', '(']).next().filter(|target| !target.is_empty())?;
    let counts_from_zero =
        rest.contains("):") && !rest.contains("(84)") && !rest.trim_end().ends_with("bytes.");
    Some((target.trim_end_matches(':').to_owned(), u64::from(!counts_from_zero)))
}

fn probe(line: &str, sequence_name: &str) -> Option<(u64, Fate)> {
    let numbers = assignments(line);
    let Some(at) = numbers.iter().position(|number| is_sequence(number, sequence_name)) else {
        // `Request timeout for icmp_seq 7`, as macOS prints it.
        let (_, rest) = line.split_once("icmp_seq ")?;
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        return Some((digits.parse().ok().filter(|number| *number < 1 << 40)?, Fate::Silent));
    };
    let sequence = numbers[at].count()?;
    let time = numbers[at + 1..].iter().rev().find(|number| !number.unit.is_empty());
    let fate = match time {
        // Every language marks a duplicate `(DUP!)`.
        _ if line.contains("!)") && is_answer(line) && is_repeated(line) => Fate::Duplicate,
        Some(time) => Fate::Timed(time.number.to_owned(), time.unit.to_owned()),
        None if is_answer(line) => Fate::Untimed,
        None => Fate::Silent,
    };
    Some((sequence, fate))
}

fn is_sequence(number: &Assignment<'_>, sequence_name: &str) -> bool {
    number.count().is_some()
        && (number.name == sequence_name || number.name.ends_with("seq") || number.name.starts_with("icmp_s"))
}

/// Answers begin with their size: `64 bytes from …`. An address at the start has points or colons.
fn is_answer(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = line[digits..].chars();
    digits > 0 && rest.next() == Some(' ') && rest.next().is_some_and(char::is_alphabetic)
}

/// Returns true if the remark with an exclamation mark is that of a duplicate; others are of damaged answers.
fn is_repeated(line: &str) -> bool {
    let remark = line.rsplit_once('(').map(|(_, remark)| remark).unwrap_or_default();
    !remark.contains("CHECKSUM") && !remark.contains("ADDRESS") && remark.trim_end().ends_with("!)")
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain;
    use super::*;

    fn read(line: &str) -> Option<(u64, Fate)> {
        let line = plain(line);
        match Line::of(&line, "pořadí") {
            Line::Probe(sequence, fate) => Some((sequence, fate)),
            _ => None,
        }
    }

    #[test]
    fn probes_are_read_in_the_words_of_each_system_and_language() {
        let timed = |sequence, time: &str, unit: &str| {
            Some((sequence, Fate::Timed(time.to_owned(), unit.to_owned())))
        };
        for (line, expected) in [
            ("64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms", timed(1, "12.3", "ms")),
            ("64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12 ms (DUP!)", Some((2, Fate::Duplicate))),
            (
                "64 Bytes von example.org (192.0.2.1): icmp_seq=3 ttl=57 Zeit=0.043 ms",
                timed(3, "0.043", "ms"),
            ),
            ("64 bytes from 192.0.2.1: seq=0 ttl=64 time=1.070 ms", timed(0, "1.070", "ms")),
            ("16 bytes from 2001:db8::1, icmp_seq=4 hlim=58 time=9.8 ms", timed(4, "9.8", "ms")),
            ("64 bytes from 192.0.2.1: icmp_seq=5 ttl=57 time<1 ms", timed(5, "1", "ms")),
            ("64 bajtů z\u{a0}192.0.2.1: pořadí=1 TTL=57 čas=19.0 ms", timed(1, "19.0", "ms")),
            ("64 octets de 192.0.2.1\u{a0}: icmp_seq=1 ttl=57 temps=19.0\u{a0}ms", timed(1, "19.0", "ms")),
            (
                "64 octets de 192.0.2.1: icmp_seq=1 ttl=57 temps=19.0 ms (DUPLIQUÉ\u{202f}!)",
                Some((1, Fate::Duplicate)),
            ),
            ("64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 时间=19.4 毫秒", timed(2, "19.4", "毫秒")),
            (
                "64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 時間=19.4 ミリ秒 (重複!)",
                Some((2, Fate::Duplicate)),
            ),
            ("64 байтів від 192.0.2.1: icmp_seq=2 ttl=57 час=19.4 мс", timed(2, "19.4", "мс")),
            ("64 ბაიტი 192.0.2.1-დან: icmp_seq =2 ttl =57 დრო=19.4 მწმ", timed(2, "19.4", "მწმ")),
            ("64 bytes from 192.0.2.1: icmp_seq=3 ttl=56 time=16,076 ms", timed(3, "16,076", "ms")),
            ("76 bytes from 192.0.2.1: icmp_seq=1 ttl=57 (truncated)", Some((1, Fate::Untimed))),
            ("76 字节，来自 192.0.2.1: icmp_seq=1 ttl=57 (已截断)", Some((1, Fate::Untimed))),
            ("16 bytes from 192.0.2.1: icmp_seq=1 ttl=57", Some((1, Fate::Untimed))),
            ("64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=1.5 ms (BAD CHECKSUM!)", timed(1, "1.5", "ms")),
            ("no answer yet for icmp_seq=6", Some((6, Fate::Silent))),
            ("žádná odpověď pro pořadí=6", Some((6, Fate::Silent))),
            ("ei vielä vastausta icmp_seq=6:lle", Some((6, Fate::Silent))),
            ("პასუხის გარეშე. icmp_sql=6", Some((6, Fate::Silent))),
            ("Request timeout for icmp_seq 7", Some((7, Fate::Silent))),
            ("From 192.0.2.9 icmp_seq=8 Destination Host Unreachable", Some((8, Fate::Silent))),
            ("192.0.2.9'den icmp_seq=8 Destination Host Unreachable", Some((8, Fate::Silent))),
            ("ping: local error: message too long, mtu=1400", None),
            ("64 bytes from 192.0.2.1: icmp_seq=x", None),
            ("92 bytes from 192.0.2.1: Destination Host Unreachable", None),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn the_first_line_says_whom_and_from_which_number() {
        for (line, target, first) in [
            ("PING example.org (192.0.2.7) 56(84) bytes of data.", "example.org", 1),
            ("PING example.org(host (2001:db8::1)) 56 data bytes", "example.org", 1),
            ("PING 192.0.2.7 (192.0.2.7): 56 data bytes", "192.0.2.7", 0),
            ("Ping 192.0.2.7 (192.0.2.7): 56(84) bytes.", "192.0.2.7", 1),
            ("ПІНГ example.org (192.0.2.7) 56(84) байтів даних.", "example.org", 1),
            ("PING6(56=40+8+8 bytes) ::1 --> 2001:db8::1", "2001:db8::1", 0),
        ] {
            assert_eq!(Line::of(line, ""), Line::Head { target: target.to_owned(), first }, "{line}");
        }
    }

    #[test]
    fn answers_say_what_their_number_is_called() {
        assert_eq!(sequence_name("64 bajtů z 192.0.2.1: pořadí=1 TTL=57 čas=19.0 ms"), Some("pořadí"));
        assert_eq!(sequence_name("Reply from 192.0.2.1: bytes=32 time=15ms TTL=117"), None);
        assert_eq!(sequence_name("64 bytes from 192.0.2.1: icmp_seq=1 ttl=57"), None);
    }
}
