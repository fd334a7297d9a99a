//! Reads the output of `ping` on Linux, the BSDs, macOS and Windows, and of `fping`: round trips by sequence number,
//! unanswered probes, and the summary, which is compared with both.

mod fping;
mod plain;
mod run;
mod summary;
mod unix;
mod windows;

use std::ops::Range;

use anabranch_base::Duration;

use crate::choices::Choices;
use crate::content::Content;
use crate::fault::{Fault, Read};
use crate::moment::{self, Clock, Moment};
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedLoss};
use crate::series::{Amount as _, Series, Share};
use plain::plain;
use run::{Fate, Probe, Run, Tally};

/// Reads the output of `ping`.
pub(crate) fn read(text: &str, choices: &Choices) -> Read<Content> {
    let made_by = Dialect::of(text);
    let runs = match made_by {
        Dialect::Unix => of_unix(text)?,
        Dialect::Windows => of_windows(text)?,
        Dialect::Fping => of_fping(text)?,
    };
    refuse_other_summaries(text, made_by)?;
    let of_one = runs.iter().filter_map(|run| run.target.as_deref()).collect::<Vec<_>>();
    let end = || text.len()..text.len();
    if let Some(other) = of_one.iter().find(|target| **target != of_one[0]) {
        let message = format!("the file has runs of ping to {:?} and to {other:?}", of_one[0]);
        return Err(Fault::at(end(), message).expected("a file for each of them"));
    }
    let joined = Joined::of(&runs, choices).map_err(|message| {
        Fault::at(end(), message).expected("whole runs of ping, each with its own summary")
    })?;
    if joined.tally.answered == 0 {
        let fault = |message| Fault::at(end(), message);
        if runs.iter().any(|run| run.counts.is_some()) {
            return Err(fault("no probe was answered").expected("at least one answer"));
        }
        let expected = "lines such as `64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms`";
        return Err(fault("ping printed no round trip").expected(expected));
    }
    let name = if made_by == Dialect::Fping { "fping" } else { "ping" };
    Ok(joined.content(&runs, name))
}

/// Returns true for a line that only `ping` or `fping` writes, in any language.
pub(crate) fn is_line(line: &str) -> bool {
    let line = plain(line);
    let (_, line) = unstamped(&line);
    let is_unix = unix::sequence_name(line).is_some() || unix::Line::of(line, "") != unix::Line::Other;
    is_unix
        || Dialect::of_line(line).is_some()
        || windows::is_head(line) && line.to_lowercase().contains("ping")
}

/// The program that wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Unix,
    Windows,
    Fping,
}

impl Dialect {
    fn of(text: &str) -> Dialect {
        let dialect = |line: &str| {
            let line = plain(line);
            Dialect::of_line(unstamped(&line).1)
        };
        text.lines().find_map(dialect).unwrap_or(Dialect::Unix)
    }

    fn of_line(line: &str) -> Option<Dialect> {
        if fping::Line::of(line).is_some() {
            return Some(Dialect::Fping);
        }
        let is_unix = || unix::sequence_name(line).is_some() || line.contains("icmp_seq");
        (windows::is_line(line) && !is_unix()).then_some(Dialect::Windows)
    }
}

/// Splits the time stamp off a line. `ts -s` and `ts -i` count seconds, not from the same origin as the lines.
fn unstamped(line: &str) -> (Option<Moment>, &str) {
    if let Some((moment, rest)) = moment::leading(line) {
        return (Some(moment), rest);
    }
    let counted = line.split_once(' ').filter(|(seconds, _)| {
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        seconds
            .split_once('.')
            .is_some_and(|(whole, rest)| is_digits(whole) && is_digits(rest) && rest.len() == 6)
    });
    (None, counted.map_or(line, |(_, rest)| rest.trim_start()))
}

/// Calls `take` for each nonempty line, with the time stamp before it.
fn lines(text: &str, mut take: impl FnMut(&str, Option<Duration>) -> Result<(), String>) -> Read<()> {
    let mut clock = Clock::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at: Range<usize> = start..start + line.trim_end().len();
        start += line.len();
        let line = plain(line);
        let (moment, rest) = unstamped(&line);
        if rest.is_empty() {
            continue;
        }
        let moment = moment.and_then(|moment| clock.read(moment));
        take(rest, moment).map_err(|message| Fault::at(at, message).expected("a line as ping prints it"))?;
    }
    Ok(())
}

fn of_unix(text: &str) -> Read<Vec<Run>> {
    let named = text.lines().find_map(|line| {
        let line = plain(line);
        unix::sequence_name(unstamped(&line).1).map(str::to_owned)
    });
    let named = named.unwrap_or_default();
    let mut runs = vec![Run::default()];
    lines(text, |line, at| {
        let line = unix::Line::of(line, &named);
        let begins = match (&line, runs.last()) {
            (_, None) => true,
            (unix::Line::Head { .. }, Some(run)) => !run.is_empty() || run.target.is_some(),
            (unix::Line::Probe(sequence, fate), Some(run)) => {
                // Where first lines were filtered out, a number answered again begins a run.
                let is_answer = !matches!(fate, Fate::Duplicate | Fate::Silent);
                run.counts.is_some() || run.target.is_none() && is_answer && run.has_answer(*sequence)
            }
            (unix::Line::Counts(_), Some(run)) => run.counts.is_some(),
            _ => false,
        };
        if begins {
            runs.push(Run::default());
        }
        let Some(run) = runs.last_mut() else { return Ok(()) };
        match line {
            unix::Line::Head { target, first } => {
                run.target = Some(target);
                run.first = Some(first);
            }
            unix::Line::Probe(sequence, fate) => run.take(&Probe { sequence, fate, at })?,
            unix::Line::Counts(counts) => run.counts = Some(counts?),
            unix::Line::RoundTrips(round_trips) => run.round_trips = Some(round_trips),
            unix::Line::Other => {}
        }
        Ok(())
    })?;
    runs.retain(|run| !run.is_empty());
    Ok(runs)
}

fn of_windows(text: &str) -> Read<Vec<Run>> {
    let mut reader = windows::Reader::default();
    lines(text, |line, at| reader.take(line, at))?;
    Ok(reader.runs())
}

fn of_fping(text: &str) -> Read<Vec<Run>> {
    let mut run = Run::default();
    lines(text, |line, at| fping::take(&mut run, line, at))?;
    Ok(Some(run).into_iter().filter(|run| !run.is_empty()).collect())
}

/// Refuses a summary of another program than that of the first probe: its probes were not read.
fn refuse_other_summaries(text: &str, made_by: Dialect) -> Read<()> {
    lines(text, |line, _| {
        let is_read = match made_by {
            Dialect::Unix => true,
            Dialect::Windows => windows::is_line(line),
            Dialect::Fping => fping::Line::of(line).is_some(),
        };
        if is_read || summary::Counts::of(line).is_none() {
            return Ok(());
        }
        Err("the file has lines of two programs".to_owned())
    })
}

/// The runs of a file joined.
struct Joined {
    tally: Tally,
    /// The time of each answer with a round trip, and half of that round trip.
    samples: Vec<(Duration, Duration)>,
    /// The end of the last run, and the length of all.
    end: Duration,
    length: Duration,
    remarks: Vec<String>,
}

impl Joined {
    /// # Errors
    /// The contradiction between a run and its summary.
    fn of(runs: &[Run], choices: &Choices) -> Result<Joined, String> {
        let mut joined = Joined {
            tally: Tally { sent: 0, answered: 0 },
            samples: Vec::new(),
            end: Duration::ZERO,
            length: Duration::ZERO,
            remarks: Vec::new(),
        };
        let mut more = 0;
        for run in runs {
            let tally = run.tally()?;
            let interval = run.interval(tally.sent, choices);
            joined.take(run, tally, interval.unwrap_or(ASSUMED));
            let is_assumed = interval.is_none() && !run.answered.is_empty();
            let assumed =
                is_assumed.then(|| format!("The time between probes is assumed: {ASSUMED} (--interval)."));
            let remarks = assumed.into_iter().chain(run.remarks.iter().cloned()).chain(run.differences());
            for remark in remarks {
                match joined.remarks.len() {
                    _ if joined.remarks.contains(&remark) => {}
                    ..MOST_REMARKS => joined.remarks.push(remark),
                    _ => more += 1,
                }
            }
        }
        if more > 0 {
            joined.remarks.push(format!("Of further runs there are {more} such remarks on their summaries."));
        }
        if runs.len() > 1 {
            joined
                .remarks
                .push(format!("The file has {} runs of ping, which are one after another here.", runs.len()));
        }
        let duplicates: u64 = runs.iter().map(|run| run.duplicates).sum();
        if duplicates > 0 {
            joined.remarks.push(format!("Answers that came again: {duplicates}."));
        }
        let longest = runs.iter().map(Run::longest_silence).max().unwrap_or_default();
        if longest > 1 {
            joined.remarks.push(format!("The longest row of probes without an answer has {longest}."));
        }
        Ok(joined)
    }

    fn take(&mut self, run: &Run, tally: Tally, interval: Duration) {
        self.tally.sent = self.tally.sent.saturating_add(tally.sent);
        self.tally.answered = self.tally.answered.saturating_add(tally.answered.min(tally.sent));
        let begin = self.end;
        for (number, answer) in &run.answered {
            let Some((round_trip, _)) = answer.round_trip else { continue };
            let since = Duration::from_nanos(interval.as_nanos().saturating_mul(number - run.begin()));
            let at = answer.at.unwrap_or(begin + since);
            self.samples.push((at, Duration::nearest(round_trip.number() / 2.0)));
        }
        let spaced = interval * tally.sent.min(u64::from(u32::MAX));
        let summed = run.counts.and_then(|counts| counts.time).filter(|_| run.answered.is_empty());
        let length = summed.unwrap_or(spaced);
        let last = self.samples.last().map_or(Duration::ZERO, |sample| sample.0);
        self.length += length;
        self.end = if run.answered.is_empty() { begin + length } else { (last + interval).max(begin) };
    }

    fn content(self, runs: &[Run], name: &str) -> Content {
        let Tally { sent, answered } = self.tally;
        let loss = loss(sent, answered, self.length);
        let delay = match self.samples.len() {
            0 => of_summaries(runs, answered),
            count => {
                let how = format!("half of the round trip of {count} probes");
                let steps = Series::of(self.samples, self.end);
                steps.map(|steps| ObservedDelay { form: DelayForm::Probes(steps), how })
            }
        };
        Content {
            made_by: name.to_owned(),
            length: self.length,
            forward: Observations { rate: None, delay, loss },
            reverse: Observations::default(),
            remarks: self.remarks,
        }
    }
}

/// The delay from `ping -q`, which prints only the summary.
fn of_summaries(runs: &[Run], received: u64) -> Option<ObservedDelay> {
    let told = || runs.iter().filter_map(|run| Some((run.counts?.received, run.round_trips?)));
    let least = told().map(|(_, (least, _))| least).min()?;
    let (count, sum) = told().fold((0.0, 0.0), |(count, sum), (received, (_, mean))| {
        (count + received as f64, sum + received as f64 * mean.number())
    });
    let half = |nanos: f64| Duration::nearest(nanos / 2.0);
    let mean = (sum / f64::max(count, 1.0)).max(least.number());
    let form = DelayForm::Summary { least: half(least.number()), mean: half(mean) };
    Some(ObservedDelay { form, how: format!("half of the round trip of {received} probes, by the summary") })
}

fn loss(sent: u64, answered: u64, length: Duration) -> Option<ObservedLoss> {
    let lost = sent.saturating_sub(answered);
    let share = Share::nearest(lost as f64 / sent.max(1) as f64);
    let how = match lost {
        0 => format!("all {sent} probes were answered"),
        _ => format!("{lost} of {sent} probes have no answer; counted as losses of the forward direction"),
    };
    Series::of([(Duration::ZERO, share)], length).map(|steps| ObservedLoss { steps, how })
}

/// The most remarks shown for many runs.
const MOST_REMARKS: usize = 10;

/// The assumed time between probes.
const ASSUMED: Duration = Duration::from_secs(1);
