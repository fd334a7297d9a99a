//! The radios and nodes of a mesh as values of a file.

use anabranch_base::setting::Named as _;
use anabranch_link::config::Change;
use anabranch_wireless::config::{MOVEMENTS, Movement, RadioConfig, radio_settings, station_settings};

use super::link::{queue, variant};
use super::{ResolvedTable, ResolvedValue, shown};
use crate::model::{Air, Direction, Event, Node, NodeEvent, Radio};
use crate::settings::EVENT;

/// One `[[radio]]`.
pub(super) fn radio(radio: &Radio) -> ResolvedTable {
    let table = ResolvedTable::default().with("name", radio.name.as_str());
    ResolvedTable(table.0.into_iter().chain(channel(&radio.config).0).collect())
}

/// The settings of a channel.
pub(crate) fn channel(config: &RadioConfig) -> ResolvedTable {
    shown(radio_settings(), config, |key| (key == "queue").then(|| queue(&config.queue)))
}

/// One `[[node]]`.
pub(super) fn node(node: &Node) -> ResolvedTable {
    shown(station_settings(), &node.config, |key| match key {
        "name" => Some(node.name.as_str().into()),
        "movement" => Some(movement(&node.config.movement)),
        _ => None,
    })
}

/// The `[[event]]` of a node.
pub(super) fn event(event: &NodeEvent, nodes: &[Node]) -> ResolvedTable {
    let change = if event.is_present { Change::Up } else { Change::Down };
    let as_of_a_link = Event { at: event.at, link: 0, direction: Direction::Both, change };
    let settings = EVENT.iter().filter(|setting| setting.key != "direction");
    shown(settings, &as_of_a_link, |key| {
        (key == "node").then(|| nodes.get(event.node).map_or("", |node| &node.name).into())
    })
}

/// The value of `key` for a flow across the mesh: `from`, `to` or `routing`.
pub(super) fn end_of(air: Air, nodes: &[Node], key: &str) -> Option<ResolvedValue> {
    let name = |index: usize| nodes.get(index).map_or("", |node| &node.name).into();
    match key {
        "from" => Some(name(air.from)),
        "to" => Some(name(air.to)),
        "routing" => Some(air.routing.word().into()),
        _ => None,
    }
}

/// The kind alone, where it has no settings, or a table of its kind.
fn movement(movement: &Movement) -> ResolvedValue {
    let kind = MOVEMENTS.iter().find(|kind| (kind.is)(movement));
    match kind {
        Some(kind) if !kind.settings.is_empty() => variant(kind, movement).into(),
        kind => kind.map_or("", |kind| kind.name).into(),
    }
}
