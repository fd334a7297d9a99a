//! The forms of the parameters (RFC 9260 §3.3, RFC 3758, RFC 4820, RFC 4895, RFC 5061, RFC 6525, RFC 9653).

use super::{Family, Field, Form, Numbering, Tail, counted, form, plain};

const REQ_SN: Field = counted("req_sn", Numbering::SenderTsn);
const CORRELATION: Field = plain("correlation", 4);
const STREAMS: &[Field] = &[REQ_SN, plain("number_of_new_streams", 2), plain("", 2)];

/// The parameters, the generic one first.
pub(super) const FORMS: &[Form] = &[
    form("PARAMETER", 0, &[], Tail::Bytes("val")),
    form("HEARTBEAT_INFORMATION", 1, &[], Tail::Bytes("val")),
    form("IPV4_ADDRESS", 5, &[], Tail::Ipv4("addr")),
    form("IPV6_ADDRESS", 6, &[], Tail::Ipv6("addr")),
    form("STATE_COOKIE", 7, &[], Tail::Bytes("val")),
    form("UNRECOGNIZED_PARAMETER", 8, &[], Tail::NodeList("params", Family::Parameter)),
    form("COOKIE_PRESERVATIVE", 9, &[plain("incr", 4)], Tail::Nothing),
    form("HOSTNAME_ADDRESS", 11, &[], Tail::Text("addr")),
    form("SUPPORTED_ADDRESS_TYPES", 12, &[], Tail::Numbers("types", 2)),
    form(
        "OUTGOING_SSN_RESET",
        13,
        &[REQ_SN, counted("resp_sn", Numbering::ReceiverTsn), counted("last_tsn", Numbering::SenderTsn)],
        Tail::Numbers("sids", 2),
    ),
    form("INCOMING_SSN_RESET", 14, &[REQ_SN], Tail::Numbers("sids", 2)),
    form("SSN_TSN_RESET", 15, &[REQ_SN], Tail::Nothing),
    form(
        "RECONFIG_RESPONSE",
        16,
        &[counted("resp_sn", Numbering::ReceiverTsn), plain("result", 4)],
        Tail::Optional(&[
            counted("sender_next_tsn", Numbering::SenderTsn),
            counted("receiver_next_tsn", Numbering::ReceiverTsn),
        ]),
    ),
    form("ADD_OUTGOING_STREAMS", 17, STREAMS, Tail::Nothing),
    form("ADD_INCOMING_STREAMS", 18, STREAMS, Tail::Nothing),
    form("ECN_CAPABLE", 0x8000, &[], Tail::Nothing),
    form("ZERO_CHECKSUM_ACCEPTABLE", 0x8001, &[plain("edmid", 4)], Tail::Nothing),
    form("RANDOM", 0x8002, &[], Tail::Bytes("val")),
    form("CHUNK_LIST", 0x8003, &[], Tail::Numbers("types", 1)),
    form("HMAC_ALGO", 0x8004, &[], Tail::Numbers("ids", 2)),
    form("PAD", 0x8005, &[], Tail::Bytes("val")),
    form("SUPPORTED_EXTENSIONS", 0x8008, &[], Tail::Numbers("types", 1)),
    form("FORWARD_TSN_SUPPORTED", 0xc000, &[], Tail::Nothing),
    form("ADD_IP", 0xc001, &[CORRELATION], Tail::Nodes(Family::Parameter)),
    form("DELETE_IP", 0xc002, &[CORRELATION], Tail::Nodes(Family::Parameter)),
    form("ERROR_CAUSE_INDICATION", 0xc003, &[CORRELATION], Tail::Nodes(Family::Cause)),
    form("SET_PRIMARY", 0xc004, &[CORRELATION], Tail::Nodes(Family::Parameter)),
    form("SUCCESS_INDICATION", 0xc005, &[CORRELATION], Tail::Nothing),
    form("ADAPTATION_INDICATION", 0xc006, &[plain("adaptation_code_point", 4)], Tail::Nothing),
    // A type of its own for a request with any type: a script names the type as a field.
    form("RECONFIG_REQUEST_GENERIC", 0xffff, &[REQ_SN], Tail::Bytes("val")),
];
