//! The keys of a test's document, which scripts rely on.

use anabranch_diagnose::{Alone, Diagnosis, PathSeen};

use crate::link_entry::LinkEntry;
use crate::path_entry::{PathEntry, as_told};
use crate::protocol::{Delays, EndReport};
use serde::Serialize;
use serde_json::{Value, json};

use crate::deadline_entry::DeadlineEntry;
use crate::intervals::Interval;
use crate::measured::{Measured, OneDirection, cpu_s_per_gb};

/// The result of a test. Keys in the order in which they are printed.
#[derive(Clone, Debug, Serialize)]
pub struct BenchDocument {
    #[serde(flatten)]
    first: DirectionEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    reverse: Option<DirectionEntry>,
    intervals: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alone: Vec<AloneEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Diagnosis>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkEntry>,
    resolved: Value,
}

/// The result of one path tested alone.
#[derive(Clone, Debug, Serialize)]
pub struct AloneEntry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(flatten)]
    entry: Option<DirectionEntry>,
    /// The input of the verdict.
    #[serde(skip)]
    pub alone: Alone,
}

/// The result of one direction.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DirectionEntry {
    bytes: u64,
    seconds: f64,
    goodput_bps: f64,
    direction: &'static str,
    message_bytes: u64,
    offered_bps: Option<u64>,
    messages: Option<u64>,
    unsent_messages: u64,
    late_bytes: Option<u64>,
    delay_s: Option<Delays>,
    delay_error_s: f64,
    longest_stall_s: Option<f64>,
    longest_stall_at_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<DeadlineEntry>,
    delivered_interval_s: Option<f64>,
    delivered_bytes: Vec<u64>,
    cpu_s_per_gb: Ends<Option<f64>>,
    cpu_share: Ends<Option<f64>>,
    receive_buffer_bytes: Option<u64>,
    receive_buffer_limit_bytes: Option<u64>,
    paths: Vec<Value>,
}

/// A value of each end.
#[derive(Clone, Copy, Debug, Serialize)]
struct Ends<T> {
    sender: T,
    receiver: T,
}

impl BenchDocument {
    /// The document of `measured`, tested with the settings `resolved`.
    pub fn of(measured: &Measured, resolved: Value) -> BenchDocument {
        let (first, reverse) = measured.directions();
        let entry = |one: &OneDirection<'_>| DirectionEntry::of(measured, one);
        let intervals = measured.intervals.iter().map(Interval::document).collect();
        BenchDocument {
            first: entry(&first),
            reverse: reverse.as_ref().map(entry),
            intervals,
            alone: Vec::new(),
            verdict: None,
            links: measured.links.iter().map(LinkEntry::from).collect(),
            resolved,
        }
    }

    /// Adds the verdict.
    pub fn judged(self, verdict: Diagnosis) -> BenchDocument {
        BenchDocument { verdict: Some(verdict), ..self }
    }

    /// Adds the results of each path alone.
    pub fn beside(self, alone: Vec<AloneEntry>) -> BenchDocument {
        BenchDocument { alone, ..self }
    }
}

impl AloneEntry {
    /// The result of the path named `name`.
    pub fn of(name: &str, measured: &Measured) -> AloneEntry {
        let (first, _) = measured.directions();
        let first = first.only(name);
        let path = first.paths.iter().find(|path| path.name == name).cloned().unwrap_or_default();
        AloneEntry::carried(name, measured, &first, &path)
    }

    /// The result of a link tested alone: the goodput of all paths over it, and the path that carried most. A peer
    /// with several addresses chooses from which it sends.
    pub fn of_link(name: &str, measured: &Measured) -> AloneEntry {
        let (first, _) = measured.directions();
        let path = first.paths.iter().max_by_key(|path| path.carried_bytes).cloned().unwrap_or_default();
        AloneEntry::carried(name, measured, &first, &path)
    }

    fn carried(name: &str, measured: &Measured, first: &OneDirection<'_>, path: &PathEntry) -> AloneEntry {
        let alone =
            Alone { name: name.to_owned(), goodput_bps: first.goodput_bps(), path: PathSeen::from(path) };
        let entry = Some(DirectionEntry::of(measured, first));
        AloneEntry { name: name.to_owned(), error: None, entry, alone }
    }

    /// Returns true if the path carried nothing.
    pub fn is_dead(&self) -> bool {
        self.alone.is_dead()
    }

    /// The result of a path whose test failed, with the error as documents represent it.
    pub fn failed(name: &str, error: Value) -> AloneEntry {
        let alone = Alone { name: name.to_owned(), ..Alone::default() };
        AloneEntry { name: name.to_owned(), error: Some(error), entry: None, alone }
    }
}

impl DirectionEntry {
    fn of(measured: &Measured, one: &OneDirection<'_>) -> DirectionEntry {
        let received = one.received();
        let offered = measured.ask.rate.map(anabranch_base::BitRate::bits_per_second);
        DirectionEntry {
            bytes: one.bytes(),
            seconds: one.seconds(),
            goodput_bps: one.goodput_bps(),
            direction: one.direction.word(),
            message_bytes: measured.ask.message.get(),
            offered_bps: offered,
            messages: received.map(|received| received.messages),
            unsent_messages: one.unsent_messages(),
            late_bytes: received.map(|received| received.late_bytes),
            delay_s: received.map(|received| received.delay_s),
            delay_error_s: measured.clock_error.as_secs_f64(),
            longest_stall_s: received.map(|received| received.longest_stall_s),
            longest_stall_at_s: received.map(|received| received.longest_stall_at_s),
            deadline: one.deadline(&measured.ask),
            delivered_interval_s: received.map(|received| received.interval_s),
            delivered_bytes: received.map(|received| received.intervals.clone()).unwrap_or_default(),
            cpu_s_per_gb: ends(one, cpu_s_per_gb),
            cpu_share: ends(one, |report| (report.seconds > 0.0).then(|| report.cpu_s / report.seconds)),
            receive_buffer_bytes: one.receiver.map(|report| report.receive_buffer_bytes),
            receive_buffer_limit_bytes: one.receiver.map(|report| report.receive_buffer_limit_bytes),
            paths: one
                .paths
                .iter()
                .map(|path| if one.are_told { as_told(path) } else { json!(path) })
                .collect(),
        }
    }
}

fn ends(one: &OneDirection<'_>, of: impl Fn(&EndReport) -> Option<f64>) -> Ends<Option<f64>> {
    Ends { sender: one.sender.and_then(&of), receiver: one.receiver.and_then(&of) }
}
