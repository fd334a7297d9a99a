//! One path of a watched association as a document has it. It knows the counters, and not what they were counted for.

use anabranch_base::{BitRate, Duration};
use anabranch_cli::path_entry::PathEntry;

use crate::watch::{Watch, WatchedPath};

/// What `path` did in `took`.
pub fn entry(watch: &Watch, path: &WatchedPath, took: Duration) -> PathEntry {
    let (counters, limits) = (path.report.counters, path.report.limits);
    PathEntry {
        name: path.name.clone(),
        local: path.report.addresses.local.to_string(),
        remote: path.report.addresses.remote.to_string(),
        state: path.state().to_owned(),
        sent_packets: counters.sent_packets,
        sent_bytes: counters.sent_bytes.get(),
        received_packets: counters.received_packets,
        received_bytes: counters.received_bytes.get(),
        retransmitted_chunks: counters.retransmitted_chunks,
        fast_retransmits: counters.fast_retransmits,
        timeouts: counters.timeouts,
        mean_cwnd_bytes: path.report.mean_cwnd,
        mean_rtt_s: counters.mean_round_trip().map(Duration::as_secs_f64),
        min_rtt_s: path.report.sample.min_rtt.map(Duration::as_secs_f64),
        carried_bytes: path.carried.get(),
        share: watch.share(path),
        goodput_bps: bps(path.carried.rate_over(took)),
        app_limited_s: limits.application.as_secs_f64(),
        cwnd_limited_s: limits.congestion_window.as_secs_f64(),
        rwnd_limited_s: limits.receive_window.as_secs_f64(),
        scheduler_limited_s: limits.scheduler.as_secs_f64(),
        down_s: limits.down.as_secs_f64(),
    }
}

/// Bits a second; none where there was no time.
pub fn bps(rate: Option<BitRate>) -> f64 {
    rate.unwrap_or_default().bits_per_second() as f64
}
