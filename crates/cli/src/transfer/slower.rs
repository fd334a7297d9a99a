//! One line at the end of a transfer: why it was slower than its links, if what was seen of it tells.

use anabranch_base::Duration;
use anabranch_bench::{PathEntry, control, processor_time};
use anabranch_diagnose::{Evidence, PathSeen, Transfer, findings};
use anabranch_net::Config;
use anabranch_net::monitor::PathMonitor;

use crate::labels::Labels;
use crate::remedies::option;

/// A transfer that is observed from its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    processor: Duration,
}

impl Observed {
    /// Begins now.
    pub(crate) fn begin() -> Observed {
        Observed { processor: processor_time() }
    }

    /// The processor cores that the program used since, over all of the monitored time.
    fn cpu_share(self, monitor: &PathMonitor) -> f64 {
        let whole = monitor.now().as_nanos() as f64 / 1e9;
        let used = processor_time().saturating_sub(self.processor).as_secs_f64();
        if whole > 0.0 { used / whole } else { 0.0 }
    }
}

/// The costliest finding on the paths that carried data in `took`, as a line; empty if there is none. `sent_with` has the
/// settings of this end if it sent.
pub(crate) fn why_slower(
    monitor: &PathMonitor,
    took: Duration,
    observed: Observed,
    sent_with: Option<&Config>,
) -> String {
    let seconds = took.as_secs_f64();
    if seconds < SHORTEST_S {
        return String::new();
    }
    let paths = monitor.paths().iter().map(|path| PathSeen::from(&PathEntry::of(monitor, path, took)));
    let mut paths: Vec<PathSeen> = paths
        .map(|path| if sent_with.is_some() { sent(path, seconds) } else { received(path, seconds) })
        .collect();
    Labels::of(monitor).put_short(paths.iter_mut().map(|path| &mut path.name));
    let transfer = Transfer {
        goodput_bps: paths.iter().map(|path| path.goodput_bps).sum(),
        send_buffer_bytes: sent_with.map(|config| config.send_buffer.get()),
        scheduler: sent_with.map(|config| config.scheduler.clone()),
        control: sent_with.map(|config| control(&config.congestion_control)),
        is_of_files: true,
        cpu_share: observed.cpu_share(monitor),
        paths,
        ..Transfer::default()
    };
    line(transfer, sent_with.is_some())
}

fn line(transfer: Transfer, is_sent: bool) -> String {
    let evidence = if is_sent {
        Evidence { forward: Some(transfer), ..Evidence::default() }
    } else {
        Evidence { reverse: Some(transfer), ..Evidence::default() }
    };
    findings(&evidence).first().map_or(String::new(), |found| found.text(option) + "\n")
}

/// The path without its time before the first file and after the last one.
fn sent(path: PathSeen, seconds: f64) -> PathSeen {
    let outside = (path.limited_s() - seconds).max(0.0);
    PathSeen { app_limited_s: (path.app_limited_s - outside).max(0.0), ..path }
}

/// The path of a receiver, which knows of its time only whether the path worked: the rest is that of its own few packets.
fn received(path: PathSeen, seconds: f64) -> PathSeen {
    let down_s = path.down_s.min(seconds);
    PathSeen {
        down_s,
        cwnd_limited_s: seconds - down_s,
        app_limited_s: 0.0,
        rwnd_limited_s: 0.0,
        scheduler_limited_s: 0.0,
        retransmitted_chunks: 0,
        ..path
    }
}

/// A shorter transfer is mostly its beginning.
const SHORTEST_S: f64 = 3.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathSeen {
        PathSeen {
            name: name.to_owned(),
            is_active: true,
            goodput_bps: 9e6,
            share: 0.5,
            sent_packets: 9_000,
            mean_rtt_s: Some(0.041),
            min_rtt_s: Some(0.04),
            mean_cwnd_bytes: 45_000.0,
            cwnd_limited_s: 10.0,
            ..PathSeen::default()
        }
    }

    fn transfer(paths: Vec<PathSeen>) -> Transfer {
        let goodput_bps = paths.iter().map(|path| path.goodput_bps).sum();
        let control = Some(control("reno"));
        Transfer {
            goodput_bps,
            control,
            is_of_files: true,
            send_buffer_bytes: Some(16 << 20),
            paths,
            ..Transfer::default()
        }
    }

    #[test]
    fn a_good_transfer_has_no_line_and_a_bad_one_has_one() {
        let good = || transfer(vec![path("wlan0"), path("wwan0")]);
        assert_eq!(line(good(), true) + &line(good(), false), "");
        let lossy = PathSeen { retransmitted_chunks: 110, ..path("wlan0") };
        let said = line(transfer(vec![lossy, path("wwan0")]), true);
        assert!(said.starts_with("wlan0 lost about 1.2 % with an empty queue"), "{said}");
        assert!(
            said.contains("`--set sctp.congestion_control=westwood`") && said.lines().count() == 1,
            "{said}"
        );
        let blocked = PathSeen { rwnd_limited_s: 5.0, ..path("wlan0") };
        let said = line(transfer(vec![blocked, path("wwan0")]), true);
        assert!(said.contains("receive buffer") && said.contains("at the other end"), "{said}");
    }

    #[test]
    fn the_time_around_the_files_is_not_blamed_and_a_receiver_blames_only_what_it_knows() {
        let idle = PathSeen { app_limited_s: 30.0, ..path("wlan0") };
        assert_eq!(line(transfer(vec![sent(idle.clone(), 10.0)]), true), "");
        assert!(line(transfer(vec![sent(idle.clone(), 40.0)]), true).contains("waited for files"));
        let resent = PathSeen { retransmitted_chunks: 500, rwnd_limited_s: 9.0, ..idle };
        assert_eq!(line(transfer(vec![received(resent.clone(), 10.0)]), false), "");
        let down = received(PathSeen { down_s: 6.0, ..resent }, 10.0);
        assert!(
            line(transfer(vec![down, path("wwan0")]), false).starts_with("wlan0 carried nothing for 6.0 s")
        );
    }
}
