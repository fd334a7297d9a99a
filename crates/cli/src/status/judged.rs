//! The finding on a bond of a running program, from its paths' counters since it opened.

use anabranch_base::Duration;
use anabranch_diagnose::{Control, Evidence, PathSeen, Transfer, findings};
use anabranch_net::{PathReport, PathState};

use crate::remedies::option;

/// A path as its report shows it. Time without data is not counted, nor time without service that is over.
pub(crate) fn seen(path: &PathReport, name: &str) -> PathSeen {
    let (counters, limits) = (path.counters, path.limits);
    let is_active = path.sample.state == PathState::Active;
    let mut seen = PathSeen {
        name: name.to_owned(),
        is_active,
        sent_packets: counters.sent_packets,
        retransmitted_chunks: counters.retransmitted_chunks,
        timeouts: counters.timeouts,
        mean_cwnd_bytes: path.mean_cwnd,
        mean_rtt_s: counters.mean_round_trip().map(Duration::as_secs_f64),
        min_rtt_s: path.sample.min_rtt.map(Duration::as_secs_f64),
        cwnd_limited_s: limits.congestion_window.as_secs_f64(),
        rwnd_limited_s: limits.receive_window.as_secs_f64(),
        scheduler_limited_s: limits.scheduler.as_secs_f64(),
        down_s: if is_active { 0.0 } else { limits.down.as_secs_f64() },
        ..PathSeen::default()
    };
    let busy = seen.limited_s();
    seen.goodput_bps = if busy > 0.0 { counters.acked_bytes.get() as f64 * 8.0 / busy } else { 0.0 };
    seen
}

/// The costliest finding on a bond, as a sentence, once its paths were busy for long enough.
pub(crate) fn finding(mut paths: Vec<PathSeen>) -> Option<String> {
    // A path that never had data is spare.
    paths.retain(|path| path.sent_packets >= FEWEST_PACKETS);
    let busy: f64 = paths.iter().map(PathSeen::limited_s).sum();
    if busy < LEAST_BUSY_S {
        return None;
    }
    let goodput_bps = paths.iter().map(|path| path.goodput_bps).sum();
    // The control is not known here: losses are not judged.
    let control = Some(Control { name: String::new(), tells_losses_apart: true });
    let transfer = Transfer { goodput_bps, control, paths, ..Transfer::default() };
    let evidence = Evidence { forward: Some(transfer), ..Evidence::default() };
    findings(&evidence).first().map(|found| found.text(option))
}

/// Paths that waited for a shorter time had little to send.
const LEAST_BUSY_S: f64 = 10.0;
const FEWEST_PACKETS: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathSeen {
        PathSeen {
            name: name.to_owned(),
            is_active: true,
            goodput_bps: 9e6,
            sent_packets: 9_000,
            cwnd_limited_s: 20.0,
            ..PathSeen::default()
        }
    }

    #[test]
    fn a_bond_with_closed_windows_or_a_dead_path_has_a_finding() {
        assert_eq!(finding(vec![path("wlan0"), path("wwan0")]), None);
        assert_eq!(finding(Vec::new()), None);
        let blocked = PathSeen { rwnd_limited_s: 20.0, ..path("wlan0") };
        let said = finding(vec![blocked, path("wwan0")]).expect("a finding");
        assert!(said.contains("receive buffer of the other end"), "{said}");
        let down = PathSeen { down_s: 60.0, is_active: false, ..path("wlan0") };
        let said = finding(vec![down, path("wwan0")]).expect("a finding");
        assert!(
            said.starts_with("wlan0 carried nothing for 60.0 s") && said.contains("still down"),
            "{said}"
        );
        let short = PathSeen { rwnd_limited_s: 2.0, cwnd_limited_s: 1.0, ..path("wlan0") };
        assert_eq!(finding(vec![short]), None);
    }
}
