//! The table of what each path carried, for people.

use anabranch_base::Duration;

use super::columns::{head, lay_out_narrow};
use crate::labels::Labels;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

/// One line a path, carried in `took`.
pub fn table(monitor: &PathMonitor, took: Duration) -> String {
    let labels = Labels::now();
    let head = head(["path", "state", "carried", "share", "rate", "resent", "time-outs", "RTT min/mean"]);
    let rows = monitor.paths().iter().map(|path| row(monitor, path, took, &labels));
    lay_out_narrow(
        &std::iter::once(head).chain(rows).collect::<Vec<_>>(),
        2,
        &["time-outs", "resent", "share"],
    )
}

fn row(monitor: &PathMonitor, path: &MonitoredPath, took: Duration, labels: &Labels) -> Vec<String> {
    vec![
        labels.of(&path.name),
        path.state().to_owned(),
        path.carried.rounded(),
        format!("{:.0} %", monitor.share(path) * 100.0),
        path.carried.rate_over(took).unwrap_or_default().to_string(),
        path.report.counters.retransmitted_chunks.to_string(),
        path.report.counters.timeouts.to_string(),
        round_trips(path),
    ]
}

/// The shortest round trip and the mean of all: far apart, they say that a queue is full.
fn round_trips(path: &MonitoredPath) -> String {
    let shown = |span: Option<Duration>| span.map(|span| format!("{:.1}", span.as_secs_f64() * 1e3));
    let least = shown(path.report.sample.min_rtt);
    match (least, shown(path.report.counters.mean_round_trip())) {
        (Some(least), Some(mean)) => format!("{least}/{mean} ms"),
        (None, Some(mean)) => format!("{mean} ms"),
        _ => "-".to_owned(),
    }
}

/// `12.3 ms`.
pub fn milliseconds(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1e3)
}
