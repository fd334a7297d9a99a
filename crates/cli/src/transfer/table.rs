//! The table of what each path carried, for people.

use anabranch_base::Duration;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

use super::Progress;
use crate::labels::Labels;
use crate::report::{head, lay_out_narrow, optional_columns};

/// One line a path, carried in `took`. Losses are shown wherever there were some: other columns make room for them.
pub(crate) fn table(monitor: &PathMonitor, took: Duration) -> String {
    let labels = Labels::of(monitor);
    let head = head(COLUMNS);
    let rows = monitor.paths().iter().map(|path| row(monitor, path, took, &labels));
    let states = monitor.paths().iter().map(MonitoredPath::state);
    lay_out_narrow(
        &std::iter::once(head).chain(rows).collect::<Vec<_>>(),
        2,
        &optional_columns(states, OPTIONAL),
    )
}

/// Describes the data that the receiver had already; empty where it had none.
pub(crate) fn there_already(progress: &Progress) -> String {
    let there = progress.resumed();
    if there.is_zero() { String::new() } else { format!(" ({} were there already)", there.rounded()) }
}

const COLUMNS: [&str; 8] =
    ["path", "state", "carried", "share", "rate", "resent", "time-outs", "RTT min/mean"];
/// The columns that go first where a line is too long.
const OPTIONAL: &[&str] = &["share", "carried", "RTT min/mean"];

fn row(monitor: &PathMonitor, path: &MonitoredPath, took: Duration, labels: &Labels) -> Vec<String> {
    vec![
        labels.name(&path.name),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(path: &str, states: [&str; 2]) -> String {
        let row = |state| head([path, state, "8.12 MB", "67 %", "19.0 Mbit/s", "28", "22", "40.1/41.9 ms"]);
        let rows = [head(COLUMNS), row(states[0]), row(states[1])];
        lay_out_narrow(&rows, 2, &optional_columns(states.into_iter(), OPTIONAL))
    }

    #[test]
    fn losses_are_shown_and_what_is_alike_in_all_rows_makes_room() {
        for path in [
            "wlan0 → 192.0.2.1",
            "127.0.0.1 → 127.0.0.1:49152",
            "2001:db8::17:21 → [2001:db8:1:2:3:4:5:6]:49152",
        ] {
            let text = laid_out(path, ["active", "active"]);
            assert!(text.contains("resent") && text.contains("time-outs") && text.contains(" 22"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            let text = laid_out(path, ["active", "potentially-failed"]);
            assert!(text.contains("potentially-failed") && text.contains(" 28"), "{text}");
        }
    }
}
