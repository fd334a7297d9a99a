//! Lines of Windows' `ping`, where probes have no numbers. Each line between the first line and the heading of the
//! statistics is of one probe, so that those without a time are lost, in any language.

use super::plain::{Assignment, assignments};
use super::run::{Fate, Probe, Run};
use super::summary::Counts;

/// Returns true for a line only Windows' `ping` writes: an answer whose time is not the last number, or three counts.
pub(super) fn is_line(line: &str) -> bool {
    let numbers = assignments(line);
    is_answer(line, &numbers) || three(&numbers).is_some() && line.contains('%')
}

/// Returns true for a line such as `Pinging example.org [192.0.2.7] with 32 bytes of data:`.
pub(super) fn is_head(line: &str) -> bool {
    line.ends_with(':') && line.contains(|c: char| c.is_ascii_digit()) && !line.contains('=')
}

/// The part of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before a first line.
    #[default]
    Outside,
    Probes,
    Statistics,
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    place: Place,
    runs: Vec<Run>,
    /// The number of the run's lines of probes.
    lines: u64,
    /// The counts of its statistics, which Italian prints on two lines.
    counts: Vec<u64>,
}

impl Reader {
    /// Adds a line that is not empty.
    ///
    /// # Errors
    /// The fault of the line.
    pub(super) fn take(&mut self, line: &str, at: Option<anabranch_base::Duration>) -> Result<(), String> {
        let numbers = assignments(line);
        let is_answer = is_answer(line, &numbers);
        match self.place {
            // A heading ends the probes; before them it is a first line.
            Place::Probes if is_head(line) && self.lines > 0 => self.place = Place::Statistics,
            Place::Probes => {
                if let Some([sent, received, lost]) = three(&numbers) {
                    return self.count(sent, received, lost);
                }
                self.probe(&numbers, is_answer, at)?;
            }
            _ if is_answer => {
                self.begin(None);
                self.probe(&numbers, true, at)?;
            }
            Place::Statistics => {
                self.counts.extend(
                    numbers.iter().filter(|number| number.unit.is_empty()).filter_map(Assignment::count),
                );
                if let [sent, received, lost] = self.counts[..] {
                    self.counts.clear();
                    return self.count(sent, received, lost);
                }
                if let (Some(run), [least, _, mean]) = (self.runs.last_mut(), numbers.as_slice()) {
                    let time =
                        |number: &Assignment<'_>| super::plain::milliseconds(number.number, number.unit);
                    run.round_trips = time(least).zip(time(mean)).filter(|(least, mean)| least <= mean);
                    self.place = Place::Outside;
                }
            }
            Place::Outside if is_head(line) => self.begin(target(line)),
            Place::Outside => {
                if let Some([sent, received, lost]) = three(&numbers).filter(|_| line.contains('%')) {
                    self.begin(None);
                    return self.count(sent, received, lost);
                }
            }
        }
        Ok(())
    }

    pub(super) fn runs(self) -> Vec<Run> {
        self.runs.into_iter().filter(|run| !run.is_empty()).collect()
    }

    fn begin(&mut self, target: Option<String>) {
        self.runs.push(Run::begun(target, 0));
        self.place = Place::Probes;
        self.lines = 0;
        self.counts.clear();
    }

    fn probe(
        &mut self,
        numbers: &[Assignment<'_>],
        is_answer: bool,
        at: Option<anabranch_base::Duration>,
    ) -> Result<(), String> {
        let time = numbers.iter().find(|number| !number.unit.is_empty()).filter(|_| is_answer);
        let fate =
            time.map_or(Fate::Silent, |time| Fate::Timed(time.number.to_owned(), time.unit.to_owned()));
        let Some(run) = self.runs.last_mut() else { return Ok(()) };
        run.take(&Probe { sequence: self.lines, fate, at })?;
        self.lines += 1;
        Ok(())
    }

    fn count(&mut self, sent: u64, received: u64, lost: u64) -> Result<(), String> {
        self.place = Place::Statistics;
        let Some(run) = self.runs.last_mut() else { return Ok(()) };
        let mut counts = Counts::of_three(sent, received, lost)?;
        let answered = run.answered.len() as u64;
        if self.lines == sent && answered < received {
            run.remarks.push(format!(
                "Windows counts errors such as an unreachable host as answers, {} of its {received}: they are lost here.",
                received - answered
            ));
            counts.received = answered;
        }
        run.counts = Some(counts);
        Ok(())
    }
}

/// `Reply from 192.0.2.7: bytes=32 time=15ms TTL=117`; IPv6 has the time only.
fn is_answer(line: &str, numbers: &[Assignment<'_>]) -> bool {
    let is_time = |number: &Assignment<'_>| !number.unit.is_empty();
    let is_lifetime =
        |number: &Assignment<'_>| number.name.eq_ignore_ascii_case("ttl") && number.unit.is_empty();
    match numbers {
        [only] => is_time(only) && line.contains(": ") && !line.contains(','),
        [.., time, lifetime] => is_time(time) && is_lifetime(lifetime),
        [] => false,
    }
}

/// `Packets: Sent = 4, Received = 3, Lost = 1 (25% loss)`.
fn three(numbers: &[Assignment<'_>]) -> Option<[u64; 3]> {
    let [sent, received, lost] = numbers else { return None };
    let is_count = |number: &&Assignment<'_>| number.unit.is_empty();
    let count = |number: &Assignment<'_>| Some(number).filter(is_count)?.count();
    Some([count(sent)?, count(received)?, count(lost)?])
}

/// The address in brackets, or else the first word with digits.
fn target(line: &str) -> Option<String> {
    let named = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(address, _)| address);
    let mut words = line.split(' ').filter(|word| word.contains(['.', ':']) && !word.ends_with(':'));
    named.or_else(|| words.next()).map(str::to_owned)
}
