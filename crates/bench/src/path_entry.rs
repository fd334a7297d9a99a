//! One path in a result, for scripts and for the reports that the ends of a test exchange. The keys are stable.

use anabranch_base::{BitRate, Duration};
use anabranch_net::PathCounters;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::counters;

/// The result of one path. Keys in the order in which they are printed; the counters are keys among them, and unknown
/// keys are rejected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathEntry {
    /// The name.
    pub name: String,
    /// The address here.
    pub local: String,
    /// The address at the other end.
    pub remote: String,
    /// The local interface, if known. Never sent to a peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The state at the end, in a word.
    pub state: String,
    /// The counters of this end.
    #[serde(flatten, serialize_with = "counters::show", deserialize_with = "counters::read_told")]
    pub counters: PathCounters,
    /// The congestion window, averaged over time, in bytes.
    pub mean_cwnd_bytes: f64,
    /// The mean of the measured round-trip times.
    pub mean_rtt_s: Option<f64>,
    /// The shortest measured round-trip time.
    pub min_rtt_s: Option<f64>,
    /// User data carried in the monitored direction, each byte once.
    pub carried_bytes: u64,
    /// The path's part of the data carried by all paths, 0 to 1.
    pub share: f64,
    /// Carried data divided by the time.
    pub goodput_bps: f64,
    /// The time without data to send.
    pub app_limited_s: f64,
    /// The time limited by the congestion window.
    pub cwnd_limited_s: f64,
    /// The time limited by the peer's receive window.
    pub rwnd_limited_s: f64,
    /// The time in which the scheduler chose other paths.
    pub scheduler_limited_s: f64,
    /// The time without service: the path had failed or was not verified yet.
    pub down_s: f64,
}

impl PathEntry {
    /// The entry of a monitored path over `took`.
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

    /// The difference from `before`, with the goodput over `seconds`. Means stay those of the whole time.
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

    /// The sum of the times in each limited state.
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

/// Serializes paths with the counters of a report.
///
/// # Errors
/// The serializer fails.
pub fn tell<S: Serializer>(paths: &[PathEntry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(as_told))
}

/// The entry without the counters that a report lacks.
pub(crate) fn as_told(path: &PathEntry) -> Value {
    let mut entry = serde_json::to_value(path).unwrap_or_default();
    if let Some(keys) = entry.as_object_mut() {
        keys.retain(|key, _| {
            counters::TOLD.contains(&key.as_str()) || counters::shown().all(|counter| counter.name != key)
        });
    }
    entry
}

/// The rate in bits a second for documents; 0 without a time.
pub fn bps(rate: Option<BitRate>) -> f64 {
    rate.unwrap_or_default().bits_per_second() as f64
}

/// The rate in bits a second; 0 if `seconds` is 0.
pub fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{TOLD, shown};

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

    fn counted() -> PathEntry {
        let mut counters = PathCounters::default();
        (1..).zip(shown()).for_each(|(number, counter)| (counter.write)(&mut counters, number));
        PathEntry { counters, ..PathEntry::default() }
    }

    fn read(entry: &Value) -> Result<PathEntry, String> {
        serde_json::from_value(entry.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_has_every_counter_of_tools_in_its_place() {
        let entry = serde_json::to_value(counted()).expect("an entry");
        let keys: Vec<&String> = entry.as_object().expect("an object").keys().collect();
        let names: Vec<&str> = shown().map(|counter| counter.name).collect();
        assert_eq!(keys[4..][..names.len()], names);
        assert_eq!((keys[3].as_str(), keys[4 + names.len()].as_str()), ("state", "mean_cwnd_bytes"));
    }

    #[test]
    fn a_report_tells_the_counters_of_its_version_and_accepts_no_others() {
        let told = as_told(&counted());
        assert_eq!(as_told(&read(&told).expect("an entry")), told);
        let of = |name: &str| told[name].as_u64().is_some_and(|count| count > 0);
        assert!(TOLD.into_iter().all(of), "{told}");
        let (mut more, mut less) = (told.clone(), told);
        more["tail_probes"] = 3.into();
        assert!(read(&more).is_err_and(|why| why.contains("unknown field `tail_probes`")));
        less.as_object_mut().expect("an object").remove("timeouts");
        assert!(read(&less).is_err_and(|why| why.contains("missing field `timeouts`")));
    }

    #[test]
    fn a_counter_that_is_told_twice_or_is_no_count_is_refused() {
        let text = as_told(&counted()).to_string();
        let told = |text: &str| serde_json::from_str::<PathEntry>(text).map_err(|error| error.to_string());
        let twice = text.replacen("\"timeouts\"", "\"timeouts\":1,\"timeouts\"", 1);
        assert!(told(&twice).is_err_and(|why| why.contains("duplicate field `timeouts`")));
        assert!(told(&text.replacen("\"sent_packets\":", "\"sent_packets\":-", 1)).is_err());
        assert!(told(&text).is_ok());
    }
}
