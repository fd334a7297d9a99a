//! A flow as values of the file.

use super::{ResolvedTable, ResolvedValue, direction, moment, sctp};
use crate::model::{Flow, Messages, Protocol, Traffic};
use crate::quantity::{exact_rate, exact_size, exact_span};
use crate::words::{PROTOCOL, ProtocolName, TRAFFIC, TrafficKind};

/// One `[[flow]]` over the paths of these names.
pub fn flow(flow: &Flow, paths: Vec<ResolvedValue>) -> ResolvedTable {
    let (transport, settings) = match &flow.protocol {
        Protocol::Sctp(settings) => (ProtocolName::Sctp, Some(sctp::sctp(settings))),
        Protocol::Udp => (ProtocolName::Udp, None),
    };
    ResolvedTable::default()
        .with("name", flow.name.as_str())
        .with("protocol", PROTOCOL.word(transport))
        .with("paths", paths)
        .with("start", moment(flow.start))
        .with_some("transfer", flow.transfer.map(exact_size))
        .with("direction", direction(flow.direction))
        .with("traffic", traffic(&flow.traffic))
        .with_some("sctp", settings)
}

fn traffic(traffic: &Traffic) -> ResolvedValue {
    match traffic {
        Traffic::Bulk => TRAFFIC.word(TrafficKind::Bulk).into(),
        Traffic::Cbr(sent) => messages(TrafficKind::Cbr, sent).into(),
        Traffic::Poisson(sent) => messages(TrafficKind::Poisson, sent).into(),
        Traffic::OnOff { messages: sent, on, off } => messages(TrafficKind::OnOff, sent)
            .with("on", exact_span(*on))
            .with("off", exact_span(*off))
            .into(),
    }
}

fn messages(kind: TrafficKind, messages: &Messages) -> ResolvedTable {
    ResolvedTable::default()
        .with("kind", TRAFFIC.word(kind))
        .with("rate", exact_rate(messages.rate))
        .with("message", exact_size(messages.size))
}
