//! The table of what each path carried, for people.

use anabranch_base::Duration;

use super::columns::{head, lay_out};
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

/// One line a path, carried in `took`.
pub fn table(monitor: &PathMonitor, took: Duration) -> String {
    let head = head(["path", "state", "carried", "share", "mean rate", "resent", "time-outs", "RTT"]);
    let rows = monitor.paths().iter().map(|path| row(monitor, path, took));
    lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 2)
}

fn row(monitor: &PathMonitor, path: &MonitoredPath, took: Duration) -> Vec<String> {
    vec![
        path.name.clone(),
        path.state().to_owned(),
        path.carried.rounded(),
        format!("{:.1} %", monitor.share(path) * 100.0),
        path.carried.rate_over(took).unwrap_or_default().to_string(),
        path.report.counters.retransmitted_chunks.to_string(),
        path.report.counters.timeouts.to_string(),
        path.report.counters.mean_round_trip().map_or("-".to_owned(), milliseconds),
    ]
}

/// `12.3 ms`.
pub fn milliseconds(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1e3)
}
