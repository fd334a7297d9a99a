//! A flow as values of a file.

use anabranch_base::setting::Scope;

use super::link::variant;
use super::mesh::end_of;
use super::{ResolvedTable, ResolvedValue, sctp, shown, table};
use crate::model::{Flow, Protocol, Scenario, Traffic};
use crate::settings::{FLOW, TCP, TRAFFIC};

/// One `[[flow]]` of `scenario` over the paths of these names.
pub(super) fn flow(flow: &Flow, paths: &[ResolvedValue], scenario: &Scenario) -> ResolvedTable {
    let air = flow.paths.iter().find_map(|path| scenario.paths.get(*path)?.air);
    shown(FLOW.iter(), flow, |key| match (key, &flow.protocol) {
        ("name", _) => Some(flow.name.as_str().into()),
        ("paths", _) => Some(paths.to_vec().into()),
        ("from" | "to" | "routing", _) => end_of(air?, &scenario.nodes, key),
        ("traffic", _) => Some(traffic(&flow.traffic)),
        ("sctp", Protocol::Sctp(settings)) => Some(sctp::sctp(settings, &scenario.registry).into()),
        ("tcp", Protocol::Tcp(settings)) => Some(table(TCP.iter(), settings, Scope::Scenarios).into()),
        _ => None,
    })
}

/// The kind alone, where it has no settings, or a table of its kind.
fn traffic(traffic: &Traffic) -> ResolvedValue {
    let kind = TRAFFIC.iter().find(|kind| (kind.is)(traffic));
    match kind {
        Some(kind) if !kind.settings.is_empty() => variant(kind, traffic).into(),
        kind => kind.map_or("", |kind| kind.name).into(),
    }
}
