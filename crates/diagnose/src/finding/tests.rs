//! Planted causes are named first, healthy bonds have no finding, and hostile evidence does no harm.

use super::*;
use crate::estimated::Estimated;
use crate::evidence::{LaneSeen, Limits};
use crate::link_estimate::{DirectionEstimate, LinkEstimate, LinkStatus, LossRuns, Queue};
use crate::path_seen::PathSeen;
use crate::transfer::{Control, Transfer};

mod draws;
mod planted;

pub(super) fn about(value: f64) -> Estimated {
    Estimated { value, low: value * 0.98, high: value * 1.02, samples: 100 }
}

/// One direction of a healthy link of `mbps`: a queue of 60 ms, no losses below it.
pub(super) fn one_way(mbps: f64) -> DirectionEstimate {
    let depth_bytes = about(mbps * 1e6 / 8.0 * 0.06);
    DirectionEstimate {
        rate_bps: Some(about(mbps * 1e6)),
        queue: Some(Queue { depth_s: about(0.06), depth_bytes, is_at_least: false, is_policer: false }),
        chance_loss: Some(Estimated { value: 0.0, low: 0.0, high: 1e-3, samples: 3_000 }),
        queue_loss: Some(about(0.2)),
        variation_s: Some(about(0.002)),
        delay_under_load_s: Some(about(0.06)),
        ..DirectionEstimate::default()
    }
}

pub(super) fn link(name: &str, mbps: f64) -> LinkEstimate {
    LinkEstimate {
        name: name.to_owned(),
        round_trip_s: Some(about(0.04)),
        round_trip_median_s: Some(about(0.041)),
        mtu_bytes: Some(1_500),
        forward: one_way(mbps),
        reverse: one_way(mbps / 2.0),
        ..LinkEstimate::default()
    }
}

pub(super) fn control(name: &str) -> Control {
    Control { name: name.to_owned(), tells_losses_apart: !["reno", "cubic"].contains(&name) }
}

pub(super) fn limits(of: &str) -> Limits {
    Limits {
        receive_buffer_bytes: Some(16 << 20),
        send_buffer_bytes: Some(16 << 20),
        control: Some(control(of)),
        sack_every: Some(2),
        processor_share: Some(0.2),
        lateness_s: Some(0.002),
        least_sent_share: Some(1.0),
        socket_drops: Some(0),
        arrived_datagrams: Some(100_000),
        disk_write_bps: Some(400e6),
        heartbeat_s: Some(1.0),
    }
}

/// Two healthy links of 20 and 10 Mbit/s, which were measured and not yet used.
pub(super) fn measured() -> Evidence {
    let lane = |name: &str, local: &str| LaneSeen {
        name: name.to_owned(),
        local: local.to_owned(),
        interface: Some(name.to_owned()),
        carried_by: Some(name.to_owned()),
        others_bps: Some(1e4),
        interface_there: Some("eth0".to_owned()),
        others_there_bps: Some(2e4),
        forgot_within_s: None,
    };
    Evidence {
        links: vec![link("wlan0", 20.0), link("wwan0", 10.0)],
        lanes: vec![lane("wlan0", "192.0.2.2"), lane("wwan0", "198.51.100.2")],
        forward: None,
        reverse: None,
        here: limits("westwood"),
        there: limits("westwood"),
    }
}

/// A path that carried `mbps` in ten seconds, limited by its window alone, with a standing queue.
pub(super) fn path(name: &str, mbps: f64) -> PathSeen {
    PathSeen {
        name: name.to_owned(),
        is_active: true,
        goodput_bps: mbps * 1e6,
        share: 0.5,
        sent_packets: (mbps * 900.0) as u64,
        mean_cwnd_bytes: mbps * 1e6 / 8.0 * 0.08,
        mean_rtt_s: Some(0.08),
        min_rtt_s: Some(0.04),
        cwnd_limited_s: 10.0,
        ..PathSeen::default()
    }
}

pub(super) fn transfer(paths: Vec<PathSeen>) -> Transfer {
    Transfer {
        goodput_bps: paths.iter().map(|path| path.goodput_bps).sum(),
        receive_buffer_bytes: Some(16 << 20),
        send_buffer_bytes: Some(16 << 20),
        scheduler: Some("in-order-arrival".to_owned()),
        control: Some(control("westwood")),
        paths,
        ..Transfer::default()
    }
}
