//! Reads what `ping` prints, on Linux (iputils, BusyBox) and on macOS: round trips by sequence number, which numbers have no
//! answer, and the summary.

mod line;
mod summary;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use anabranch_base::Duration;

use crate::choices::Choices;
use crate::fault::{Fault, Read};
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedLoss};
use crate::recording::Content;
use crate::series::{Amount as _, Series, Share};
use line::{Line, Probe};
use summary::Summary;

/// Reads the output of `ping`.
pub(crate) fn read(text: &str, choices: &Choices) -> Read<Content> {
    let mut probes = Probes::default();
    let mut summary = Summary::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start..start + line.trim_end().len();
        start += line.len();
        match Line::of(line.trim_end()) {
            Line::Probe(probe) => probes.take(&probe, at)?,
            Line::Summary => summary.take(line.trim_end()),
            Line::Other => {}
        }
    }
    if probes.answered.is_empty() {
        return of_summary(text, &summary);
    }
    probes.content(&summary, choices)
}

/// What is known of the probes, by sequence numbers that do not begin anew.
#[derive(Default)]
struct Probes {
    /// The round trip of each that was answered, and when, where that is said.
    answered: BTreeMap<u64, (Duration, Option<Duration>)>,
    least: Option<u64>,
    most: u64,
    duplicates: u64,
}

impl Probes {
    fn take(&mut self, probe: &Probe, at: Range<usize>) -> Read<()> {
        let number = self.unwrapped(probe.sequence);
        self.least = Some(self.least.map_or(number, |least| least.min(number)));
        self.most = self.most.max(number);
        let Some(round_trip) = &probe.round_trip else { return Ok(()) };
        let Ok(round_trip) = anabranch_scenario::quantity::span(&format!("{round_trip} ms")) else {
            let message = format!("{round_trip:?} is not a round trip in milliseconds");
            return Err(Fault::at(at, message).expected("time=12.3 ms"));
        };
        match self.answered.entry(number) {
            Entry::Occupied(_) => self.duplicates += 1,
            Entry::Vacant(place) => {
                place.insert((round_trip, probe.at));
            }
        }
        Ok(())
    }

    /// The number in full: the printed one has 16 bits.
    fn unwrapped(&self, printed: u64) -> u64 {
        if self.least.is_none() || printed > WRAP {
            return printed;
        }
        let round = self.most / WRAP * WRAP;
        let candidates = [round.checked_sub(WRAP), Some(round), round.checked_add(WRAP)];
        let near = candidates.into_iter().flatten().filter_map(|base| base.checked_add(printed));
        near.min_by_key(|number| number.abs_diff(self.most)).unwrap_or(printed)
    }

    fn content(self, summary: &Summary, choices: &Choices) -> Read<Content> {
        let least = self.least.unwrap_or_default();
        let sent = (self.most - least + 1).max(summary.transmitted.unwrap_or_default());
        let answered = self.answered.len() as u64;
        let (interval, remark) = self.interval(sent, summary, choices);
        let moment = |number: u64, at: Option<Duration>| {
            at.unwrap_or_else(|| Duration::from_nanos(interval.as_nanos().saturating_mul(number - least)))
        };
        let samples = self.answered.iter().map(|(number, (round_trip, at))| {
            (moment(*number, *at), Duration::nearest(round_trip.number() / 2.0))
        });
        let samples: Vec<(Duration, Duration)> = samples.collect();
        let last = samples.last().map_or(Duration::ZERO, |sample| sample.0);
        let delays = Series::of(samples, last + interval);
        let length = interval * sent.min(u64::from(u32::MAX));
        let how = format!("half of the round trip of {answered} probes");
        let mut remarks: Vec<String> = remark.into_iter().collect();
        if self.duplicates > 0 {
            remarks.push(format!("Answers that came again: {}.", self.duplicates));
        }
        let longest = self.longest_silence();
        if longest > 1 {
            remarks.push(format!("The longest row of probes without an answer has {longest}."));
        }
        Ok(Content {
            made_by: "ping".to_owned(),
            length,
            forward: Observations {
                rate: None,
                delay: delays.map(|delays| ObservedDelay { form: DelayForm::Probes(delays), how }),
                loss: loss(sent, answered, length),
            },
            reverse: Observations::default(),
            remarks,
        })
    }

    /// The time between probes, and what is to be said of it.
    fn interval(&self, sent: u64, summary: &Summary, choices: &Choices) -> (Duration, Option<String>) {
        let per_gap =
            |span: Duration, gaps: u64| (gaps > 0).then(|| span / gaps).filter(|gap| !gap.is_zero());
        let mut moments = self.answered.iter().filter_map(|(number, (_, at))| at.map(|at| (*number, at)));
        let (first, last) = (moments.clone().next(), moments.next_back());
        let stamped = first
            .zip(last)
            .and_then(|(first, last)| per_gap(last.1.saturating_sub(first.1), last.0 - first.0));
        let summed = || summary.time.and_then(|time| per_gap(time, sent - 1));
        match choices.interval.or(stamped).or_else(summed) {
            Some(interval) => (interval, None),
            None => (ASSUMED, Some(format!("The time between probes is assumed: {ASSUMED} (--interval)."))),
        }
    }

    /// The most probes in a row without an answer, between two that have one.
    fn longest_silence(&self) -> u64 {
        let numbers = self.answered.keys();
        numbers.clone().zip(numbers.skip(1)).map(|(before, next)| next - before - 1).max().unwrap_or_default()
    }
}

/// Of `ping -q`, which prints the summary alone.
fn of_summary(text: &str, summary: &Summary) -> Read<Content> {
    let fault = |message| Fault::at(text.len()..text.len(), message);
    let Some(sent) = summary.transmitted else {
        let expected = "lines such as `64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms`";
        return Err(fault("ping printed no round trip").expected(expected));
    };
    let (Some((least, mean)), Some(received)) = (summary.round_trips, summary.received) else {
        return Err(fault("no probe was answered").expected("at least one answer"));
    };
    let length = summary.time.unwrap_or_else(|| ASSUMED * sent.min(u64::from(u32::MAX)));
    let half = |span: Duration| Duration::nearest(span.number() / 2.0);
    let form = DelayForm::Summary { least: half(least), mean: half(mean.max(least)) };
    let how = format!("half of the round trip of {received} probes, by the summary");
    Ok(Content {
        made_by: "ping".to_owned(),
        length,
        forward: Observations {
            rate: None,
            delay: Some(ObservedDelay { form, how }),
            loss: loss(sent, received, length),
        },
        ..Content::default()
    })
}

fn loss(sent: u64, answered: u64, length: Duration) -> Option<ObservedLoss> {
    let lost = sent.saturating_sub(answered);
    let share = Share::nearest(lost as f64 / sent.max(1) as f64);
    let how = match lost {
        0 => format!("all {sent} probes were answered"),
        _ => format!("{lost} of {sent} probes have no answer; all of it is put on the way forward"),
    };
    Series::of([(Duration::ZERO, share)], length).map(|steps| ObservedLoss { steps, how })
}

/// Printed sequence numbers begin anew here.
const WRAP: u64 = 1 << 16;

/// Between probes, where nothing else is said.
const ASSUMED: Duration = Duration::from_secs(1);
