//! The keys of a simulation's document, which scripts rely on: each run, and the summary of all.

use anabranch_base::Duration;
use anabranch_scenario::Scenario;
use anabranch_sim::observe::FrameKind;
use anabranch_sim::result::{
    DelayResult, DirectionResult, FlowResult, LinkResult, PathResult, RunResult, SackResult, StationResult,
};
use anabranch_sim::{Estimate, FlowSummary, Replications, summarise};
use serde_json::{Map, Value, json};

use crate::document::{Body, resolved};
use crate::words::frame_kind;

/// The results of all runs of `scenario`, the first of which had this seed. Equal runs have equal results, on any machine.
pub fn results(scenario: &Scenario, seed: u64, replications: &Replications) -> Body {
    whole(scenario, seed, replications, &replications.runs.iter().map(run).collect::<Vec<_>>())
}

/// The same, with the time that each run took on this machine, `wall_s`.
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

fn sacks(sacks: SackResult) -> Value {
    json!({
        "sent": sacks.sent,
        "sent_by_timer": sacks.sent_by_timer,
        "received": sacks.received,
        "received_for_several_paths": sacks.received_for_several_paths,
    })
}

fn path(path: &PathResult) -> Value {
    json!({
        "name": path.name,
        "state": path.state.name(),
        "sent_packets": path.sent_packets,
        "sent_bytes": path.sent_bytes.get(),
        "retransmitted_chunks": path.retransmitted_chunks,
        "lost_packets": path.lost_packets,
        "fast_retransmits": path.fast_retransmits,
        "timeouts": path.timeouts,
        "ecne_sent": path.marks.ecne_sent,
        "ecne_received": path.marks.ecne_received,
        "cwr_sent": path.marks.cwr_sent,
        "ecn_cuts": path.marks.ecn_cuts,
        "probes_sent": path.marks.probes_sent,
        "mean_cwnd_bytes": path.mean_cwnd_bytes,
        "mean_rtt_s": path.mean_rtt_s,
        "min_rtt_s": path.min_rtt_s,
        "goodput_bps": path.goodput_bps,
        "app_limited_s": seconds(path.app_limited),
        "cwnd_limited_s": seconds(path.cwnd_limited),
        "rwnd_limited_s": seconds(path.rwnd_limited),
        "scheduler_limited_s": seconds(path.scheduler_limited),
        "down_s": seconds(path.down),
    })
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
