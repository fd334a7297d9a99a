//! One path in a result, for scripts and for the exchange between the ends of a test. The keys are stable.

use anabranch_base::{BitRate, Duration};
use anabranch_net::PathCounters;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};
use serde::{Deserialize, Serialize};

use crate::counters;

/// What a path did. Keys in the order in which they are printed; the counters are keys among them, and no others are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathEntry {
    /// What it is called.
    pub name: String,
    /// The address here.
    pub local: String,
    /// The address at the other end.
    pub remote: String,
    /// The interface on which it begins, where that is known. It is this machine's own affair: a peer is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The state at the end, in a word.
    pub state: String,
    /// What this end counted of it.
    #[serde(flatten, serialize_with = "counters::show", deserialize_with = "counters::read_told")]
    pub counters: PathCounters,
    /// The congestion window, averaged over time.
    pub mean_cwnd_bytes: f64,
    /// The mean of the round trips measured.
    pub mean_rtt_s: Option<f64>,
    /// The least of them.
    pub min_rtt_s: Option<f64>,
    /// User data in the direction that is looked at, each byte once.
    pub carried_bytes: u64,
    /// Its part of what all paths carried, 0 to 1.
    pub share: f64,
    /// What it carried over the time.
    pub goodput_bps: f64,
    /// How long there was no data.
    pub app_limited_s: f64,
    /// The time its congestion window held it back.
    pub cwnd_limited_s: f64,
    /// How long the peer's receive window did.
    pub rwnd_limited_s: f64,
    /// The time the scheduler sent nothing here.
    pub scheduler_limited_s: f64,
    /// The time it carried no data, because it had failed or was not verified yet.
    pub down_s: f64,
}

impl PathEntry {
    /// What a monitored path did in `took`.
    pub fn of(monitor: &PathMonitor, path: &MonitoredPath, took: Duration) -> PathEntry {
        let (counters, limits) = (path.report.counters, path.report.limits);
        PathEntry {
            name: path.name.clone(),
            local: path.report.addresses.local.to_string(),
            remote: path.report.addresses.remote.to_string(),
            interface: path.interface.clone(),
            state: path.state().to_owned(),
            counters,
            mean_cwnd_bytes: path.report.mean_cwnd,
            mean_rtt_s: counters.mean_round_trip().map(Duration::as_secs_f64),
            min_rtt_s: path.report.sample.min_rtt.map(Duration::as_secs_f64),
            carried_bytes: path.carried.get(),
            share: monitor.share(path),
            goodput_bps: bps(path.carried.rate_over(took)),
            app_limited_s: limits.application.as_secs_f64(),
            cwnd_limited_s: limits.congestion_window.as_secs_f64(),
            rwnd_limited_s: limits.receive_window.as_secs_f64(),
            scheduler_limited_s: limits.scheduler.as_secs_f64(),
            down_s: limits.down.as_secs_f64(),
        }
    }

    /// What it did after `before`, carried in `seconds`. Means stay those of all the time.
    pub fn since(&self, before: &PathEntry, seconds: f64) -> PathEntry {
        let left = |now: f64, then: f64| (now - then).max(0.0);
        let carried_bytes = self.carried_bytes.saturating_sub(before.carried_bytes);
        PathEntry {
            counters: self.counters.since(&before.counters),
            carried_bytes,
            goodput_bps: rate(carried_bytes, seconds),
            app_limited_s: left(self.app_limited_s, before.app_limited_s),
            cwnd_limited_s: left(self.cwnd_limited_s, before.cwnd_limited_s),
            rwnd_limited_s: left(self.rwnd_limited_s, before.rwnd_limited_s),
            scheduler_limited_s: left(self.scheduler_limited_s, before.scheduler_limited_s),
            down_s: left(self.down_s, before.down_s),
            ..self.clone()
        }
    }

    /// The time that is shared out among what held it back.
    pub fn limited_s(&self) -> f64 {
        self.app_limited_s
            + self.cwnd_limited_s
            + self.rwnd_limited_s
            + self.scheduler_limited_s
            + self.down_s
    }

    /// The texts, which a peer may have written.
    pub fn texts(&self) -> [&str; 4] {
        [&self.name, &self.local, &self.remote, &self.state]
    }
}

/// A rate as a number for documents; 0 where there was no time.
pub fn bps(rate: Option<BitRate>) -> f64 {
    rate.unwrap_or_default().bits_per_second() as f64
}

/// Bits a second; 0 for no time.
pub fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_is_taken_away_and_never_more_than_there_is() {
        let sent = |sent_packets| PathCounters { sent_packets, ..PathCounters::default() };
        let before =
            PathEntry { counters: sent(3), cwnd_limited_s: 1.0, down_s: 2.0, ..PathEntry::default() };
        let now = PathEntry {
            counters: sent(10),
            carried_bytes: 1_000,
            cwnd_limited_s: 5.0,
            down_s: 1.0,
            ..PathEntry::default()
        };
        let since = now.since(&before, 4.0);
        assert_eq!(
            (since.counters.sent_packets, since.carried_bytes, since.goodput_bps),
            (7, 1_000, 2_000.0)
        );
        assert_eq!((since.cwnd_limited_s, since.down_s), (4.0, 0.0));
    }
}
