//! The forms of the chunks (RFC 9260 §3.3, RFC 3758, RFC 4820, RFC 4895, RFC 5061, RFC 6525, RFC 8260 and the drafts of
//! NR-SACK and ECN).

use super::{Family, Field, Form, Numbering, Tail, counted, form, plain};

const DATA_LETTERS: &[(char, u8)] = &[('I', 8), ('U', 4), ('B', 2), ('E', 1)];
const T_LETTER: &[(char, u8)] = &[('T', 1)];
const TSN: Field = counted("tsn", Numbering::SenderTsn);
const PEERS_TSN: Field = counted("tsn", Numbering::ReceiverTsn);
const CUM_TSN: Field = counted("cum_tsn", Numbering::ReceiverTsn);
const NEW_CUM_TSN: Field = counted("cum_tsn", Numbering::SenderTsn);
const INIT: &[Field] =
    &[counted("tag", Numbering::SenderTag), plain("a_rwnd", 4), plain("os", 2), plain("is", 2), TSN];

/// A form with the letters `letters` for flags.
const fn lettered(
    name: &'static str,
    kind: u16,
    letters: &'static [(char, u8)],
    fields: &'static [Field],
    tail: Tail,
) -> Form {
    Form { name, kind, letters, fields, tail }
}

/// The chunks, the generic one first.
pub(super) const FORMS: &[Form] = &[
    form("CHUNK", 0, &[], Tail::Bytes("val")),
    lettered(
        "DATA",
        0,
        DATA_LETTERS,
        &[TSN, plain("sid", 2), plain("ssn", 2), plain("ppid", 4)],
        Tail::UserData,
    ),
    form("INIT", 1, INIT, Tail::Nodes(Family::Parameter)),
    form("INIT_ACK", 2, INIT, Tail::Nodes(Family::Parameter)),
    form("SACK", 3, &[CUM_TSN, plain("a_rwnd", 4)], Tail::Gaps),
    form("HEARTBEAT", 4, &[], Tail::Nodes(Family::Parameter)),
    form("HEARTBEAT_ACK", 5, &[], Tail::Nodes(Family::Parameter)),
    lettered("ABORT", 6, T_LETTER, &[], Tail::Nodes(Family::Cause)),
    form("SHUTDOWN", 7, &[CUM_TSN], Tail::Nothing),
    form("SHUTDOWN_ACK", 8, &[], Tail::Nothing),
    form("ERROR", 9, &[], Tail::Nodes(Family::Cause)),
    form("COOKIE_ECHO", 10, &[], Tail::Bytes("val")),
    form("COOKIE_ACK", 11, &[], Tail::Nothing),
    // The number of marked packets since the last CWR is in newer ECNEs (draft-stewart-tsvwg-sctpecn).
    form("ECNE", 12, &[PEERS_TSN], Tail::Optional(&[plain("marks", 4)])),
    form("CWR", 13, &[TSN], Tail::Nothing),
    lettered("SHUTDOWN_COMPLETE", 14, T_LETTER, &[], Tail::Nothing),
    form("AUTH", 15, &[plain("key_id", 2), plain("hmac_id", 2)], Tail::Bytes("val")),
    form("NR_SACK", 16, &[CUM_TSN, plain("a_rwnd", 4)], Tail::NrGaps),
    lettered(
        "I_DATA",
        0x40,
        DATA_LETTERS,
        &[TSN, plain("sid", 2), plain("", 2), plain("mid", 4)],
        Tail::PpidOrFsn,
    ),
    form("ASCONF_ACK", 0x80, &[counted("serial", Numbering::ReceiverTsn)], Tail::Nodes(Family::Parameter)),
    form("RECONFIG", 0x82, &[], Tail::Nodes(Family::Parameter)),
    form("PAD", 0x84, &[], Tail::Bytes("val")),
    form("FORWARD_TSN", 0xc0, &[NEW_CUM_TSN], Tail::StreamIds(&[2, 2])),
    form("ASCONF", 0xc1, &[counted("serial", Numbering::SenderTsn)], Tail::Nodes(Family::Parameter)),
    form("I_FORWARD_TSN", 0xc2, &[NEW_CUM_TSN], Tail::StreamIds(&[2, 2, 4])),
];
