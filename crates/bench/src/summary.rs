//! A test as the judge sees it: plain numbers of its first direction.

use anabranch_diagnose::{Control, PathSeen, Transfer};
use anabranch_net::sctp::config;
use anabranch_net::{Config, Registry};

use crate::measured::{Measured, Role};
use crate::path_entry::PathEntry;
use crate::protocol::EndReport;

/// The summary of the test's first direction. `config` is that of this end, the client.
pub fn summary_of(measured: &Measured, config: &Config) -> Transfer {
    let (first, _) = measured.directions();
    let is_ours = Role::sending(first.direction) == Role::Client;
    let busy = |report: Option<&EndReport>| report.map_or(0.0, |report| share(report.cpu_s, report.seconds));
    Transfer {
        goodput_bps: first.goodput_bps(),
        offered_bps: measured.ask.rate.map(|rate| rate.bits_per_second() as f64),
        unsent_messages: first.unsent_messages(),
        receive_buffer_bytes: first.receiver.map(|report| report.receive_buffer_limit_bytes),
        send_buffer_bytes: is_ours.then(|| config.send_buffer.get()),
        scheduler: is_ours.then(|| config.scheduler.clone()),
        control: is_ours.then(|| control(&config.congestion_control)),
        is_of_files: false,
        cpu_share: busy(first.sender).max(busy(first.receiver)),
        paths: first.paths.iter().map(PathSeen::from).collect(),
    }
}

/// The congestion control of this name, and whether it tells losses apart.
pub fn control(name: &str) -> Control {
    let tells_losses_apart = config::tells_losses_apart(name, &Registry::standard());
    Control { name: name.to_owned(), tells_losses_apart }
}

impl From<&PathEntry> for PathSeen {
    fn from(path: &PathEntry) -> PathSeen {
        PathSeen {
            name: path.name.clone(),
            is_active: path.state == "active",
            goodput_bps: path.goodput_bps,
            share: path.share,
            sent_packets: path.counters.sent_packets,
            retransmitted_chunks: path.counters.retransmitted_chunks,
            timeouts: path.counters.timeouts,
            mean_cwnd_bytes: path.mean_cwnd_bytes,
            mean_rtt_s: path.mean_rtt_s,
            min_rtt_s: path.min_rtt_s,
            app_limited_s: path.app_limited_s,
            cwnd_limited_s: path.cwnd_limited_s,
            rwnd_limited_s: path.rwnd_limited_s,
            scheduler_limited_s: path.scheduler_limited_s,
            down_s: path.down_s,
        }
    }
}

fn share(taken: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { taken / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_controls_tell_losses_apart_or_not() {
        let told = ["reno", "cubic", "westwood", "bbr"].map(|name| control(name).tells_losses_apart);
        assert_eq!(told, [false, false, true, true]);
        assert!(!control("of another program").tells_losses_apart);
    }
}
