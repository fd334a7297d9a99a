//! The JSON of an emulation: a line each second, and the document at the end.

use anabranch_base::Duration;
use anabranch_emulate::{
    LinkReport, PathEnds, PathReport, RelayReport, SideReport, TimingError, TrafficCounters,
};
use anabranch_observe::Body;
use serde_json::{Map, Value, json};

use crate::scenario::{Loaded, resolved};

/// The document of the whole relay.
pub(crate) fn relayed(loaded: &Loaded, report: &RelayReport) -> Body {
    document(Map::new(), loaded, report)
}

/// The document of the links, with the exit status of the command.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) fn of_command(loaded: &Loaded, report: &RelayReport, status: u8) -> Body {
    document(Map::from_iter([("exit_status".to_owned(), json!(status))]), loaded, report)
}

fn document(first: Map<String, Value>, loaded: &Loaded, report: &RelayReport) -> Body {
    let mut keys = Map::from_iter([("title".to_owned(), json!(loaded.scenario.title))]);
    keys.extend(first);
    if let Value::Object(rest) = line(report) {
        keys.extend(rest);
    }
    keys.insert("resolved".to_owned(), resolved(loaded));
    Body::of(&keys).about(loaded.sha256.clone())
}

/// The line of the emulation so far.
pub(super) fn line(report: &RelayReport) -> Value {
    json!({
        "time_s": report.time.map(Duration::as_secs_f64),
        "paths": report.paths.iter().map(path).collect::<Vec<_>>(),
        "links": report.links.iter().map(link).collect::<Vec<_>>(),
        "timing_error_s": timing(&report.timing),
        "kernel_drops": report.kernel_drops,
    })
}

fn path(path: &PathReport) -> Value {
    let mut keys = Map::from_iter([("name".to_owned(), json!(path.name))]);
    if let Value::Object(ends) = ends(&path.ends) {
        keys.extend(ends);
    }
    keys.insert("forward".to_owned(), traffic(&path.forward));
    keys.insert("reverse".to_owned(), traffic(&path.reverse));
    keys.insert("refused".to_owned(), json!(path.refused()));
    Value::Object(keys)
}

fn ends(ends: &PathEnds) -> Value {
    match ends {
        PathEnds::Sockets { listen, to, clients, .. } => {
            json!({ "listen": listen.to_string(), "to": to.to_string(), "clients": clients })
        }
        PathEnds::Interfaces { name, near, far } => {
            json!({ "interface": name, "near": near.to_string(), "far": far.to_string() })
        }
    }
}

fn traffic(traffic: &TrafficCounters) -> Value {
    json!({
        "received_packets": traffic.received,
        "received_bytes": traffic.received_bytes.get(),
        "sent_packets": traffic.sent,
        "sent_bytes": traffic.sent_bytes.get(),
        "unsent_packets": traffic.unsent,
    })
}

fn link(link: &LinkReport) -> Value {
    json!({ "name": link.name, "forward": side(&link.forward), "reverse": side(&link.reverse) })
}

/// One direction of a link, with the keys of a simulated link.
fn side(side: &SideReport) -> Value {
    let counters = side.counters;
    json!({
        "packets": counters.arrived,
        "offered": counters.offered,
        "lost": counters.lost,
        "queue_drops": counters.queue_drops,
        "marked": counters.marked,
        "duplicated": counters.duplicated,
        "corrupted": counters.corrupted,
        "in_flight": side.in_flight,
        "utilisation": side.utilisation,
    })
}

fn timing(timing: &TimingError) -> Value {
    json!({
        "packets": timing.packets,
        "p50": timing.p50.as_secs_f64(),
        "p99": timing.p99.as_secs_f64(),
        "p999": timing.p999.as_secs_f64(),
        "max": timing.max.as_secs_f64(),
    })
}
