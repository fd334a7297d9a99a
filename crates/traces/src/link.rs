//! Joins the recordings of one link; assumes the rest.

use anabranch_base::{BitRate, ByteCount, Duration};

use crate::error::TraceError;
use crate::kind::TraceKind;
use crate::named;
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedRate};
use crate::recording::Recording;

/// A link with recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLink {
    /// The name.
    pub name: String,
    /// The files, each with its kind.
    pub files: Vec<(String, String)>,
    /// The length of the longest recording.
    pub length: Duration,
    pub(crate) forward: Observations,
    pub(crate) reverse: Observations,
    /// The names by which a scenario may refer to the traces of both directions.
    pub(crate) references: [Option<String>; 2],
    remarks: Vec<String>,
}

/// The source of a value in the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The key.
    pub what: &'static str,
    /// The basis of the value.
    pub basis: FactBasis,
    /// The measurement, or the reason for the assumption.
    pub how: String,
}

/// The basis of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactBasis {
    /// A recording gives it.
    Measured,
    /// No recording gives it.
    Assumed,
}

impl RecordedLink {
    /// Joins the recordings of a link. Each quantity is taken from the kind that measures it best: rates from traces,
    /// tables, then iperf3; delays from tables, `ping`, then iperf3; losses likewise. Of two files of one kind the
    /// second is the reverse direction.
    ///
    /// # Errors
    /// An invalid name, or two files where the link needs one.
    pub fn join(name: &str, recordings: Vec<Recording>) -> Result<RecordedLink, TraceError> {
        named::check(name)?;
        let mut directions: [Vec<Recording>; 2] = Default::default();
        for recording in recordings {
            let count = directions.iter().flatten().filter(|other| other.kind == recording.kind).count();
            match (count, recording.kind) {
                (0, _) => directions[0].push(recording),
                (1, TraceKind::Mahimahi | TraceKind::Csv | TraceKind::Iperf3) => {
                    directions[1].push(recording);
                }
                _ => return Err(same_twice(name, &directions, &recording)),
            }
        }
        let all = || directions.iter().flatten();
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
        let [mut forward, mut reverse] = directions;
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

    /// The source of each value, in the order of the scenario's keys.
    pub fn facts(&self) -> Vec<Fact> {
        let measured = |what, how: &str| Fact { what, basis: FactBasis::Measured, how: how.to_owned() };
        let assumed = |what, how: String| Fact { what, basis: FactBasis::Assumed, how };
        let rate = match &self.forward.rate {
            Some(rate) => measured("rate", &rate_text(rate)),
            None => assumed("rate", format!("{ASSUMED_RATE}: not in any recording")),
        };
        let delay = match &self.forward.delay {
            Some(delay) => measured("delay", &delay_text(delay)),
            None => assumed("delay", format!("{ASSUMED_DELAY} one way: not in any recording")),
        };
        let loss = match &self.forward.loss {
            Some(loss) => measured("loss", &loss.how),
            None => assumed("loss", "none: not in any recording".to_owned()),
        };
        let queue = assumed("queue", "the bandwidth-delay product, at least 50 packets".to_owned());
        let reverse = match &self.reverse.rate {
            Some(rate) => measured("reverse", &format!("rate: {}", rate_text(rate))),
            None => assumed("reverse", "the same rate and delay, without losses".to_owned()),
        };
        let back = self.reverse.loss.as_ref().map(|loss| measured("reverse", &format!("loss: {}", loss.how)));
        let delay_back = self.reverse.delay.as_ref();
        let delay_back =
            delay_back.map(|delay| measured("reverse", &format!("delay: {}", delay_text(delay))));
        [rate, delay, loss, queue, reverse].into_iter().chain(delay_back).chain(back).collect()
    }

    /// Further remarks, each a sentence.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The mean forward rate, or the assumed one.
    pub(crate) fn mean_rate(&self) -> BitRate {
        self.forward.rate.as_ref().map_or(ASSUMED_RATE, ObservedRate::mean)
    }

    /// The bandwidth-delay product, in packets of 1,500 bytes.
    pub(crate) fn queue_packets(&self) -> u64 {
        let delay = self.forward.delay.as_ref().map_or(ASSUMED_DELAY, |delay| delay.form.least());
        let bits = self.mean_rate().bits_per_second() as f64 * 2.0 * delay.as_secs_f64();
        ((bits / 8.0 / PACKET.get() as f64).ceil() as u64).clamp(LEAST_QUEUE, MOST_QUEUE)
    }
}

/// Fills in the quantities still missing.
fn fill(all: &mut Observations, more: Observations, reference: &mut Option<String>, named: Option<String>) {
    if all.rate.is_none() && more.rate.is_some() {
        all.rate = more.rate;
        *reference = named;
    }
    all.delay = all.delay.take().or(more.delay);
    all.loss = all.loss.take().or(more.loss);
}

fn same_twice(link: &str, directions: &[Vec<Recording>; 2], second: &Recording) -> TraceError {
    let first = directions.iter().flatten().find(|other| other.kind == second.kind);
    TraceError::SameTwice {
        link: link.to_owned(),
        kind: second.kind,
        first: first.map(|first| first.file.clone()).unwrap_or_default(),
        second: second.file.clone(),
    }
}

fn rate_text(rate: &ObservedRate) -> String {
    match rate {
        ObservedRate::Opportunities(moments) => {
            format!("{} packets of 1504 B may pass, {} on average", moments.len(), rate.mean())
        }
        ObservedRate::Steps { steps, how } => {
            format!("{how}; {} to {}, {} on average", steps.least(), steps.most(), steps.mean())
        }
    }
}

fn delay_text(delay: &ObservedDelay) -> String {
    let how = &delay.how;
    match &delay.form {
        DelayForm::Steps(steps) => {
            format!("{how}; {} to {}, {} on average", steps.least(), steps.most(), steps.mean())
        }
        DelayForm::Probes(steps) => {
            let mean = steps.mean_of_samples();
            format!("{how}; {} to {}, {mean} on average", steps.least(), steps.most())
        }
        DelayForm::Summary { least, mean } => format!("{how}; {least} at least, {mean} on average"),
        DelayForm::Least(least) => format!("{how}; {least}"),
    }
}

/// The assumed values, those of an ordinary access link.
pub(crate) const ASSUMED_RATE: BitRate = BitRate::from_mbps(10);
pub(crate) const ASSUMED_DELAY: Duration = Duration::from_millis(20);

const PACKET: ByteCount = ByteCount::new(1_500);
const LEAST_QUEUE: u64 = 50;
const MOST_QUEUE: u64 = 100_000;
