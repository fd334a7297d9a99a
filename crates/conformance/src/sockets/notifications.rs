//! Notifications: events of the core as RFC 6458 §6.1 and RFC 6525 §6.1 shape them.

use anabranch_sctp::association::{Association, PathAddresses};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::wire::StreamId;

use super::arguments::{socket_address, structure};
use crate::machine::Machine;
use crate::script::Value;

/// A kind of notification, by its symbol.
pub(super) type Kind = &'static str;

/// A notification that an application receives in place of data.
#[derive(Clone, Debug)]
pub(super) struct Notification {
    pub(super) kind: Kind,
    /// The structure.
    pub(super) value: Value,
    /// The length in bytes.
    pub(super) length: usize,
}

/// The kinds that exist, with the field of `sctp_event_subscribe` that subscribes to each.
pub(super) const KINDS: &[(Kind, &str)] = &[
    ("SCTP_ASSOC_CHANGE", "sctp_association_event"),
    ("SCTP_PEER_ADDR_CHANGE", "sctp_address_event"),
    ("SCTP_SEND_FAILED", "sctp_send_failure_event"),
    ("SCTP_REMOTE_ERROR", "sctp_peer_error_event"),
    ("SCTP_SHUTDOWN_EVENT", "sctp_shutdown_event"),
    ("SCTP_PARTIAL_DELIVERY_EVENT", "sctp_partial_delivery_event"),
    ("SCTP_ADAPTATION_INDICATION", "sctp_adaptation_layer_event"),
    ("SCTP_AUTHENTICATION_EVENT", "sctp_authentication_event"),
    ("SCTP_SENDER_DRY_EVENT", "sctp_sender_dry_event"),
    ("SCTP_STREAM_RESET_EVENT", "sctp_stream_reset_event"),
    ("SCTP_ASSOC_RESET_EVENT", ""),
    ("SCTP_STREAM_CHANGE_EVENT", ""),
    ("SCTP_SEND_FAILED_EVENT", ""),
];

/// The kinds of which the core has the events.
pub(super) const KNOWN: &[Kind] = &[
    "SCTP_ASSOC_CHANGE",
    "SCTP_PEER_ADDR_CHANGE",
    "SCTP_SHUTDOWN_EVENT",
    "SCTP_PARTIAL_DELIVERY_EVENT",
    "SCTP_STREAM_RESET_EVENT",
    "SCTP_ASSOC_RESET_EVENT",
    "SCTP_STREAM_CHANGE_EVENT",
    "SCTP_SEND_FAILED_EVENT",
];

impl Notification {
    /// The notifications that `event` causes.
    pub(super) fn of(event: &Event, machine: &Machine, id: AssociationId, number: i64) -> Vec<Notification> {
        let association = Value::Number(number);
        let change = |state: &str, info: Vec<Value>| assoc_change(machine, id, number, state, info);
        let reset = |flag: &str, streams: &[StreamId]| {
            let list: Vec<Value> = streams.iter().map(|stream| Value::Number(stream.get().into())).collect();
            one(
                "SCTP_STREAM_RESET_EVENT",
                "strreset",
                12 + 2 * streams.len(),
                [
                    ("strreset_flags", Value::Name(flag.to_owned())),
                    ("strreset_assoc_id", association.clone()),
                    ("strreset_stream_list", Value::List(list)),
                ],
            )
        };
        match event {
            Event::Connected => vec![change("SCTP_COMM_UP", supported(machine, id))],
            Event::Restarted => vec![change("SCTP_RESTART", Vec::new())],
            Event::Closed(CloseReason::Graceful) => vec![change("SCTP_SHUTDOWN_COMP", Vec::new())],
            Event::Closed(CloseReason::NoAnswer { .. }) => vec![change("SCTP_CANT_STR_ASSOC", Vec::new())],
            Event::Closed(_) => vec![change("SCTP_COMM_LOST", Vec::new())],
            Event::PeerClosing => {
                vec![one("SCTP_SHUTDOWN_EVENT", "sse", 12, [("sse_assoc_id", association)])]
            }
            Event::OutgoingStreamsReset(streams) => vec![reset("SCTP_STREAM_RESET_OUTGOING", streams)],
            Event::IncomingStreamsReset(streams) => vec![reset("SCTP_STREAM_RESET_INCOMING", streams)],
            Event::StreamsAdded { outbound, inbound } => vec![one(
                "SCTP_STREAM_CHANGE_EVENT",
                "strchange",
                16,
                [
                    ("strchange_assoc_id", association),
                    ("strchange_instrms", Value::Number((*inbound).into())),
                    ("strchange_outstrms", Value::Number((*outbound).into())),
                ],
            )],
            Event::AssociationReset => vec![one(
                "SCTP_ASSOC_RESET_EVENT",
                "assocreset",
                20,
                [
                    ("assocreset_assoc_id", association),
                    ("assocreset_local_tsn", Value::Any),
                    ("assocreset_remote_tsn", Value::Any),
                ],
            )],
            Event::PartialDeliveryAborted { stream, .. } => {
                vec![one(
                    "SCTP_PARTIAL_DELIVERY_EVENT",
                    "pdapi",
                    24,
                    [
                        ("pdapi_indication", Value::Name("SCTP_PARTIAL_DELIVERY_ABORTED".to_owned())),
                        ("pdapi_stream", Value::Number(stream.get().into())),
                        ("pdapi_seq", Value::Any),
                        ("pdapi_assoc_id", association),
                    ],
                )]
            }
            Event::GivenUp { stream, ppid, bytes, was_sent } => {
                let sent = if *was_sent { "SCTP_DATA_SENT" } else { "SCTP_DATA_UNSENT" };
                let info = structure([
                    ("snd_sid", Value::Number(stream.get().into())),
                    ("snd_flags", Value::Any),
                    ("snd_ppid", Value::Number(ppid.get().into())),
                    ("snd_context", Value::Number(0)),
                    ("snd_assoc_id", association.clone()),
                ]);
                let bytes = usize::try_from(bytes.get()).unwrap_or(usize::MAX);
                vec![one(
                    "SCTP_SEND_FAILED_EVENT",
                    "ssfe",
                    32 + bytes,
                    [
                        ("ssfe_flags", Value::Name(sent.to_owned())),
                        ("ssfe_error", Value::Number(0)),
                        ("ssfe_info", info),
                        ("ssfe_assoc_id", association),
                        ("ssfe_data", Value::Any),
                    ],
                )]
            }
            Event::PathDown(path) | Event::PathUp(path) | Event::PathConfirmed(path) => {
                let state = match event {
                    Event::PathDown(_) => "SCTP_ADDR_UNREACHABLE",
                    Event::PathUp(_) => "SCTP_ADDR_AVAILABLE",
                    _ => "SCTP_ADDR_CONFIRMED",
                };
                let Some(known) = machine.association(id) else { return Vec::new() };
                let PathAddresses { remote, .. } = known.path_addresses(*path);
                vec![one(
                    "SCTP_PEER_ADDR_CHANGE",
                    "spc",
                    152,
                    [
                        ("spc_aaddr", socket_address(remote)),
                        ("spc_state", Value::Name(state.to_owned())),
                        ("spc_error", Value::Number(0)),
                        ("spc_assoc_id", association),
                    ],
                )]
            }
            _ => Vec::new(),
        }
    }
}

/// A notification with the three fields that each has (`prefix_type`, `prefix_flags`, `prefix_length`), and `fields`.
fn one<const N: usize>(
    kind: Kind,
    prefix: &str,
    length: usize,
    fields: [(&'static str, Value); N],
) -> Notification {
    let named = |name: &str| format!("{prefix}_{name}");
    let number = Value::Number(i64::try_from(length).unwrap_or(i64::MAX));
    let mut all = vec![(named("type"), Value::Name(kind.to_owned())), (named("length"), number)];
    if fields.iter().all(|(name, _)| *name != named("flags")) {
        all.push((named("flags"), Value::Number(0)));
    }
    all.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    Notification { kind, value: structure(all), length }
}

fn assoc_change(
    machine: &Machine,
    id: AssociationId,
    number: i64,
    state: &str,
    info: Vec<Value>,
) -> Notification {
    let (outbound, inbound) = machine.association(id).and_then(Association::streams).unwrap_or((0, 0));
    let is_known = machine.association(id).is_some_and(|known| known.streams().is_some());
    let streams = |count: u16| if is_known { Value::Number(count.into()) } else { Value::Any };
    one(
        "SCTP_ASSOC_CHANGE",
        "sac",
        20 + info.len(),
        [
            ("sac_state", Value::Name(state.to_owned())),
            ("sac_error", Value::Number(0)),
            ("sac_outbound_streams", streams(outbound)),
            ("sac_inbound_streams", streams(inbound)),
            ("sac_assoc_id", Value::Number(number)),
            ("sac_info", Value::List(info)),
        ],
    )
}

/// The extensions that both ends support.
fn supported(machine: &Machine, id: AssociationId) -> Vec<Value> {
    let Some(association) = machine.association(id) else { return Vec::new() };
    let mut names = Vec::new();
    if association.has_partial_reliability() {
        names.push("SCTP_ASSOC_SUPPORTS_PR");
    }
    names.push("SCTP_ASSOC_SUPPORTS_MULTIBUF");
    names.into_iter().map(|name| Value::Name(name.to_owned())).collect()
}
