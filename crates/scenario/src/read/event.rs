//! Reads one `[[event]]`: a change of a link, still a name, or of a node.

use anabranch_base::Time;
use anabranch_link::config::Change;

use super::fields::Fields;
use super::name::{LocatedName, NameIndex};
use super::reader::SettingReader;
use super::{loss, shapes, value};
use crate::fault::{Fault, Read};
use crate::model::{Direction, Event, NodeEvent};
use crate::nearest::listed;
use crate::settings::{CHANGES, EVENT};
use crate::tree::{Node, Span, TreeValue};

/// An event before copies are made.
#[derive(Debug)]
pub(crate) struct EventDraft {
    /// The event, with its link still to be resolved.
    pub settings: Event,
    pub link: LocatedName,
    /// The place of the change.
    pub span: Span,
}

/// The events of a file.
#[derive(Debug, Default)]
pub(crate) struct EventDrafts {
    pub links: Vec<EventDraft>,
    /// The changes of nodes, in order of time.
    pub nodes: Vec<NodeEvent>,
}

/// Reads all `[[event]]`, before links are copied; `node_names` are the nodes.
pub(crate) fn events(all: &[Node], node_names: &NameIndex) -> Read<EventDrafts> {
    let mut drafts = EventDrafts::default();
    for node in all {
        let fields = Fields::of(&shapes::EVENT, node)?;
        fields.require("at", "\"10 s\"")?;
        match fields.find("node") {
            Some(name) => drafts.nodes.push(of_node(&fields, name, node_names)?),
            None => drafts.links.push(of_link(&fields)?),
        }
    }
    drafts.nodes.sort_by_key(|event| event.at);
    Ok(drafts)
}

fn of_node(fields: &Fields<'_>, name: &Node, node_names: &NameIndex) -> Read<NodeEvent> {
    let others = ["link", "rate", "delay", "loss", "mtu", "direction"];
    if let Some((key, node)) = others.iter().find_map(|key| Some((key, fields.find(key)?))) {
        let fault = Fault::value(node.span, format!("the event of a node has no key `{key}`"));
        return Err(fault.expected("`at`, `node` and `state`"));
    }
    fields.require("state", "\"down\"")?;
    let name = LocatedName { text: value::text(name)?.to_owned(), span: name.span };
    let node = node_names.find(&name)?.first;
    let mut event = Event { at: Time::ZERO, link: 0, direction: Direction::Both, change: Change::Up };
    SettingReader::PLAIN.set_all(EVENT.iter(), fields.table(), &mut event)?;
    Ok(NodeEvent { at: event.at, node, is_present: event.change == Change::Up })
}

fn of_link(fields: &Fields<'_>) -> Read<EventDraft> {
    let link = fields.require("link", "\"wifi\"")?;
    let link = LocatedName { text: value::text(link)?.to_owned(), span: link.span };
    let (key, node) = the_change(fields)?;
    let mut event = Event { at: Time::ZERO, link: 0, direction: Direction::Both, change: Change::Up };
    if key == "loss" {
        event.change = Change::Loss(loss::loss(node)?);
    }
    SettingReader::PLAIN.set_all(EVENT.iter(), fields.table(), &mut event)?;
    Ok(EventDraft { settings: event, link, span: node.span })
}

/// The single key that changes something, and its value.
fn the_change<'t>(fields: &Fields<'t>) -> Read<(&'static str, &'t Node)> {
    let mut changes = CHANGES.iter().filter_map(|key| fields.find(key).map(|node| (*key, node)));
    let Some((key, node)) = changes.next() else {
        let fault = Fault::missing(fields.span(), "this event does not change anything");
        return Err(fault.expected(format!("one of {}", listed(CHANGES))));
    };
    if let Some((other, node)) = changes.next() {
        let fault = Fault::value(node.span, format!("this event changes both `{key}` and `{other}`"));
        return Err(fault.help("write one event for each of them"));
    }
    // Steps within an event would have no defined start.
    if matches!(key, "rate" | "delay") && matches!(node.value, TreeValue::Table(_)) {
        let fault = Fault::value(node.span, "an event sets a single value");
        return Err(fault.help("write steps and traces at the link itself, or one event for each step"));
    }
    Ok((key, node))
}
