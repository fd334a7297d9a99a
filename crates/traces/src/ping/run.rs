//! One run of `ping`: the probes answered, compared with its own summary.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anabranch_base::Duration;

use super::plain::{milliseconds, resolution};
use super::summary::{Counts, RoundTrips};
use crate::choices::Choices;
use crate::series::Amount as _;

/// A probe and its fate, from one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Probe {
    pub sequence: u64,
    pub fate: Fate,
    /// The time stamp of the line, if any.
    pub at: Option<Duration>,
}

/// The fate of a probe.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    /// Answered in this time, a number and its unit.
    Timed(String, String),
    /// Answered; short and truncated answers have no time.
    Untimed,
    /// A duplicate of an answer.
    Duplicate,
    /// Not answered yet.
    Silent,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The round trip and its rounding error.
    pub round_trip: Option<(Duration, Duration)>,
    pub at: Option<Duration>,
}

/// A run, whose sequence numbers do not restart.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The host named in its first line.
    pub target: Option<String>,
    /// The first number, if that line gives it.
    pub first: Option<u64>,
    pub answered: BTreeMap<u64, Answer>,
    pub counts: Option<Counts>,
    pub round_trips: Option<RoundTrips>,
    pub duplicates: u64,
    pub remarks: Vec<String>,
    least: Option<u64>,
    most: u64,
}

/// The losses of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub sent: u64,
    pub answered: u64,
}

impl Run {
    /// A run whose probes are numbered from `first`.
    pub(super) fn begun(target: Option<String>, first: u64) -> Run {
        Run { target, first: Some(first), ..Run::default() }
    }

    /// Adds a probe.
    ///
    /// # Errors
    /// The contradiction to an earlier line.
    pub(super) fn take(&mut self, probe: &Probe) -> Result<(), String> {
        let number = self.unwrapped(probe.sequence);
        self.least = Some(self.least.map_or(number, |least| least.min(number)));
        self.most = self.most.max(number);
        let round_trip = match &probe.fate {
            Fate::Silent => return Ok(()),
            Fate::Duplicate => {
                self.duplicates += 1;
                return Ok(());
            }
            Fate::Untimed => None,
            Fate::Timed(time, unit) => {
                let message = || format!("{time:?} is not a round trip in milliseconds");
                Some((milliseconds(time, unit).ok_or_else(message)?, resolution(time)))
            }
        };
        match self.answered.entry(number) {
            // macOS does not mark answers of other members of a group.
            Entry::Occupied(_) => self.duplicates += 1,
            Entry::Vacant(place) => {
                place.insert(Answer { round_trip, at: probe.at });
            }
        }
        Ok(())
    }

    /// Returns true if this number was answered before: a second line for it is of another run.
    pub(crate) fn has_answer(&self, printed: u64) -> bool {
        self.answered.contains_key(&self.unwrapped(printed))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.least.is_none() && self.counts.is_none() && self.round_trips.is_none()
    }

    /// The first number sent.
    pub(super) fn begin(&self) -> u64 {
        self.least.into_iter().chain(self.first).min().unwrap_or_default()
    }

    /// The number of probes that the lines span.
    pub(super) fn span(&self) -> u64 {
        self.least.map_or(0, |least| self.most - least + 1)
    }

    /// The full number; the printed one has 16 bits.
    fn unwrapped(&self, printed: u64) -> u64 {
        if self.least.is_none() || printed > WRAP {
            return printed;
        }
        let round = self.most / WRAP * WRAP;
        let candidates = [round.checked_sub(WRAP), Some(round), round.checked_add(WRAP)];
        let near = candidates.into_iter().flatten().filter_map(|base| base.checked_add(printed));
        near.min_by_key(|number| number.abs_diff(self.most)).unwrap_or(printed)
    }

    /// The probes sent and answered: from the summary, which the lines may not contradict, or else from the lines.
    ///
    /// # Errors
    /// The contradiction between summary and lines.
    pub(super) fn tally(&self) -> Result<Tally, String> {
        let (span, answered) = (self.span(), self.answered.len() as u64);
        let Some(counts) = self.counts else {
            // Losses before the first answer count too, where the first line is present.
            let sent = self.least.map_or(0, |_| self.most - self.begin() + 1);
            return Ok(Tally { sent, answered });
        };
        let Counts { transmitted, received, .. } = counts;
        if span > transmitted {
            return Err(format!(
                "the summary says {transmitted} probes, and the lines before it are of {span}"
            ));
        }
        Ok(Tally { sent: transmitted, answered: received })
    }

    /// Sentences on differences between the summary and the lines.
    pub(super) fn differences(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let answered = self.answered.len() as u64;
        match self.counts {
            Some(Counts { transmitted, received, .. }) if answered > 0 && received != answered => {
                remarks.push(format!(
                    "The summary says {received} of {transmitted} answered, the lines {answered}: the loss is the summary's."
                ));
            }
            None if self.span() > 0 => {
                remarks
                    .push("There is no summary: what was lost behind the last line is not known.".to_owned());
            }
            _ => {}
        }
        let Some((least, mean)) = self.round_trips else { return remarks };
        let times: Vec<(Duration, Duration)> =
            self.answered.values().filter_map(|answer| answer.round_trip).collect();
        let Some(found) = times.iter().map(|time| time.0).min() else { return remarks };
        let sum: f64 = times.iter().map(|time| time.0.number()).sum();
        let found_mean = Duration::nearest(sum / times.len() as f64);
        let exact = times.iter().map(|time| time.1).max().unwrap_or_default();
        let is_near = |a: Duration, b: Duration| {
            a.saturating_sub(b).max(b.saturating_sub(a)) <= exact + b / 100 + Duration::from_micros(2)
        };
        // The summary's mean includes duplicates.
        if !is_near(found, least) || self.duplicates == 0 && !is_near(found_mean, mean) {
            remarks.push(format!(
                "The summary says round trips of {least} at least and {mean} on average, the lines {found} and {found_mean}: the delay is the lines'."
            ));
        }
        remarks
    }

    /// The time between probes, if known.
    pub(super) fn interval(&self, sent: u64, choices: &Choices) -> Option<Duration> {
        let per_gap =
            |span: Duration, gaps: u64| (gaps > 0).then(|| span / gaps).filter(|gap| !gap.is_zero());
        let mut moments = self.answered.iter().filter_map(|(number, answer)| Some((*number, answer.at?)));
        let (first, last) = (moments.clone().next(), moments.next_back());
        let stamped = first
            .zip(last)
            .and_then(|(first, last)| per_gap(last.1.saturating_sub(first.1), last.0 - first.0));
        let summed = || self.counts?.time.and_then(|time| per_gap(time, sent.saturating_sub(1)));
        choices.interval.or(stamped).or_else(summed)
    }

    /// The most consecutive unanswered probes between two answers.
    pub(crate) fn longest_silence(&self) -> u64 {
        let numbers = self.answered.keys();
        numbers.clone().zip(numbers.skip(1)).map(|(before, next)| next - before - 1).max().unwrap_or_default()
    }
}

/// The number at which printed sequence numbers restart.
const WRAP: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn run(numbers: &[u64], counts: Option<(u64, u64)>) -> Run {
        let counts = counts.map(|(transmitted, received)| Counts { transmitted, received, time: None });
        let mut run = Run { counts, ..Run::default() };
        for sequence in numbers {
            let fate = Fate::Timed("20.0".to_owned(), "ms".to_owned());
            run.take(&Probe { sequence: *sequence, fate, at: None }).expect("a probe");
        }
        run
    }

    #[test]
    fn the_summary_decides_about_losses_and_lines_that_cannot_be_of_it_are_refused() {
        assert_eq!(run(&[1, 2, 4], Some((10, 3))).tally(), Ok(Tally { sent: 10, answered: 3 }));
        assert_eq!(run(&[1, 2, 4], None).tally(), Ok(Tally { sent: 4, answered: 3 }));
        assert!(run(&[1, 2, 4], Some((3, 3))).tally().is_err_and(|why| why.contains("says 3 probes")));
        assert_eq!(run(&[1, 2, 4], Some((10, 3))).differences(), Vec::<String>::new());
        assert!(run(&[1, 2, 4], Some((10, 9))).differences()[0].contains("9 of 10 answered, the lines 3"));
    }

    #[test]
    fn round_trips_of_another_run_in_the_summary_are_said() {
        let mut run = run(&[1, 2], Some((2, 2)));
        run.round_trips = Some((Duration::from_micros(19_970), Duration::from_micros(20_020)));
        assert_eq!(run.differences(), Vec::<String>::new(), "as exact as lines are");
        run.round_trips = Some((Duration::from_millis(20), Duration::from_millis(35)));
        assert!(run.differences()[0].contains("35 ms on average, the lines 20 ms and 20 ms"));
    }

    #[test]
    fn numbers_go_on_where_the_printed_ones_begin_anew() {
        let run = run(&[65_534, 65_535, 0, 1], None);
        assert_eq!(run.tally(), Ok(Tally { sent: 4, answered: 4 }));
        assert!(run.has_answer(1) && !run.has_answer(2));
    }
}
