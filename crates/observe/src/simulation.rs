//! The document of a simulation, on whose keys scripts rely: each run, and the summary of all.

use anabranch_base::Duration;
use anabranch_base::counter::Shown;
use anabranch_scenario::Scenario;
use anabranch_sim::observe::FrameKind;
use anabranch_sim::result::{
    DelayResult, DirectionResult, FlowResult, LinkResult, Measure, PathQuantity, PathResult, RunResult,
    SackCounters, StationResult,
};
use anabranch_sim::{Estimate, FlowSummary, Replications, summarise};
use serde_json::{Map, Value, json};

use crate::document::{Body, resolved};
use crate::words::frame_kind;

/// The results of all runs of `scenario`, the first of which had this seed. Equal runs have equal results on any
/// machine.
pub fn results(scenario: &Scenario, seed: u64, replications: &Replications) -> Body {
    whole(scenario, seed, replications, &replications.runs.iter().map(run).collect::<Vec<_>>())
}

/// Like [`results`], with the time of each run on this machine, `wall_s`.
pub fn timed_results(scenario: &Scenario, seed: u64, replications: &Replications) -> Body {
    let runs = replications.runs.iter().zip(&replications.wall);
    let timed = runs.map(|(result, wall)| {
        let mut entry = run(result);
        entry["wall_s"] = json!(seconds(*wall));
        entry
    });
    whole(scenario, seed, replications, &timed.collect::<Vec<_>>())
}

fn whole(scenario: &Scenario, seed: u64, replications: &Replications, runs: &[Value]) -> Body {
    let body = json!({
        "title": scenario.title,
        "seed": seed,
        "runs": runs,
        "summary": summary(&summarise(&replications.runs)),
        "resolved": resolved(scenario),
    });
    Body::of(&body)
}

fn run(run: &RunResult) -> Value {
    let mut entry = json!({
        "seed": run.seed,
        "time_s": seconds(run.time),
        "events": run.events,
        "packets": run.packets,
        "end_to_end_packets": run.end_to_end_packets,
        "flows": run.flows.iter().map(flow).collect::<Vec<_>>(),
        "links": run.links.iter().map(link).collect::<Vec<_>>(),
    });
    if let (false, Value::Object(entry)) = (run.stations.is_empty(), &mut entry) {
        entry.insert("stations".to_owned(), run.stations.iter().map(station).collect());
    }
    entry
}

fn station(station: &StationResult) -> Value {
    let counters = &station.counters;
    let kinds = FrameKind::ALL.into_iter();
    let frames: Map<String, Value> =
        kinds.map(|kind| (frame_kind(kind).to_owned(), json!(counters.sent(kind)))).collect();
    json!({
        "name": station.name,
        "radio": station.radio,
        "frames": frames,
        "rts_failures": counters.rts_failures,
        "data_failures": counters.data_failures,
        "retry_drops": counters.retry_drops,
        "queue_drops": counters.queue_drops,
        "marked": counters.marked,
        "collisions": counters.collisions,
        "link_failures": counters.link_failures,
        "discoveries": counters.discoveries,
        "requests_received": counters.requests_received,
        "replies_received": counters.replies_received,
        "errors_received": counters.errors_received,
        "airtime": station.airtime,
    })
}

fn flow(flow: &FlowResult) -> Value {
    let mut entry = json!({
        "name": flow.name,
        "protocol": flow.protocol,
        "delivered_bytes": flow.delivered.get(),
        "goodput_bps": flow.goodput_bps,
        "completion_s": flow.completion.map(seconds),
        "first_data_s": flow.first_data.map(seconds),
        "blocked_s": seconds(flow.blocked),
        "longest_stall_s": seconds(flow.longest_stall),
        "reorder_bytes_max": flow.reorder_bytes_max.get(),
        "delay_s": flow.delay.map(delay),
        "wire_bytes_sent": {
            "sender": flow.wire_bytes_sent.sender.get(),
            "receiver": flow.wire_bytes_sent.receiver.get(),
        },
        "tr_ratio": flow.tr_ratio,
        "goodput_packets": flow.goodput_packets,
        "sacks": flow.sacks.map(sacks),
        "paths": flow.paths.iter().map(path).collect::<Vec<_>>(),
    });
    if let (Some(failure), Value::Object(entry)) = (&flow.failure, &mut entry) {
        entry.insert("failure".to_owned(), json!(failure));
    }
    entry
}

fn delay(delay: DelayResult) -> Value {
    json!({
        "p50": seconds(delay.p50),
        "p95": seconds(delay.p95),
        "p99": seconds(delay.p99),
        "max": seconds(delay.max),
    })
}

fn sacks(sacks: SackCounters) -> Value {
    let shown = SackCounters::TABLE.iter().filter(|counter| counter.shown.includes(Shown::Simulations));
    shown
        .map(|counter| (counter.name.to_owned(), json!((counter.read)(&sacks))))
        .collect::<Map<_, _>>()
        .into()
}

fn path(path: &PathResult) -> Value {
    let name = ("name".to_owned(), json!(path.name));
    let quantities = PathQuantity::all().map(|quantity| {
        let value = match quantity.of(path) {
            Measure::Word(word) => json!(word),
            Measure::Whole(count) => json!(count),
            Measure::Number(number) => json!(number),
        };
        (quantity.name.to_owned(), value)
    });
    std::iter::once(name).chain(quantities).collect::<Map<_, _>>().into()
}

fn link(link: &LinkResult) -> Value {
    json!({ "name": link.name, "forward": direction(&link.forward), "reverse": direction(&link.reverse) })
}

fn direction(direction: &DirectionResult) -> Value {
    json!({
        "packets": direction.packets,
        "offered": direction.offered,
        "lost": direction.lost,
        "queue_drops": direction.queue_drops,
        "marked": direction.marked,
        "duplicated": direction.duplicated,
        "corrupted": direction.corrupted,
        "in_flight": direction.in_flight,
        "mean_queue_packets": direction.mean_queue_packets,
        "utilisation": direction.utilisation,
    })
}

fn summary(flows: &[FlowSummary]) -> Value {
    let entry = |flow: &FlowSummary| {
        let value = json!({
            "n": flow.goodput_bps.n,
            "goodput_bps": estimate(&flow.goodput_bps),
            "completion_s": flow.completion_s.as_ref().map(estimate),
        });
        (flow.name.clone(), value)
    };
    Value::Object(flows.iter().map(entry).collect::<Map<_, _>>())
}

fn estimate(estimate: &Estimate) -> Value {
    json!({ "mean": estimate.mean, "sd": estimate.sd, "ci95": estimate.ci95, "n": estimate.n })
}

fn seconds(span: Duration) -> f64 {
    span.as_secs_f64()
}
