//! The JSON document of a transfer.

use anabranch_base::Duration;
use anabranch_bench::path_entry::bps;
use anabranch_bench::{LinkEntry, PathEntry};
use anabranch_observe::Body;
use anabranch_transfer::{Transferred, hex};
use serde::Serialize;
use serde_json::{Value, json};

use super::Progress;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

/// The document of a transfer. Keys in the order in which they are printed.
#[derive(Clone, Debug, Serialize)]
pub struct TransferDocument {
    bytes: u64,
    seconds: f64,
    goodput_bps: f64,
    sha256: Option<String>,
    resumed_bytes: u64,
    files: Vec<FileEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    receive_buffer_bytes: u64,
    paths: Vec<PathEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkEntry>,
    resolved: Value,
}

#[derive(Clone, Debug, Serialize)]
struct FileEntry {
    name: String,
    bytes: u64,
    resumed_bytes: u64,
    sha256: Option<String>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
}

impl TransferDocument {
    /// Makes the document from `monitor` and `progress`, with the settings `resolved`.
    pub fn new(monitor: &PathMonitor, progress: &Progress, resolved: Value) -> TransferDocument {
        let (bytes, took) = (progress.bytes(), progress.duration());
        let done = progress.done();
        let only = if let [only] = done.as_slice() { only.digest.as_ref().map(hex) } else { None };
        TransferDocument {
            bytes: bytes.get(),
            seconds: took.as_secs_f64(),
            goodput_bps: bps(bytes.rate_over(took)),
            sha256: only,
            resumed_bytes: progress.resumed().get(),
            left_out: progress.left_out(),
            files: done.into_iter().map(FileEntry::from).collect(),
            receive_buffer_bytes: monitor.receive_buffer().get(),
            paths: monitor.paths().iter().map(|path| PathEntry::of(monitor, path, took)).collect(),
            links: monitor.links().iter().map(LinkEntry::from).collect(),
            resolved,
        }
    }
}

impl From<TransferDocument> for Body {
    fn from(document: TransferDocument) -> Body {
        Body::of(&document)
    }
}

impl From<Transferred> for FileEntry {
    fn from(file: Transferred) -> FileEntry {
        let sha256 = file.digest.as_ref().map(hex);
        let verdict = file.verdict.outcome.word();
        let (bytes, resumed_bytes) = (file.size.get(), file.resumed.get());
        FileEntry { name: file.name, bytes, resumed_bytes, sha256, verdict, why: file.verdict.why }
    }
}

/// One interval, for `--json-lines`.
pub(super) fn line(monitor: &PathMonitor, progress: &Progress) -> Value {
    let path = |path: &MonitoredPath| {
        json!({
            "name": path.name,
            "state": path.state(),
            "carried_bytes": path.carried.get(),
            "goodput_bps": bps(Some(path.rate())),
            "rtt_s": path.report.sample.srtt.map(Duration::as_secs_f64),
            "way_s": path.report.sample.one_way.map(|delay| delay.delay.as_secs_f64()),
            "least_way_s": path.report.sample.one_way.map(|delay| delay.least.as_secs_f64()),
            "delivery_bps": path.report.sample.delivery.map(|delivery| delivery.rate.bits_per_second()),
            "cwnd_bytes": path.report.sample.cwnd.get(),
        })
    };
    json!({
        "time_s": monitor.now().as_nanos() as f64 / 1e9,
        "bytes": progress.bytes().get(),
        "resumed_bytes": progress.resumed().get(),
        "files": progress.tally().verified,
        "goodput_bps": bps(Some(monitor.rate())),
        "paths": monitor.paths().iter().map(path).collect::<Vec<_>>(),
    })
}
