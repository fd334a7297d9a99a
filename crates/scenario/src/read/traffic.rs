//! Reads when a flow sends how much.

use super::fields::{Fields, Shape};
use super::{shapes, value};
use crate::fault::{Fault, Read};
use crate::model::{Messages, Traffic};
use crate::tree::{Node, TreeValue};
use crate::words::{ProtocolName, TRAFFIC, TrafficKind};

/// `"bulk"` or `{ kind = "cbr", rate = "8 Mbit/s", message = "1316 B" }`.
pub(crate) fn traffic(node: &Node, transport: ProtocolName) -> Read<Traffic> {
    let TreeValue::Table(table) = &node.value else {
        return match TRAFFIC.meaning(node)? {
            TrafficKind::Bulk => Ok(Traffic::Bulk),
            _ => {
                let fault = Fault::missing(node.span, "this traffic needs a rate and a size of its messages");
                Err(fault.help(EXAMPLE))
            }
        };
    };
    let Some(kind) = table.find("kind") else {
        return Err(Fault::missing(node.span, "a table of traffic needs a key `kind`").help(EXAMPLE));
    };
    let kind = TRAFFIC.meaning(kind)?;
    let fields = Fields::of(shape(kind), node)?;
    Ok(match kind {
        TrafficKind::Bulk => Traffic::Bulk,
        TrafficKind::Cbr => Traffic::Cbr(messages(&fields, transport)?),
        TrafficKind::Poisson => Traffic::Poisson(messages(&fields, transport)?),
        TrafficKind::OnOff => Traffic::OnOff {
            messages: messages(&fields, transport)?,
            on: value::some_span(fields.require("on", "\"200 ms\"")?)?,
            off: value::span(fields.require("off", "\"4.8 s\"")?)?,
        },
    })
}

fn shape(kind: TrafficKind) -> &'static Shape {
    match kind {
        TrafficKind::Bulk => &shapes::BULK,
        TrafficKind::Cbr => &shapes::CBR,
        TrafficKind::OnOff => &shapes::ON_OFF,
        TrafficKind::Poisson => &shapes::POISSON,
    }
}

fn messages(fields: &Fields<'_>, transport: ProtocolName) -> Read<Messages> {
    let rate = value::some_rate(fields.require("rate", "\"8 Mbit/s\"")?)?;
    let message = fields.require("message", "\"1316 B\"")?;
    let size = value::size_within(message, 1, LARGEST_MESSAGE)?;
    // Such a datagram still fits the 65,535 bytes of an IP packet: 28 are IP's and UDP's.
    debug_assert!(transport != ProtocolName::Udp || LARGEST_MESSAGE + 28 <= 65_535);
    Ok(Messages { rate, size })
}

/// In bytes.
const LARGEST_MESSAGE: u64 = 65_000;
/// How traffic may be given.
pub(crate) const EXAMPLE: &str =
    "for example traffic = { kind = \"cbr\", rate = \"8 Mbit/s\", message = \"1316 B\" }";
