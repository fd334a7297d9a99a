//! The forms of the error causes (RFC 9260 §3.3.10, RFC 4895 §4.2).

use super::{Family, Form, Numbering, Tail, counted, form, plain};

/// The causes, the generic one first.
pub(super) const FORMS: &[Form] = &[
    form("CAUSE", 0, &[], Tail::Bytes("info")),
    form("INVALID_STREAM_IDENTIFIER", 1, &[plain("sid", 2), plain("", 2)], Tail::Nothing),
    form("MISSING_MANDATORY_PARAMETER", 2, &[], Tail::Counted("types")),
    form("STALE_COOKIE_ERROR", 3, &[plain("staleness", 4)], Tail::Nothing),
    form("OUT_OF_RESOURCE", 4, &[], Tail::Nothing),
    form("UNRESOLVABLE_ADDRESS", 5, &[], Tail::OneNode("param", Family::Parameter)),
    form("UNRECOGNIZED_CHUNK_TYPE", 6, &[], Tail::OneNode("chk", Family::Chunk)),
    form("INVALID_MANDATORY_PARAMETER", 7, &[], Tail::Nothing),
    form("UNRECOGNIZED_PARAMETERS", 8, &[], Tail::NodeList("params", Family::Parameter)),
    form("NO_USER_DATA", 9, &[counted("tsn", Numbering::ReceiverTsn)], Tail::Nothing),
    form("COOKIE_RECEIVED_WHILE_SHUTDOWN", 10, &[], Tail::Nothing),
    form("RESTART_WITH_NEW_ADDRESSES", 11, &[], Tail::NodeList("params", Family::Parameter)),
    form("USER_INITIATED_ABORT", 12, &[], Tail::Text("info")),
    form("PROTOCOL_VIOLATION", 13, &[], Tail::Text("info")),
    form("UNSUPPORTED_HMAC", 0x0105, &[plain("hmac_id", 2)], Tail::Nothing),
];
