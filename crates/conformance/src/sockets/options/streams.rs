//! Options that reset and add streams (RFC 6525 §6.3).

use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::wire::StreamId;

use super::super::arguments::{field, member};
use super::super::symbols::number;
use super::super::{CallFault, Reply, done};
use super::refused;
use crate::machine::Machine;
use crate::script::Value;

const INCOMING: i64 = 1;
const OUTGOING: i64 = 2;

/// Sets the option `name`; `None` if it is another one.
pub(super) fn set(
    machine: &mut Machine,
    id: Option<AssociationId>,
    name: &str,
    value: &Value,
) -> Result<Option<Reply>, CallFault> {
    if !matches!(name, "SCTP_RESET_STREAMS" | "SCTP_RESET_ASSOC" | "SCTP_ADD_STREAMS") {
        return Ok(None);
    }
    let Some(id) = id else { return refused("ENOENT") };
    let change = machine.change(id, |association, _| match name {
        "SCTP_RESET_STREAMS" => {
            let streams: Vec<StreamId> = match member(value, "srs_stream_list") {
                Some(Value::List(list)) => list
                    .iter()
                    .filter_map(number)
                    .filter_map(|n| u16::try_from(n).ok())
                    .map(StreamId::new)
                    .collect(),
                _ => Vec::new(),
            };
            let flags = field(value, "srs_flags").unwrap_or(0);
            let outgoing = if flags & OUTGOING != 0 { association.reset_streams(&streams) } else { Ok(()) };
            outgoing.and_then(|()| {
                if flags & INCOMING != 0 { association.request_incoming_reset(&streams) } else { Ok(()) }
            })
        }
        "SCTP_RESET_ASSOC" => association.reset_association(),
        _ => {
            let count =
                |name: &str| field(value, name).and_then(|count| u16::try_from(count).ok()).unwrap_or(0);
            association.add_streams(count("sas_outstrms"), count("sas_instrms"))
        }
    });
    match change {
        Some(Ok(())) => done(0).map(Some),
        Some(Err(_)) => refused("EINVAL"),
        None => refused("ENOENT"),
    }
}
