//! The changes that are tried, the likeliest first.

use anabranch_base::ByteCount;
use anabranch_base::exact::exact_size;
use anabranch_sctp::config::Config;

use crate::change::Change;
use crate::twin::{Twin, association};

/// The changes that may matter for the twin. Some are in use, or not allowed: applying shows it.
pub(crate) fn candidates(twin: &Twin) -> Vec<Change> {
    let scenario = twin.scenario();
    let Some(sctp) = association(scenario) else { return Vec::new() };
    let config = &sctp.config;
    let flow_paths = scenario.flows.first().map_or(&[][..], |flow| &flow.paths);
    let paths: Vec<&str> = flow_paths
        .iter()
        .filter_map(|path| scenario.paths.get(*path))
        .map(|path| path.name.as_str())
        .collect();
    let mut changes: Vec<Change> = CONTROLS.map(|name| Change::CongestionControl(name.to_owned())).to_vec();
    changes.extend(buffers(config, twin.held_bytes()));
    if paths.len() > 1 {
        changes.extend(paths.iter().map(|path| Change::WithoutPath((*path).to_owned())));
        changes.extend(SCHEDULERS.map(|name| Change::Scheduler(name.to_owned())));
        changes.extend(paths.iter().map(|path| Change::Secondary((*path).to_owned())));
        changes.extend(["auto", "off"].map(|word| Change::Coupling(word.to_owned())));
    }
    let profiles = PROFILES.iter().filter(|name| **name != config.profile);
    changes.extend(profiles.map(|name| Change::Profile((*name).to_owned())));
    changes.extend([true, false].map(Change::Pacing));
    changes.extend(mtu(twin, config));
    changes.push(Change::LossResponse("wireless-aware".to_owned()));
    changes
}

/// Buffers of twice what links and queues hold, at least twice the present ones, where these may limit.
fn buffers(config: &Config, held_bytes: f64) -> Vec<Change> {
    let text = |bytes: ByteCount| exact_size(bytes).replace(' ', "");
    let enough = (held_bytes.clamp(0.0, MOST_BUFFER as f64)) as u64;
    let larger = |bytes: ByteCount| {
        let wanted = enough.max(bytes.get()).saturating_mul(2);
        ByteCount::new(wanted.checked_next_power_of_two().unwrap_or(MOST_BUFFER).min(MOST_BUFFER))
    };
    let may_limit = |bytes: ByteCount| (bytes.get() as f64) < held_bytes * AMPLE && bytes.get() < MOST_BUFFER;
    let most = config.receive_growth.map_or(config.receive_buffer, |growth| growth.limit);
    let receive = config.receive_growth.map_or_else(
        || text(larger(most)),
        |_| format!("{}..{}", text(config.receive_buffer), text(larger(most))),
    );
    let send = text(larger(config.send_buffer));
    let mut changes = Vec::new();
    if may_limit(most) {
        changes.push(Change::ReceiveBuffer(receive.clone()));
    }
    if may_limit(config.send_buffer) {
        changes.push(Change::SendBuffer(send.clone()));
    }
    if may_limit(most) && may_limit(config.send_buffer) {
        changes.push(Change::Buffers { receive, send });
    }
    changes
}

/// The size that all links carry, where packets have another.
fn mtu(twin: &Twin, config: &Config) -> Option<Change> {
    let links = twin.scenario().links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    let least = links.filter_map(|direction| direction.mtu).min()?;
    (least != config.mtu && least.get() >= LEAST_MTU).then(|| Change::Mtu(least.get()))
}

/// Congestion controls for paths of their own.
const CONTROLS: [&str; 4] = ["westwood", "bbr", "cubic", "reno"];

const SCHEDULERS: [&str; 4] = ["in-order-arrival", "lowest-rtt", "ecf", "fill"];

const PROFILES: [&str; 2] = ["tuned-2", "tuned-1"];

/// A buffer with this many times what links and queues hold limits nothing.
const AMPLE: f64 = 4.0;

/// The largest buffer that is proposed, 64 MiB: the simulation holds it too.
const MOST_BUFFER: u64 = 64 << 20;

/// The least packet size that an association may have.
const LEAST_MTU: u64 = 576;

#[cfg(test)]
mod tests {
    use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate};

    use super::*;
    use crate::choices::TwinChoices;

    fn link(name: &str) -> LinkEstimate {
        let rate = Estimated { value: 10e6, low: 10e6, high: 10e6, samples: 9 };
        let direction = DirectionEstimate { rate_bps: Some(rate), ..DirectionEstimate::default() };
        LinkEstimate {
            name: name.to_owned(),
            forward: direction.clone(),
            reverse: direction,
            ..LinkEstimate::default()
        }
    }

    #[test]
    fn the_policies_in_use_are_no_changes() {
        for (control, scheduler) in CONTROLS.into_iter().zip(SCHEDULERS) {
            let config = Config {
                congestion_control: control.into(),
                scheduler: scheduler.into(),
                ..Config::tuned_2()
            };
            let twin = Twin::of(&[link("a"), link("b")], &TwinChoices::new(config)).expect("two links");
            let found = candidates(&twin);
            for used in
                [Change::CongestionControl(control.to_owned()), Change::Scheduler(scheduler.to_owned())]
            {
                assert!(found.contains(&used), "{used:?}");
                assert_eq!(used.applied(twin.scenario()).map(|changed| changed.is_some()).ok(), Some(false));
            }
            let useful = |change: &&Change| matches!(change.applied(twin.scenario()), Ok(Some(_)));
            assert!(found.iter().filter(useful).count() > 6, "{found:?}");
        }
    }
}
