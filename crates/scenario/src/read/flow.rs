//! Reads one `[[flow]]`, before paths are resolved and copies are made.

use anabranch_base::Duration;
use anabranch_sctp::policy::Registry;

use super::fields::Fields;
use super::mesh_ends::{self, MeshEnds};
use super::name::{LocatedName, name, names};
use super::reader::SettingReader;
use super::{sctp, shapes, tcp, traffic};
use crate::fault::{Fault, Read};
use crate::model::{Direction, Flow, Protocol, Traffic};
use crate::settings::{FLOW, STAGGER, unnamed};
use crate::tree::{Node, Span, TreeValue};

/// A flow before copies are made.
#[derive(Debug)]
pub(crate) struct FlowDraft {
    /// The flow, with its name and paths still to be resolved.
    pub settings: Flow,
    /// The name; its span is the flow's where it has no name of its own.
    pub name: LocatedName,
    /// The paths; `None` for all.
    pub paths: Option<Vec<LocatedName>>,
    /// The nodes between which it crosses the mesh.
    pub ends: Option<MeshEnds>,
    pub stagger: Duration,
    /// The place to report a fault of its paths.
    pub paths_span: Span,
    /// The place to report a fault of its window limits.
    pub limits_span: Span,
    /// The place of the flow's header.
    pub span: Span,
}

/// Reads one `[[flow]]`; only the first may go without a name.
pub(crate) fn flow(node: &Node, is_first: bool, registry: &Registry) -> Read<FlowDraft> {
    let fields = Fields::of(&shapes::FLOW, node)?;
    let name = match fields.find("name") {
        None if is_first => LocatedName { text: MAIN.to_owned(), span: fields.span() },
        None => {
            let fault = Fault::missing(fields.span(), "this flow has no name");
            return Err(fault.help("with several flows, each but the first needs a `name`"));
        }
        Some(node) => name(node)?,
    };
    let mut flow = unnamed();
    SettingReader::PLAIN.set_all(FLOW.iter(), fields.table(), &mut flow)?;
    let mut stagger = Duration::ZERO;
    SettingReader::PLAIN.set_all(std::iter::once(&STAGGER), fields.table(), &mut stagger)?;
    fields.set("traffic", &mut flow.traffic, traffic::traffic)?;
    refuse_settings_of_others(&fields, &flow.protocol)?;
    match &mut flow.protocol {
        Protocol::Sctp(settings) => **settings = sctp::sctp(fields.find("sctp"), registry)?,
        Protocol::Udp => refuse_bulk(&fields, &flow.traffic)?,
        Protocol::Tcp(settings) => **settings = tcp::tcp(fields.find("tcp"))?,
    }
    if flow.protocol.is_appstripe() {
        refuse_beside_appstripe(&fields, &flow)?;
    }
    Ok(FlowDraft {
        settings: flow,
        name,
        paths: fields.maybe("paths", |node| names(node, "[\"wifi\", \"lte\"]"))?,
        ends: mesh_ends::ends(&fields)?,
        stagger,
        paths_span: fields.span_of("paths"),
        limits_span: limits_span(&fields),
        span: fields.span(),
    })
}

/// The place of the window limits, or the nearest place to them.
fn limits_span(fields: &Fields<'_>) -> Span {
    let settings = match fields.find("sctp") {
        Some(Node { value: TreeValue::Table(settings), .. }) => settings.find("window_management"),
        _ => None,
    };
    settings.map_or(fields.span_of("sctp"), |node| node.span)
}

/// AppStripe sends the same transfer over each path in one direction (M-CMT-8): for timed messages or both directions
/// at once it is not defined.
fn refuse_beside_appstripe(fields: &Fields<'_>, flow: &Flow) -> Read<()> {
    if flow.traffic != Traffic::Bulk {
        let message =
            "multipath \"appstripe\" sends bulk traffic: each of its associations sends the whole transfer";
        return Err(Fault::value(fields.span_of("traffic"), message).help("leave `traffic` out"));
    }
    if flow.direction == Direction::Both {
        let message =
            "multipath \"appstripe\" sends in one direction: its associations end with the transfer";
        let fault = Fault::value(fields.span_of("direction"), message);
        return Err(fault.help("write two flows, one \"forward\" and one \"reverse\""));
    }
    Ok(())
}

/// The default name of the first flow.
pub(crate) const MAIN: &str = "main";

/// Refuses settings of another protocol than the one that carries the flow.
fn refuse_settings_of_others(fields: &Fields<'_>, protocol: &Protocol) -> Read<()> {
    let (name, others): (_, &[(&'static str, &str)]) = match protocol {
        Protocol::Sctp(_) => ("an SCTP", &[("tcp", "TCP")]),
        Protocol::Udp => ("a UDP", &[("sctp", "SCTP"), ("tcp", "TCP")]),
        Protocol::Tcp(_) => ("a TCP", &[("sctp", "SCTP")]),
    };
    let found = others.iter().find_map(|(key, other)| Some((fields.entry(key)?, key, other)));
    let Some((entry, key, other)) = found else { return Ok(()) };
    let fault = Fault::value(entry.key_span, format!("{name} flow has no {other} settings"));
    Err(fault.help(format!(
        "the table belongs to the last [[flow]] above it: move it, or choose protocol = {key:?}"
    )))
}

/// Refuses bulk traffic over UDP, which has no window to pace it.
fn refuse_bulk(fields: &Fields<'_>, traffic: &Traffic) -> Read<()> {
    if *traffic == Traffic::Bulk {
        let span = if fields.find("traffic").is_some() { "traffic" } else { "protocol" };
        let message = "a UDP flow has no window: give it cbr, on-off or poisson traffic";
        return Err(Fault::value(fields.span_of(span), message).help(traffic::EXAMPLE));
    }
    Ok(())
}
