//! One `[[flow]]`: who sends what. Its paths are names yet, and its copies are not made.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::policy::Registry;

use super::fields::Fields;
use super::name::{LocatedName, name, names};
use super::{sctp, shapes, traffic, value};
use crate::fault::{Fault, Read};
use crate::model::{Direction, Protocol, Traffic};
use crate::tree::{Node, Span, TreeValue};
use crate::words::{self, ProtocolName};

/// A flow as the file has it, before copies are made.
#[derive(Debug)]
pub(crate) struct FlowDraft {
    /// Its span is the flow's where it has none.
    pub name: LocatedName,
    pub protocol: Protocol,
    /// `None` for all of them.
    pub paths: Option<Vec<LocatedName>>,
    pub start: Time,
    pub transfer: Option<ByteCount>,
    pub direction: Direction,
    pub stagger: Duration,
    pub traffic: Traffic,
    /// Where to report what is wrong with its paths.
    pub paths_span: Span,
    /// Where to report what is wrong with its window limits.
    pub limits_span: Span,
    /// The flow's header.
    pub span: Span,
}

/// Reads one `[[flow]]`; only the first may go without a name.
pub(crate) fn flow(node: &Node, is_first: bool, registry: &Registry) -> Read<FlowDraft> {
    let fields = Fields::of(&shapes::FLOW, node)?;
    let name = match fields.find("name") {
        None if is_first => LocatedName { text: MAIN.to_owned(), span: fields.span() },
        None => {
            let fault = Fault::missing(fields.span(), "this flow has no name");
            return Err(
                fault.help("each needs a `name` where there are several; only the first may go without")
            );
        }
        Some(node) => name(node)?,
    };
    let transport = fields.or("protocol", ProtocolName::Sctp, |node| words::PROTOCOL.meaning(node))?;
    if let Some(entry) = fields.entry("tcp") {
        return Err(words::PROTOCOL.not_built("tcp", entry.key_span));
    }
    let traffic = fields.or("traffic", Traffic::Bulk, |node| traffic::traffic(node, transport))?;
    let protocol = protocol(&fields, transport, &traffic, registry)?;
    let direction = fields.or("direction", Direction::Forward, |node| words::DIRECTION.meaning(node))?;
    if protocol.is_appstripe() {
        refuse_beside_appstripe(&fields, &traffic, direction)?;
    }
    Ok(FlowDraft {
        name,
        protocol,
        paths: fields.maybe("paths", |node| names(node, "[\"wifi\", \"lte\"]"))?,
        start: fields.or("start", Time::ZERO, value::moment)?,
        transfer: fields.maybe("transfer", |node| value::size_within(node, 1, u64::MAX))?,
        direction,
        stagger: fields.or("stagger", Duration::ZERO, value::span)?,
        traffic,
        paths_span: fields.span_of("paths"),
        limits_span: limits_span(&fields),
        span: fields.span(),
    })
}

/// Where the limits of the windows stand, or what is nearest to them.
fn limits_span(fields: &Fields<'_>) -> Span {
    let settings = match fields.find("sctp") {
        Some(Node { value: TreeValue::Table(settings), .. }) => settings.find("window_management"),
        _ => None,
    };
    settings.map_or(fields.span_of("sctp"), |node| node.span)
}

/// AppStripe is the same transfer over each path, one way (M-CMT-8): for timed messages, or for both ways at once, it
/// is not defined.
fn refuse_beside_appstripe(fields: &Fields<'_>, traffic: &Traffic, direction: Direction) -> Read<()> {
    if *traffic != Traffic::Bulk {
        let message =
            "multipath \"appstripe\" sends in bulk: its associations are given the whole transfer each";
        return Err(Fault::value(fields.span_of("traffic"), message).help("leave `traffic` out"));
    }
    if direction == Direction::Both {
        let message = "multipath \"appstripe\" sends one way: its associations end with the one transfer";
        let fault = Fault::value(fields.span_of("direction"), message);
        return Err(fault.help("write two flows, one \"forward\" and one \"reverse\""));
    }
    Ok(())
}

/// The default name of the first flow.
pub(crate) const MAIN: &str = "main";

fn protocol(
    fields: &Fields<'_>,
    transport: ProtocolName,
    traffic: &Traffic,
    registry: &Registry,
) -> Read<Protocol> {
    if transport == ProtocolName::Sctp {
        return Ok(Protocol::Sctp(Box::new(sctp::sctp(fields.find("sctp"), registry)?)));
    }
    if let Some(entry) = fields.entry("sctp") {
        let fault = Fault::value(entry.key_span, "a UDP flow has no settings of SCTP");
        return Err(fault.help(
            "the table belongs to the last [[flow]] above it: move it, or choose protocol = \"sctp\"",
        ));
    }
    if *traffic == Traffic::Bulk {
        let span = if fields.find("traffic").is_some() { "traffic" } else { "protocol" };
        let message = "a UDP flow has no window: give it cbr, on-off or poisson traffic";
        return Err(Fault::value(fields.span_of(span), message).help(traffic::EXAMPLE));
    }
    Ok(Protocol::Udp)
}
