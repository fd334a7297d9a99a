//! The document of an examination.

use anabranch_base::{BitRate, Duration};
use anabranch_diagnose::recording::{End, Recording};
use anabranch_diagnose::{Finding, LinkEstimate};
use anabranch_net::Config;
use anabranch_observe::Body;
use serde::Serialize;
use serde_json::{Value, json};

use super::pronounced::Pronounced;
use super::simulated::Simulated;
use super::tests_of_bond::Bond;
use super::verified::Verified;
use crate::arguments::DoctorArguments;
use crate::settings;

/// The results of an examination.
pub(super) struct Examined<'a> {
    /// The test packets.
    pub recording: &'a Recording,
    /// The links.
    pub links: &'a [LinkEstimate],
    /// The tests of the bond.
    pub bond: &'a Bond,
    /// The simulated changes.
    pub simulated: Option<Simulated>,
    /// The findings.
    pub pronounced: Pronounced,
    /// The change that was tried.
    pub verified: Option<Verified>,
}

/// Keys in the order in which they are printed.
#[derive(Serialize)]
struct DoctorDocument<'a> {
    healthy: bool,
    findings: &'a [Finding],
    sentences: &'a [String],
    links: Vec<Value>,
    bond: Value,
    what_ifs: Value,
    verified: &'a Option<Verified>,
    here: Value,
    there: Value,
    resolved: Value,
}

/// The document.
pub(super) fn of(examined: &Examined<'_>, arguments: &DoctorArguments, config: &Config) -> Body {
    let Pronounced { findings, sentences, .. } = &examined.pronounced;
    let lanes = examined.recording.lanes.iter();
    let links = lanes.zip(examined.links).map(|(lane, link)| {
        let mut entry = serde_json::to_value(link).unwrap_or_default();
        entry["local"] = lane.local.clone().into();
        entry["remote"] = lane.remote.clone().into();
        entry["interface"] = lane.interface.clone().into();
        entry["carried_by"] = lane.carried_by.clone().into();
        entry["forgot_within_s"] = lane.forgot_within.map(Duration::as_secs_f64).into();
        entry
    });
    let [forward, reverse] = examined.bond.transfers(config, &examined.recording.lanes);
    let directions = examined.simulated.iter().flat_map(|simulated| &simulated.directions);
    let what_ifs = directions
        .map(|direction| json!({ "is_forward": direction.is_forward, "changes": direction.changes }));
    Body::of(&DoctorDocument {
        healthy: findings.is_empty(),
        findings,
        sentences,
        links: links.collect(),
        bond: json!({ "forward": forward, "reverse": reverse }),
        what_ifs: what_ifs.collect(),
        verified: &examined.verified,
        here: end(&examined.recording.here),
        there: end(&examined.recording.there),
        resolved: json!({
            "light": arguments.light,
            "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "sctp": settings::resolved(config),
        }),
    })
}

fn end(end: &End) -> Value {
    json!({
        "lateness_s": end.lateness.as_secs_f64(),
        "lateness_p99_s": end.lateness_p99.as_secs_f64(),
        "processor_share": end.processor_share,
        "least_sent_share": end.least_sent_share,
        "socket_receive_buffer_bytes": end.socket_receive_buffer.get(),
        "socket_send_buffer_bytes": end.socket_send_buffer.get(),
        "socket_drops": end.socket_drops,
        "receive_buffer_limit_bytes": end.receive_buffer_limit.get(),
        "send_buffer_bytes": end.send_buffer.get(),
        "others_bytes": end.lanes.iter().map(|lane| lane.others_bytes).collect::<Vec<_>>(),
        "interfaces": end.lanes.iter().map(|lane| lane.interface.as_deref()).collect::<Vec<_>>(),
        "disk_write_bps": end.disk_write.map(BitRate::bits_per_second),
    })
}
