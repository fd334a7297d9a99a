//! Lines of `fping -c`, `-C` and `-l`, where probes are numbered from 0 for each host.

use super::plain::milliseconds;
use super::run::{Fate, Probe, Run};
use super::summary::{Counts, round_trips};

/// A recognised line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// `host : [0], 64 bytes, 12.1 ms (12.1 avg, 0% loss)`, or `host : [1], timed out (12.1 avg, 50% loss)`.
    Probe(&'l str, u64, Fate),
    /// `host : xmt/rcv/%loss = 5/4/20%, min/avg/max = 11.9/12.1/12.3`.
    Summary(&'l str, &'l str),
    /// `host : 12.1 12.3 - 11.9 12.0`: the times of all probes.
    Times(&'l str, Vec<&'l str>),
}

impl<'l> Line<'l> {
    /// Parses a line without its time stamp; `None` for a line that fping does not write.
    pub(super) fn of(line: &'l str) -> Option<Line<'l>> {
        let (host, rest) = line.split_once(" : ")?;
        let host = host.trim_end();
        if host.is_empty() || host.contains(' ') {
            return None;
        }
        if let Some(numbered) = rest.strip_prefix('[') {
            let (number, rest) = numbered.split_once("], ")?;
            return Some(Line::Probe(
                host,
                number.parse().ok().filter(|number| *number < 1 << 40)?,
                fate(rest),
            ));
        }
        if rest.starts_with("xmt/rcv/") {
            return Some(Line::Summary(host, rest));
        }
        let times: Vec<&str> = rest.split(' ').collect();
        let is_time = |time: &&str| *time == "-" || time.contains('.') && milliseconds(time, "ms").is_some();
        times.iter().all(is_time).then_some(Line::Times(host, times))
    }

    fn host(&self) -> &'l str {
        match self {
            Line::Probe(host, ..) | Line::Summary(host, _) | Line::Times(host, _) => host,
        }
    }
}

/// Adds a line to the run; a file has one host.
///
/// # Errors
/// The fault of the line.
pub(super) fn take(run: &mut Run, line: &str, at: Option<anabranch_base::Duration>) -> Result<(), String> {
    let Some(line) = Line::of(line) else { return Ok(()) };
    if run.target.as_deref().is_some_and(|target| target != line.host()) {
        let first = run.target.as_deref().unwrap_or_default();
        return Err(format!("the file has probes of {first:?} and of {:?}", line.host()));
    }
    run.target = Some(line.host().to_owned());
    run.first = Some(0);
    match line {
        Line::Probe(_, sequence, fate) => run.take(&Probe { sequence, fate, at }),
        Line::Summary(_, text) => {
            let shares =
                text.split_once("= ").map(|(_, shares)| shares.split(',').next().unwrap_or_default());
            if let Some(counts) = shares.and_then(Counts::of_shares) {
                run.counts = Some(counts?);
            }
            run.round_trips = round_trips(text).or(run.round_trips);
            Ok(())
        }
        Line::Times(_, times) => {
            let received = times.iter().filter(|time| **time != "-").count() as u64;
            run.counts = Some(Counts { transmitted: times.len() as u64, received, time: None });
            // With lines for the probes, this one only repeats them.
            if run.span() > 0 {
                return Ok(());
            }
            (0..).zip(times).try_for_each(|(sequence, time)| {
                let is_lost = time == "-";
                let fate = if is_lost { Fate::Silent } else { Fate::Timed(time.to_owned(), "ms".to_owned()) };
                run.take(&Probe { sequence, fate, at: None })
            })
        }
    }
}

/// `64 bytes, 12.1 ms (…)` is an answer; anything else is not.
fn fate(text: &str) -> Fate {
    let times = text.split(", ").filter_map(|part| part.split_once(" ms")).map(|(time, _)| time);
    let mut times = times.filter(|time| milliseconds(time, "ms").is_some());
    times.next().map_or(Fate::Silent, |time| Fate::Timed(time.to_owned(), "ms".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_fping_are_told_from_all_others() {
        let timed = |time: &str| Fate::Timed(time.to_owned(), "ms".to_owned());
        for (line, expected) in [
            (
                "a.org : [0], 64 bytes, 12.1 ms (12.1 avg, 0% loss)",
                Some(Line::Probe("a.org", 0, timed("12.1"))),
            ),
            ("a.org   : [1], timed out (12.1 avg, 50% loss)", Some(Line::Probe("a.org", 1, Fate::Silent))),
            (
                "a.org : [2], 84 bytes, 0.52 ms (6.1 avg, 33% loss)",
                Some(Line::Probe("a.org", 2, timed("0.52"))),
            ),
            ("a.org : 12.1 - 11.9", Some(Line::Times("a.org", vec!["12.1", "-", "11.9"]))),
            ("ICMP Host Unreachable from 192.0.2.1 for ICMP Echo sent to 192.0.2.9", None),
            ("64 octets de 192.0.2.1 : icmp_seq=1 ttl=57 temps=19.0 ms", None),
        ] {
            assert_eq!(Line::of(line), expected, "{line}");
        }
    }
}
