//! The first sentences of the page: what was carried, the share of the links' capacity, and the main reason for the
//! rest.

use std::collections::BTreeMap;

use anabranch_base::BitRate;
use anabranch_link::config::Rate;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Protocol;
use anabranch_sctp::config::tells_losses_apart;
use anabranch_sim::observe::{Host, PathState};
use anabranch_sim::result::{FlowResult, PathResult, RunResult};

use super::held::{REASONS, Reason};

/// The sentences for a run.
pub(super) fn headline(scenario: &Scenario, result: &RunResult) -> String {
    if result.flows.iter().all(|flow| flow.delivered.is_zero()) {
        return format!("Nothing was delivered.{}", failures(result));
    }
    let links = UsedLinks::of(scenario, result);
    let carried = format!("{} {}{}.", subject(result, &links), rate(total(result)), links.words());
    format!("{carried} {}{}", cause(scenario, result, &links), failures(result))
}

/// Jain's fairness index of the flows' goodputs, 1 if all are equal: "(Σx)² / (n·Σx²)" (Jain, Chiu and Hawe 1984).
/// `None` for fewer than two flows, and if nothing was carried.
pub(crate) fn jains_index(result: &RunResult) -> Option<f64> {
    let rates: Vec<f64> = result.flows.iter().map(|flow| flow.goodput_bps).collect();
    let (sum, squares) =
        rates.iter().fold((0.0, 0.0), |(sum, squares), rate| (sum + rate, squares + rate * rate));
    (rates.len() > 1 && squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

/// The goodput of a single flow; for several, all they delivered over the time of the run, since each has its own span.
fn total(result: &RunResult) -> f64 {
    match result.flows.as_slice() {
        [only] => only.goodput_bps,
        flows => {
            let bytes: u64 = flows.iter().map(|flow| flow.delivered.get()).sum();
            bytes as f64 * 8.0 / result.time.as_secs_f64().max(f64::MIN_POSITIVE)
        }
    }
}

fn subject(result: &RunResult, links: &UsedLinks) -> String {
    match (result.flows.len(), links.count) {
        (1, 0 | 1) => "The flow carried".to_owned(),
        (1, 2) => "Both links together carried".to_owned(),
        (1, links) => format!("All {links} links together carried"),
        (flows, _) => format!("{flows} flows together carried"),
    }
}

/// The narrowest link of each path that carried anything, in the direction of its data.
struct UsedLinks {
    count: usize,
    /// The used share of their capacity.
    used: Option<f64>,
    /// The sum of their rates, where all are constant.
    rate_bps: Option<f64>,
}

impl UsedLinks {
    fn of(scenario: &Scenario, result: &RunResult) -> UsedLinks {
        let mut found = BTreeMap::new();
        for flow in &result.flows {
            for path in flow.paths.iter().filter(|path| path.counters.sent_packets > 0) {
                let narrowest = narrowest(scenario, flow, path);
                found.extend(narrowest.map(|(link, bps)| ((link, flow.from == Host::First), bps)));
            }
        }
        let rates: Option<Vec<f64>> = found.values().copied().collect();
        let used = found.keys().filter_map(|&(link, is_forward)| {
            let link = result.links.get(link)?;
            Some(if is_forward { link.forward.utilisation } else { link.reverse.utilisation })
        });
        let used: Vec<f64> = used.collect();
        let all = vec![1.0; used.len()];
        let weights = rates.as_ref().unwrap_or(&all);
        let weighed: f64 = used.iter().zip(weights).map(|(used, weight)| used * weight).sum();
        let weight: f64 = weights.iter().sum();
        UsedLinks {
            count: found.len(),
            used: (weight > 0.0).then(|| weighed / weight),
            rate_bps: rates.map(|rates| rates.iter().sum()),
        }
    }

    fn words(&self) -> String {
        let (one, other) = if self.count == 1 { ("the link", "its") } else { ("the links", "their") };
        match (self.used, self.rate_bps) {
            (Some(used), Some(bps)) => {
                format!(" of user data, {} of {other} {} was used", percent(used), rate(bps))
            }
            (Some(used), None) => {
                format!(" of user data, {} of what {one} could carry was used", percent(used))
            }
            _ => " of user data".to_owned(),
        }
    }
}

/// The link of a path with the least rate, and that rate if it is constant; the first link, where a rate changes.
fn narrowest(scenario: &Scenario, flow: &FlowResult, path: &PathResult) -> Option<(usize, Option<f64>)> {
    let links = &scenario.paths.iter().find(|known| known.name == path.name)?.links;
    let rate_of = |link: usize| {
        let link = scenario.links.get(link)?;
        let config = if flow.from == Host::First { &link.forward } else { &link.reverse };
        match &config.rate {
            Rate::Fixed(rate) => Some(rate.bits_per_second() as f64),
            _ => None,
        }
    };
    let changing = links.iter().find(|link| rate_of(**link).is_none());
    let narrow =
        links.iter().min_by(|a, b| rate_of(**a).unwrap_or(0.0).total_cmp(&rate_of(**b).unwrap_or(0.0)));
    changing.or(narrow).map(|link| (*link, rate_of(*link)))
}

/// The main reason for unused capacity.
fn cause(scenario: &Scenario, result: &RunResult, links: &UsedLinks) -> String {
    if links.used.is_some_and(|used| used >= FULL) {
        let what = if links.count == 1 { "The link was" } else { "The links were" };
        return format!("{what} full: the rest is the start, and gaps after losses.");
    }
    let paths =
        || result.flows.iter().flat_map(|flow| &flow.paths).filter(|path| path.counters.sent_packets > 0);
    let held_seconds = |reason: &Reason| paths().map(|path| held_seconds(reason, path)).sum::<f64>();
    let all: f64 = REASONS.iter().map(held_seconds).sum();
    let most =
        REASONS.iter().max_by(|a, b| held_seconds(a).total_cmp(&held_seconds(b))).filter(|_| all > 0.0);
    let Some(reason) = most else { return String::new() };
    let held = if reason.class == "cwnd" { held_by_losses(scenario, result) } else { None };
    if let Some(held) = held {
        return format!("{held}, for {} of the paths' time.", percent(held_seconds(reason) / all));
    }
    let is_lossy =
        paths().any(|path| path.lost_packets > 0 || path.counters.timeouts > 0 || path.counters.ecn_cuts > 0);
    let why = match (reason.class, is_lossy) {
        ("cwnd", true) => "congestion windows, which losses or marks cut",
        ("cwnd", false) => "congestion windows, which were still growing or are limited",
        ("rwnd", _) => "the receive buffer, which had no room",
        ("scheduler", _) => "the scheduler, which left room on paths",
        ("app", _) => "the application, which had no data to send",
        _ => "paths that were down",
    };
    format!("Most of the rest: {why}, for {} of the paths' time.", percent(held_seconds(reason) / all))
}

/// A sentence on losses that keep windows small although queues are almost empty, with their share; `None` where no
/// path has such losses. Some congestion controls do not respond to them.
fn held_by_losses(scenario: &Scenario, result: &RunResult) -> Option<String> {
    let (mut lost, mut sent) = (0, 0);
    for flow in result.flows.iter().filter(|flow| has_loss_based_control(scenario, flow)) {
        for path in flow.paths.iter().filter(|path| is_lossy_and_unqueued(scenario, result, flow, path)) {
            lost += path.lost_packets;
            sent += path.counters.sent_packets;
        }
    }
    (lost > 0).then(|| {
        format!(
            "Most of the rest: losses of {} without a queue, which keep congestion windows small \
             (congestion_control = \"westwood\" does not take such losses for congestion)",
            share_of_losses(lost as f64 / sent as f64)
        )
    })
}

/// Returns true if an SCTP flow takes losses for congestion, and has an alternative.
fn has_loss_based_control(scenario: &Scenario, flow: &FlowResult) -> bool {
    // A flow in both directions has a result for each, one of them `NAME/reverse`.
    let name = flow.name.split('/').next().unwrap_or_default();
    let known = scenario.flows.iter().find(|known| known.name == name);
    known.is_some_and(|known| match &known.protocol {
        Protocol::Sctp(sctp) => !tells_losses_apart(&sctp.config.congestion_control, &scenario.registry),
        Protocol::Udp | Protocol::Tcp(_) => false,
    })
}

/// Returns true if a path lost packets, and neither filled a link nor left packets waiting at one.
fn is_lossy_and_unqueued(
    scenario: &Scenario,
    result: &RunResult,
    flow: &FlowResult,
    path: &PathResult,
) -> bool {
    let Some(known) = scenario.paths.iter().find(|known| known.name == path.name) else { return false };
    let links = known.links.iter().filter_map(|link| result.links.get(*link));
    let mut directions =
        links.map(|link| if flow.from == Host::First { &link.forward } else { &link.reverse });
    path.lost_packets >= FEWEST_LOSSES
        && path.lost_packets as f64 >= LEAST_LOSSES * path.counters.sent_packets as f64
        && !known.links.is_empty()
        && directions.all(|link| link.utilisation < FULL && link.mean_queue_packets < FEW_PACKETS)
}

/// `1.2 %`; below a tenth of a per cent with another digit.
fn share_of_losses(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.095 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}

/// The time in seconds for which a reason held a path back. A path that never failed was not down: its flow had not
/// begun.
fn held_seconds(reason: &Reason, path: &PathResult) -> f64 {
    let has_failed =
        path.counters.timeouts > 0 || path.counters.suspicions > 0 || path.state != PathState::Active;
    if reason.class == "down" && !has_failed { 0.0 } else { reason.span(path).as_secs_f64() }
}

fn failures(result: &RunResult) -> String {
    let failed = result.flows.iter().find_map(|flow| flow.failure.as_ref().map(|why| (flow, why)));
    failed.map_or(String::new(), |(flow, why)| format!(" Flow {} failed: {why}.", flow.name))
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps.max(0.0) as u64).to_string()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// The utilisation from which a link counts as full.
const FULL: f64 = 0.9;
/// Bursts make this many packets wait for a moment.
const FEW_PACKETS: f64 = 3.0;
/// Fewer losses may be chance, or the end of slow start.
const FEWEST_LOSSES: u64 = 3;
/// At a smaller share of losses, windows of 120 packets and more grow undisturbed (the square-root law).
const LEAST_LOSSES: f64 = 1e-4;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::*;
    use crate::testing;

    /// The first flow only, over both links of 10 Mbit/s, used to these shares.
    fn one_flow(used: [f64; 2]) -> RunResult {
        let mut result = testing::result();
        result.flows.truncate(1);
        result.flows[0].goodput_bps = 1.5e7;
        result.flows[0].delivered = ByteCount::new(1_000_000);
        for path in &mut result.flows[0].paths {
            path.counters.sent_packets = 1_000;
        }
        for (link, used) in result.links.iter_mut().zip(used) {
            link.forward.utilisation = used;
        }
        result
    }

    #[test]
    fn full_links_are_all_that_there_is() {
        let text = headline(&testing::scenario(), &one_flow([0.96, 0.94]));
        assert!(
            text.starts_with(
                "Both links together carried 15.0 Mbit/s of user data, 95 % of their 20.0 Mbit/s was used."
            ),
            "{text}"
        );
        assert!(text.contains("The links were full"), "{text}");
    }

    #[test]
    fn the_largest_share_of_the_paths_time_is_the_cause() {
        let mut result = one_flow([0.5, 0.5]);
        result.flows[0].paths[0].rwnd_limited = Duration::from_secs(6);
        result.flows[0].paths[1].cwnd_limited = Duration::from_secs(2);
        let text = headline(&testing::scenario(), &result);
        assert!(
            text.contains("the receive buffer, which had no room, for 75 % of the paths' time"),
            "{text}"
        );
        result.flows[0].paths[1].cwnd_limited = Duration::from_secs(60);
        let text = headline(&testing::scenario(), &result);
        assert!(text.contains("still growing"), "{text}");
        result.flows[0].paths[1].lost_packets = 3;
        for link in &mut result.links {
            link.forward.mean_queue_packets = 20.0;
        }
        let text = headline(&testing::scenario(), &result);
        assert!(text.contains("which losses or marks cut"), "{text}");
    }

    #[test]
    fn losses_without_a_queue_are_named_with_their_share_and_the_control_that_ignores_them() {
        let mut result = one_flow([0.3, 0.3]);
        for path in &mut result.flows[0].paths {
            path.cwnd_limited = Duration::from_secs(6);
            path.lost_packets = 10;
        }
        let text = headline(&testing::scenario(), &result);
        assert!(text.contains("losses of 1.0 % without a queue"), "{text}");
        assert!(
            text.contains("congestion_control = \"westwood\"") && text.contains("for 100 % of"),
            "{text}"
        );
        let mut bbr = testing::scenario();
        for flow in &mut bbr.flows {
            if let Protocol::Sctp(sctp) = &mut flow.protocol {
                "bbr".clone_into(&mut sctp.config.congestion_control);
            }
        }
        assert!(headline(&bbr, &result).contains("which losses or marks cut"), "nothing to set");
        let mut full = one_flow([0.95, 0.95]);
        full.flows[0].paths[0].lost_packets = 10;
        assert!(headline(&testing::scenario(), &full).contains("The links were full"));
    }

    #[test]
    fn a_flow_that_begins_late_was_not_down() {
        let mut result = one_flow([0.5, 0.5]);
        for path in &mut result.flows[0].paths {
            path.down = Duration::from_secs(9);
            path.cwnd_limited = Duration::from_secs(1);
        }
        assert!(headline(&testing::scenario(), &result).contains("congestion windows"));
        result.flows[0].paths[0].counters.timeouts = 4;
        assert!(headline(&testing::scenario(), &result).contains("paths that were down"));
    }

    #[test]
    fn a_run_without_a_delivery_says_so_and_why() {
        let mut result = testing::result();
        assert_eq!(headline(&testing::scenario(), &result), "Nothing was delivered.");
        result.flows[0].failure = Some("no path answers".to_owned());
        assert_eq!(
            headline(&testing::scenario(), &result),
            "Nothing was delivered. Flow main failed: no path answers."
        );
    }

    #[test]
    fn several_flows_are_one_sum_and_have_an_index_of_fairness() {
        let mut result = testing::result();
        for (flow, bps) in result.flows.iter_mut().zip([4e6, 4e6, 4e6]) {
            flow.goodput_bps = bps;
            flow.delivered = ByteCount::new(5_000_000);
        }
        assert!(headline(&testing::scenario(), &result).starts_with("3 flows together carried 12.0 Mbit/s"));
        assert_eq!(jains_index(&result), Some(1.0));
        result.flows[0].goodput_bps = 0.0;
        result.flows[1].goodput_bps = 0.0;
        assert!(jains_index(&result).is_some_and(|index| (index - 1.0 / 3.0).abs() < 1e-12), "one has all");
        assert_eq!(jains_index(&one_flow([0.0, 0.0])), None);
    }
}
