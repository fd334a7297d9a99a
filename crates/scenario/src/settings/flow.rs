//! `[[flow]]`: the paths, the transport and the traffic of a flow.

use anabranch_base::setting::{Kind, Named, Scope, Setting, Words, put, put_some, shaped, shown, shown_some};
use anabranch_base::{Duration, Time, field};
use anabranch_sctp::config::Config;

use super::defaults;
use crate::model::{Direction, Flow, Protocol, Traffic};

pub(crate) static FLOW: [Setting<Flow>; 12] = [
    shaped("name", "a name", "one that no other flow has; required for the second and later ones"),
    Setting {
        key: "protocol",
        scope: Scope::Scenarios,
        kind: Kind::Word(PROTOCOL),
        doc: "transport",
        get: |flow| shown(&ProtocolName::of(&flow.protocol)),
        set: |flow, value| {
            let mut transport = ProtocolName::Sctp;
            put(&mut transport, value)?;
            flow.protocol = match transport {
                ProtocolName::Sctp => Protocol::Sctp(Box::new(defaults(Config::default()))),
                ProtocolName::Udp => Protocol::Udp,
                ProtocolName::Tcp => Protocol::Tcp(Box::default()),
            };
            Ok(())
        },
    },
    shaped("paths", "a list of names", "paths, each once; exactly one for UDP; with `from` and `to`, radios"),
    shaped("from", "a name", "node of the first end, across a mesh"),
    shaped("to", "a name", "node of the second end, across a mesh"),
    shaped("routing", "`dsr` or `static`", "source routing, or the route with the fewest hops at the start"),
    field!(start, Scenarios, Kind::ANY_SPAN, "start"),
    Setting {
        key: "transfer",
        scope: Scope::Scenarios,
        kind: Kind::SOME_SIZE,
        doc: "amount sent, each way; without it, until the run ends",
        get: |flow| shown_some(&flow.transfer),
        set: |flow, value| put_some(&mut flow.transfer, value),
    },
    field!(direction, Scenarios, Direction::KIND, "sending end"),
    shaped(
        "traffic",
        "`bulk`, or a table",
        "as much as the transport takes, or timed messages, which a UDP flow needs",
    ),
    shaped("sctp", "a table of the keys below", "settings of its association"),
    shaped("tcp", "a table of the keys below", "settings of its TCP connection"),
];

/// The flow with every setting at its default.
pub(crate) fn unnamed() -> Flow {
    Flow {
        name: String::new(),
        protocol: Protocol::Sctp(Box::new(defaults(Config::default()))),
        paths: Vec::new(),
        start: Time::ZERO,
        transfer: None,
        direction: Direction::Forward,
        traffic: Traffic::Bulk,
    }
}

/// The time between the starts of copies.
pub(crate) static STAGGER: Setting<Duration> = Setting {
    key: "stagger",
    scope: Scope::Scenarios,
    kind: Kind::ANY_SPAN,
    doc: "time between the starts of copies",
    get: |stagger| shown(stagger),
    set: |stagger, value| put(stagger, value),
};

pub(crate) const PROTOCOL: Words =
    Words { what: ProtocolName::WHAT, built: ProtocolName::words, planned: ProtocolName::PLANNED };

/// The protocol of a flow as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtocolName {
    Sctp,
    Udp,
    Tcp,
}

impl ProtocolName {
    fn of(protocol: &Protocol) -> ProtocolName {
        match protocol {
            Protocol::Sctp(_) => ProtocolName::Sctp,
            Protocol::Udp => ProtocolName::Udp,
            Protocol::Tcp(_) => ProtocolName::Tcp,
        }
    }
}

impl Named for ProtocolName {
    const WHAT: &'static str = "protocol";
    const NAMES: &'static [(&'static str, ProtocolName)] =
        &[("sctp", ProtocolName::Sctp), ("tcp", ProtocolName::Tcp), ("udp", ProtocolName::Udp)];
}
