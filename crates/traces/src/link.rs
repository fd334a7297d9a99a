//! The recordings of one link put together, and what is assumed where they say nothing.

use anabranch_base::{BitRate, ByteCount, Duration};

use crate::error::TraceError;
use crate::kind::TraceKind;
use crate::named;
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedRate};
use crate::recording::Recording;

/// A link of which there are recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLink {
    /// The name.
    pub name: String,
    /// The files, each with what made it.
    pub files: Vec<(String, String)>,
    /// The length of the longest of them.
    pub length: Duration,
    pub(crate) forward: Observations,
    pub(crate) reverse: Observations,
    /// How a scenario may name the traces of both ways.
    pub(crate) references: [Option<String>; 2],
    remarks: Vec<String>,
}

/// Where a value of the scenario comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The key.
    pub what: &'static str,
    /// True if it was measured.
    pub basis: FactBasis,
    /// How, or why so.
    pub how: String,
}

/// Whether a value was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactBasis {
    /// A recording has it.
    Measured,
    /// No recording has it.
    Assumed,
}

impl RecordedLink {
    /// Puts the recordings of a link together. Each quantity is taken from the kind that tells it best: rates from traces,
    /// tables, then iperf3; delays from tables, `ping`, then iperf3; losses likewise. Of two files of one kind the second
    /// is of the way back.
    ///
    /// # Errors
    /// A name that no link can have, or files of which the link needs only one.
    pub fn join(name: &str, recordings: Vec<Recording>) -> Result<RecordedLink, TraceError> {
        named::check(name)?;
        let mut ways: [Vec<Recording>; 2] = Default::default();
        for recording in recordings {
            let count = ways.iter().flatten().filter(|other| other.kind == recording.kind).count();
            match (count, recording.kind) {
                (0, _) => ways[0].push(recording),
                (1, TraceKind::Mahimahi | TraceKind::Csv | TraceKind::Iperf3) => ways[1].push(recording),
                _ => return Err(same_twice(name, &ways, &recording)),
            }
        }
        let all = || ways.iter().flatten();
        if all().next().is_none() {
            return Err(TraceError::NoFile);
        }
        let mut link = RecordedLink {
            name: name.to_owned(),
            files: all().map(|one| (one.file.clone(), one.made_by.clone())).collect(),
            length: all().map(Recording::length).max().unwrap_or_default(),
            forward: Observations::default(),
            reverse: Observations::default(),
            references: [None, None],
            remarks: all().flat_map(|one| one.remarks.clone()).collect(),
        };
        let [mut forward, mut reverse] = ways;
        forward.sort_by_key(|one| one.kind);
        reverse.sort_by_key(|one| one.kind);
        for recording in forward {
            fill(&mut link.forward, recording.forward, &mut link.references[0], recording.reference);
            fill(&mut link.reverse, recording.reverse, &mut link.references[1], None);
        }
        for recording in reverse {
            fill(&mut link.reverse, recording.forward, &mut link.references[1], recording.reference);
        }
        Ok(link)
    }

    /// Where each value comes from, in the order of the scenario's keys.
    pub fn facts(&self) -> Vec<Fact> {
        let measured = |what, how: &str| Fact { what, basis: FactBasis::Measured, how: how.to_owned() };
        let assumed = |what, how: String| Fact { what, basis: FactBasis::Assumed, how };
        let rate = match &self.forward.rate {
            Some(rate) => measured("rate", &told(rate)),
            None => assumed("rate", format!("{ASSUMED_RATE}: no recording says it")),
        };
        let delay = match &self.forward.delay {
            Some(delay) => measured("delay", &told_delay(delay)),
            None => assumed("delay", format!("{ASSUMED_DELAY} one way: no recording says it")),
        };
        let loss = match &self.forward.loss {
            Some(loss) => measured("loss", &loss.how),
            None => assumed("loss", "none: no recording says it".to_owned()),
        };
        let queue =
            assumed("queue", "what the line carries in a round trip, and 50 packets at least".to_owned());
        let reverse = match &self.reverse.rate {
            Some(rate) => measured("reverse", &format!("rate: {}", told(rate))),
            None => assumed("reverse", "the way back has the same rate and delay, and no loss".to_owned()),
        };
        let back = self.reverse.loss.as_ref().map(|loss| measured("reverse", &format!("loss: {}", loss.how)));
        let delay_back = self.reverse.delay.as_ref();
        let delay_back =
            delay_back.map(|delay| measured("reverse", &format!("delay: {}", told_delay(delay))));
        [rate, delay, loss, queue, reverse].into_iter().chain(delay_back).chain(back).collect()
    }

    /// What else is to be said, in sentences.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The mean rate of the way forward, or the assumed one.
    pub(crate) fn mean_rate(&self) -> BitRate {
        self.forward.rate.as_ref().map_or(ASSUMED_RATE, ObservedRate::mean)
    }

    /// What the line carries in a round trip, in packets of 1,500 bytes.
    pub(crate) fn queue_packets(&self) -> u64 {
        let delay = self.forward.delay.as_ref().map_or(ASSUMED_DELAY, |delay| delay.form.least());
        let bits = self.mean_rate().bits_per_second() as f64 * 2.0 * delay.as_secs_f64();
        ((bits / 8.0 / PACKET.get() as f64).ceil() as u64).clamp(LEAST_QUEUE, MOST_QUEUE)
    }
}

/// Takes what is not there yet.
fn fill(all: &mut Observations, more: Observations, reference: &mut Option<String>, named: Option<String>) {
    if all.rate.is_none() && more.rate.is_some() {
        all.rate = more.rate;
        *reference = named;
    }
    all.delay = all.delay.take().or(more.delay);
    all.loss = all.loss.take().or(more.loss);
}

fn same_twice(link: &str, ways: &[Vec<Recording>; 2], second: &Recording) -> TraceError {
    let first = ways.iter().flatten().find(|other| other.kind == second.kind);
    TraceError::SameTwice {
        link: link.to_owned(),
        kind: second.kind,
        first: first.map(|first| first.file.clone()).unwrap_or_default(),
        second: second.file.clone(),
    }
}

fn told(rate: &ObservedRate) -> String {
    match rate {
        ObservedRate::Opportunities(moments) => {
            format!("{} packets of 1504 B may pass, {} in the mean", moments.len(), rate.mean())
        }
        ObservedRate::Steps { steps, how } => {
            format!("{how}; {} to {}, {} in the mean", steps.least(), steps.most(), steps.mean())
        }
    }
}

fn told_delay(delay: &ObservedDelay) -> String {
    let how = &delay.how;
    match &delay.form {
        DelayForm::Steps(steps) => {
            format!("{how}; {} to {}, {} in the mean", steps.least(), steps.most(), steps.mean())
        }
        DelayForm::Probes(steps) => {
            let mean = steps.mean_of_samples();
            format!("{how}; {} to {}, {mean} in the mean", steps.least(), steps.most())
        }
        DelayForm::Summary { least, mean } => format!("{how}; {least} at least, {mean} in the mean"),
        DelayForm::Least(least) => format!("{how}; {least}"),
    }
}

/// Where nothing was measured: what a usual access link has.
pub(crate) const ASSUMED_RATE: BitRate = BitRate::from_mbps(10);
pub(crate) const ASSUMED_DELAY: Duration = Duration::from_millis(20);

const PACKET: ByteCount = ByteCount::new(1_500);
const LEAST_QUEUE: u64 = 50;
const MOST_QUEUE: u64 = 100_000;
