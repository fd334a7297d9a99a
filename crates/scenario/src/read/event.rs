//! One `[[event]]`: what happens to a link, which is a name yet.

use anabranch_base::Time;
use anabranch_link::config::{Change, Delay, Rate};

use super::fields::Fields;
use super::link::mtu;
use super::name::LocatedName;
use super::{loss, shapes, value};
use crate::fault::{Fault, Read};
use crate::model::Direction;
use crate::tree::{Node, Span, Table, TreeValue};
use crate::words;

/// An event as the file has it, before copies are made.
#[derive(Debug)]
pub(crate) struct EventDraft {
    pub at: Time,
    pub link: LocatedName,
    pub direction: Direction,
    pub change: Change,
    /// Where the change is told.
    pub span: Span,
}

/// Reads one `[[event]]`.
pub(crate) fn event(node: &Node) -> Read<EventDraft> {
    let fields = Fields::of(&shapes::EVENT, node)?;
    let at = value::moment(fields.require("at", "\"10 s\"")?)?;
    let link = fields.require("link", "\"wifi\"")?;
    let link = LocatedName { text: value::text(link)?.to_owned(), span: link.span };
    let direction = fields.or("direction", Direction::Both, |node| words::DIRECTION.meaning(node))?;
    let mut changes = CHANGES.iter().filter_map(|key| fields.find(key).map(|node| (*key, node)));
    let Some((key, node)) = changes.next() else {
        let fault = Fault::missing(fields.span(), "this event changes nothing");
        return Err(fault.expected("one of state, rate, delay, loss and mtu"));
    };
    if let Some((other, node)) = changes.next() {
        let fault = Fault::value(node.span, format!("this event changes both `{key}` and `{other}`"));
        return Err(fault.help("write one event for each of them"));
    }
    Ok(EventDraft { at, link, direction, change: change(key, node, fields.table())?, span: node.span })
}

const CHANGES: &[&str] = &["state", "rate", "delay", "loss", "mtu"];

fn change(key: &str, node: &Node, table: &Table) -> Read<Change> {
    Ok(match key {
        "state" => match words::LINK_STATE.meaning(node)? {
            true => Change::Up,
            false => Change::Down,
        },
        "rate" => Change::Rate(Rate::Fixed(single(node).and_then(|()| value::any_rate(node))?)),
        "delay" => Change::Delay(Delay::Fixed(single(node).and_then(|()| value::span(node))?)),
        "mtu" => Change::Mtu(mtu(table)?),
        _ => Change::Loss(loss::loss(node)?),
    })
}

/// Steps within an event would have no defined start.
fn single(node: &Node) -> Read<()> {
    if matches!(node.value, TreeValue::Table(_)) {
        let fault = Fault::value(node.span, "an event sets a single value");
        return Err(fault.help("write steps and traces at the link itself, or one event for each step"));
    }
    Ok(())
}
