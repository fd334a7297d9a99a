//! The table of what each path carried, for people. It knows its columns, not how they are laid out.

use anabranch_base::Duration;

use super::columns::{head, lay_out};
use crate::quantity::show_size;
use crate::watch::{Watch, WatchedPath};

/// One line a path, carried in `took`.
pub fn table(watch: &Watch, took: Duration) -> String {
    let head = head(["path", "state", "carried", "share", "mean rate", "resent", "time-outs", "RTT"]);
    let rows = watch.paths().iter().map(|path| row(watch, path, took));
    lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 2)
}

fn row(watch: &Watch, path: &WatchedPath, took: Duration) -> Vec<String> {
    vec![
        path.name.clone(),
        path.state().to_owned(),
        show_size(path.carried),
        format!("{:.1} %", watch.share(path) * 100.0),
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
