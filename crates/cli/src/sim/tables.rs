//! A simulation's results as tables.

use anabranch_base::{BitRate, Duration};
use anabranch_scenario::Scenario;
use anabranch_sim::result::{
    DirectionResult, FlowResult, PathCounters, PathResult, RunResult, StationResult,
};
use anabranch_sim::{Estimate, FlowSummary, Replications, summarise};

use super::profiles::profiles;
use crate::report::{head, lay_out_narrow, milliseconds, optional_columns};

/// The tables of one run, or the summary of several.
pub(crate) fn tables(scenario: &Scenario, replications: &Replications) -> String {
    let mut text = String::new();
    if !scenario.title.is_empty() {
        text.push_str(&format!("{}\n\n", crate::failure::printable(&scenario.title)));
    }
    match replications.runs.as_slice() {
        [] => {}
        [only] => text.push_str(&one_run(scenario, only)),
        runs => text.push_str(&summary_table(&summarise(runs))),
    }
    text.push_str(&profiles(scenario));
    text
}

fn one_run(scenario: &Scenario, run: &RunResult) -> String {
    let flows = run.flows.iter().map(flow_row);
    let flow_head = head([
        "flow",
        "protocol",
        "delivered",
        "goodput",
        "completed in",
        "longest stall",
        "delay p50",
        "p99",
    ]);
    let fullness = Fullness { scenario, run };
    let paths =
        run.flows.iter().flat_map(|flow| flow.paths.iter().map(|path| path_row(flow, path, &fullness)));
    let path_head = head([
        "flow",
        "path",
        "state",
        "sent",
        "goodput",
        "lost",
        "resent",
        "time-outs",
        "RTT min/mean",
        "held back by",
    ]);
    let links = run.links.iter().flat_map(|link| {
        [link_row(&link.name, "there", &link.forward), link_row(&link.name, "back", &link.reverse)]
    });
    let link_head = head(["link", "way", "packets", "lost", "queue drops", "marked", "used"]);
    let link_table = if run.links.is_empty() {
        String::new()
    } else {
        lay_out_narrow(&with_head(link_head, links), 2, &[])
    };
    let failures = run.flows.iter().filter_map(|flow| {
        flow.failure.as_ref().map(|why| format!("\nflow {} ended early: {why}\n", flow.name))
    });
    format!(
        "{}\n{}\n{}{}{}{}\n{:.1} s simulated.\n",
        lay_out_narrow(&with_head(flow_head, flows), 2, &["p99", "delay p50", "longest stall"]),
        lay_out_narrow(&with_head(path_head, paths), 3, &optional_of_paths(run)),
        marks_table(run),
        link_table,
        stations_table(run),
        failures.collect::<String>(),
        run.time.as_secs_f64(),
    )
}

/// The columns of paths that go where a line is too long: what is alike in all rows before what was lost.
fn optional_of_paths(run: &RunResult) -> Vec<&'static str> {
    let states = run.flows.iter().flat_map(|flow| &flow.paths).map(|path| path.state.name());
    let others = optional_columns(states, &["sent", "resent", "time-outs", "state", "lost"]);
    (run.flows.len() == 1).then_some("flow").into_iter().chain(others).collect()
}

/// The traffic and the failures of each station; empty for a run without a mesh.
fn stations_table(run: &RunResult) -> String {
    if run.stations.is_empty() {
        return String::new();
    }
    let row = |station: &StationResult| {
        let counters = &station.counters;
        let frames: u64 = counters.frames.iter().sum();
        let counts = [
            frames,
            counters.rts_failures + counters.data_failures,
            counters.retry_drops,
            counters.queue_drops,
            counters.marked,
            counters.collisions,
            counters.discoveries,
        ];
        let names = [station.name.clone(), station.radio.clone()];
        let air = format!("{:.1} %", 100.0 * station.airtime);
        names.into_iter().chain(counts.map(|count| count.to_string())).chain([air]).collect()
    };
    let names = head([
        "station",
        "radio",
        "frames",
        "unanswered",
        "given up",
        "queue drops",
        "marked",
        "collisions",
        "discoveries",
        "air time",
    ]);
    lay_out_narrow(&with_head(names, run.stations.iter().map(row)), 2, &["marked", "discoveries", "radio"])
}

/// The reports of marks and their answers; empty for a run without ECN and probes.
fn marks_table(run: &RunResult) -> String {
    let paths = run.flows.iter().flat_map(|flow| flow.paths.iter().map(move |path| (flow, path)));
    let seen: Vec<_> =
        paths.filter(|(_, path)| marks(path).iter().any(|count| *count > 0)).map(marks_row).collect();
    if seen.is_empty() {
        return String::new();
    }
    let names = head(["flow", "path", "marks reported", "reports received", "answered", "cuts", "probes"]);
    format!("{}\n", lay_out_narrow(&with_head(names, seen.into_iter()), 2, &[]))
}

fn marks_row((flow, path): (&FlowResult, &PathResult)) -> Vec<String> {
    let counts = marks(path).map(|count| count.to_string());
    [flow.name.clone(), path.name.clone()].into_iter().chain(counts).collect()
}

fn marks(path: &PathResult) -> [u64; 5] {
    let PathCounters { sent_echoes, received_echoes, sent_cwrs, ecn_cuts, loss_probes, .. } = path.counters;
    [sent_echoes, received_echoes, sent_cwrs, ecn_cuts, loss_probes]
}

fn flow_row(flow: &FlowResult) -> Vec<String> {
    let delay = |pick: fn(&anabranch_sim::result::DelayResult) -> Duration| {
        flow.delay.as_ref().map_or("-".to_owned(), |delay| milliseconds(pick(delay)))
    };
    vec![
        flow.name.clone(),
        flow.protocol.to_owned(),
        flow.delivered.rounded(),
        rate(flow.goodput_bps),
        flow.completion.map_or("-".to_owned(), |took| format!("{:.2} s", took.as_secs_f64())),
        format!("{:.2} s", flow.longest_stall.as_secs_f64()),
        delay(|delay| delay.p50),
        delay(|delay| delay.p99),
    ]
}

fn path_row(flow: &FlowResult, path: &PathResult, fullness: &Fullness<'_>) -> Vec<String> {
    vec![
        flow.name.clone(),
        path.name.clone(),
        path.state.name().to_owned(),
        path.counters.sent_bytes.rounded(),
        rate(path.goodput_bps),
        path.lost_packets.to_string(),
        path.counters.retransmitted_chunks.to_string(),
        path.counters.timeouts.to_string(),
        round_trips(path),
        held_back_by(flow, path, fullness),
    ]
}

/// The shortest round trip and the mean: far apart, they say that a queue is full.
fn round_trips(path: &PathResult) -> String {
    let shown = |seconds: f64| format!("{:.1}", seconds * 1e3);
    match (path.min_rtt_s, path.mean_rtt_s) {
        (Some(least), Some(mean)) => format!("{}/{} ms", shown(least), shown(mean)),
        (None, Some(mean)) => format!("{} ms", shown(mean)),
        _ => "-".to_owned(),
    }
}

/// The links of a run, to be asked which are full.
struct Fullness<'a> {
    scenario: &'a Scenario,
    run: &'a RunResult,
}

impl Fullness<'_> {
    /// Returns true if a link of the path carried nearly all that it can, in the direction of the flow.
    fn has_full_link(&self, flow: &FlowResult, path: &str) -> bool {
        let Some(path) = self.scenario.paths.iter().find(|known| known.name == path) else { return false };
        path.links.iter().filter_map(|link| self.run.links.get(*link)).any(|link| {
            let direction = if flow.name.ends_with("/reverse") { &link.reverse } else { &link.forward };
            direction.utilisation >= FULL
        })
    }
}

/// A link of which this part of the time is used is full: the rest is the start, and gaps after losses.
const FULL: f64 = 0.9;

/// The largest of the five shares of the path's time. A window that is held by a full link is not what holds it back.
fn held_back_by(flow: &FlowResult, path: &PathResult, fullness: &Fullness<'_>) -> String {
    let time = fullness.run.time;
    let window = if fullness.has_full_link(flow, &path.name) { "the link (full)" } else { "window" };
    let shares = [
        (window, path.cwnd_limited),
        ("receiver", path.rwnd_limited),
        ("no data", path.app_limited),
        ("scheduler", path.scheduler_limited),
        ("being down", path.down),
    ];
    let (name, most) = shares.into_iter().max_by_key(|(_, span)| *span).unwrap_or_default();
    if time.is_zero() || most.is_zero() {
        return "-".to_owned();
    }
    format!("{name} {:.0} %", 100.0 * most.as_secs_f64() / time.as_secs_f64())
}

fn link_row(name: &str, direction: &str, result: &DirectionResult) -> Vec<String> {
    vec![
        name.to_owned(),
        direction.to_owned(),
        result.packets.to_string(),
        result.lost.to_string(),
        result.queue_drops.to_string(),
        result.marked.to_string(),
        format!("{:.1} %", result.utilisation * 100.0),
    ]
}

fn summary_table(flows: &[FlowSummary]) -> String {
    let rows = flows.iter().map(|flow| {
        let seconds = |estimate: &Estimate| with_error(estimate, |value| format!("{value:.2} s"));
        vec![
            flow.name.clone(),
            flow.goodput_bps.n.to_string(),
            goodput(&flow.goodput_bps),
            flow.completion_s.as_ref().map_or("-".to_owned(), seconds),
        ]
    });
    let table = lay_out_narrow(&with_head(head(["flow", "runs", "goodput", "completed in"]), rows), 1, &[]);
    let is_random = flows.iter().any(|flow| has_spread(&flow.goodput_bps));
    let said = if is_random {
        "Means, and half the width of their 95 % confidence intervals."
    } else {
        "All runs are equal: nothing in this scenario is random, so one run says the same."
    };
    format!("{table}\n{said}\n")
}

/// A goodput over several runs, with half the width of its interval.
pub(crate) fn goodput(estimate: &Estimate) -> String {
    with_error(estimate, rate)
}

/// Returns true if the runs differ by more than the rounding of their mean.
fn has_spread(estimate: &Estimate) -> bool {
    estimate.sd.is_some_and(|sd| sd > ROUNDING * estimate.mean.abs())
}

const ROUNDING: f64 = 1e-9;

fn with_error(estimate: &Estimate, show: impl Fn(f64) -> String) -> String {
    match estimate.ci95 {
        Some(ci95) if has_spread(estimate) => format!("{} ± {}", show(estimate.mean), show(ci95)),
        _ => show(estimate.mean),
    }
}

fn with_head(head: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    std::iter::once(head).chain(rows).collect()
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps as u64).to_string()
}
