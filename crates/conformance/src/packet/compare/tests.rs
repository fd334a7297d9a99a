//! Each rule by which a packet matches its template.

use super::*;
use crate::packet::testing::{compared, packet, sent, tagged};
use crate::packet::{Numbers, decode};

const DATA: &str = "DATA[flgs=BE, len=1016, tsn=1, sid=2, ssn=3, ppid=4]";
const INIT: &str = "INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1, ECN_CAPABLE[], \
                    SUPPORTED_EXTENSIONS[types=[192, 130]], FORWARD_TSN_SUPPORTED[]]";

#[test]
fn the_same_packet_has_no_differences() {
    assert_eq!(compared(DATA, DATA), Vec::<String>::new());
    assert_eq!(compared(INIT, INIT), Vec::<String>::new());
}

#[test]
fn a_field_that_differs_is_named() {
    let expected = "DATA[flgs=BE, len=1016, tsn=2, sid=2, ssn=3, ppid=4]";
    assert_eq!(compared(expected, DATA), ["DATA.tsn: expected 2, got 1"]);
    let expected = "DATA[flgs=E, len=1015, tsn=1]";
    assert_eq!(
        compared(expected, DATA),
        ["DATA.flgs: expected E, got BE", "DATA.len: expected 1015, got 1016"]
    );
}

#[test]
fn dots_match_any_value() {
    let expected = "DATA[flgs=..., len=..., tsn=..., sid=..., ssn=..., ppid=...]";
    assert!(compared(expected, DATA).is_empty());
    let sack = "SACK[flgs=0, cum_tsn=1, a_rwnd=2, gaps=[2:3], dups=[1]]";
    assert!(compared("SACK[flgs=0, cum_tsn=1, a_rwnd=2, gaps=..., dups=[...]]", sack).is_empty());
    assert_eq!(compared("SACK[gaps=[], dups=[1]]", sack), ["SACK.gaps: expected [], got [2:3]"]);
}

#[test]
fn fields_that_the_script_does_not_name_do_not_count() {
    assert!(compared("DATA[tsn=1]", DATA).is_empty());
}

#[test]
fn flags_are_the_same_as_letters_and_as_numbers() {
    assert!(compared("DATA[flgs=0x03]", DATA).is_empty());
    assert!(compared("DATA[flgs=EB]", DATA).is_empty());
}

#[test]
fn parameters_of_an_init_and_types_have_no_order() {
    let expected = "INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1, FORWARD_TSN_SUPPORTED[], ECN_CAPABLE[], \
                    SUPPORTED_EXTENSIONS[types=[RECONFIG, FORWARD_TSN]]]";
    assert!(compared(expected, INIT).is_empty());
}

#[test]
fn bare_dots_match_the_rest() {
    assert!(compared("INIT[flgs=0, tag=1, ECN_CAPABLE[], ...]", INIT).is_empty());
    let found = compared("INIT[flgs=0, tag=1, ECN_CAPABLE[], SUPPORTED_EXTENSIONS[types=...]]", INIT);
    assert_eq!(found, ["INIT.FORWARD_TSN_SUPPORTED: expected nothing, got FORWARD_TSN_SUPPORTED[]"]);
    let found = compared("INIT[flgs=0, COOKIE_PRESERVATIVE[incr=1], ...]", INIT);
    assert_eq!(found, ["INIT.COOKIE_PRESERVATIVE: expected COOKIE_PRESERVATIVE[incr=1], got nothing"]);
}

#[test]
fn causes_have_an_order() {
    let got = "ERROR[flgs=0, STALE_COOKIE_ERROR[staleness=6], OUT_OF_RESOURCE[]]";
    assert!(compared(got, got).is_empty());
    assert_eq!(compared("ERROR[flgs=0, OUT_OF_RESOURCE[], STALE_COOKIE_ERROR[staleness=6]]", got).len(), 2);
    assert_eq!(compared("ERROR[flgs=0, STALE_COOKIE_ERROR[staleness=6]]", got).len(), 1);
}

#[test]
fn missing_and_surplus_chunks_are_differences() {
    assert_eq!(compared("COOKIE_ACK[flgs=0]", "COOKIE_ACK[flgs=0]; ECNE[flgs=0, tsn=1]").len(), 1);
    let found = compared("COOKIE_ACK[flgs=0]; ECNE[flgs=0, tsn=1]", "COOKIE_ACK[flgs=0]");
    assert_eq!(found, ["ECNE: expected ECNE[flgs=0, tsn=1], got nothing"]);
}

#[test]
fn a_node_that_has_a_name_can_be_written_by_its_type() {
    let got = "ERROR[flgs=0, INVALID_STREAM_IDENTIFIER[sid=2]]";
    assert!(
        compared("ERROR[flgs=0, CAUSE[code=0x0001, len=8, info=[0x00, 0x02, 0x00, 0x00]]]", got).is_empty()
    );
    assert!(
        !compared("ERROR[flgs=0, CAUSE[code=0x0001, len=8, info=[0x00, 0x03, 0x00, 0x00]]]", got).is_empty()
    );
    let got = "ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=I_FORWARD_TSN[cum_tsn=1, ids=[]]]]";
    let expected = "ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=0xC2, flgs=0, len=8, val=...]]]";
    assert!(compared(expected, got).is_empty());
    assert!(
        compared("ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=0xC2, flgs=0, len=9, val=...]]]", got)
            .len()
            == 1
    );
}

#[test]
fn parameters_that_are_returned_are_compared() {
    let got = "ERROR[flgs=0, UNRECOGNIZED_PARAMETERS[params=[PARAMETER[type=1000, len=5, val=[7]]]]]";
    assert!(
        compared(
            "ERROR[flgs=0, UNRECOGNIZED_PARAMETERS[params=[PARAMETER[type=1000, len=5, val=...]]]]",
            got
        )
        .is_empty()
    );
    assert!(compared("ERROR[flgs=0, UNRECOGNIZED_PARAMETERS[params=...]]", got).is_empty());
    assert_eq!(compared("ERROR[flgs=0, UNRECOGNIZED_PARAMETERS[params=[]]]", got).len(), 1);
}

/// The differences of the tag when the machine sends `text` with `tag`.
fn tag_differences(expected: &SctpPacket, tag: u32, text: &str) -> usize {
    let mut numbers = Numbers::default();
    numbers.renew_ours((1, 1000), (1, 2000));
    numbers.add_peer_tag(7);
    differences(expected, &decode(&sent(tag, text), &numbers), &numbers).len()
}

#[test]
fn a_packet_has_the_tag_of_the_peer() {
    let text = "COOKIE_ACK[flgs=0]";
    assert_eq!(tag_differences(&packet(text), 7, text), 0);
    assert_eq!(tag_differences(&packet(text), 8, text), 1);
    assert_eq!(tag_differences(&tagged("sctp(tag=8)", text), 8, text), 0);
    assert_eq!(tag_differences(&tagged("sctp(tag=8)", text), 7, text), 1);
}

#[test]
fn an_init_has_the_tag_zero_and_a_reflected_tag_is_ours() {
    let init = "INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1]";
    assert_eq!(tag_differences(&packet("INIT[flgs=0]"), 0, init), 0);
    assert_eq!(tag_differences(&packet("INIT[flgs=0]"), 7, init), 1);
    let abort = "ABORT[flgs=T]";
    assert_eq!(tag_differences(&packet(abort), 99, abort), 0);
    assert_eq!(tag_differences(&tagged("sctp(tag=3)", abort), 1002, abort), 0);
    assert_eq!(tag_differences(&tagged("sctp(tag=3)", abort), 1003, abort), 1);
}

#[test]
fn a_wrong_checksum_is_a_difference() {
    let numbers = Numbers::default();
    let mut bytes = sent(0, "COOKIE_ACK[flgs=0]");
    bytes[8] ^= 1;
    let expected = packet("COOKIE_ACK[flgs=0]");
    assert_eq!(differences(&expected, &decode(&bytes, &numbers), &numbers).len(), 1);
    bytes[8..12].fill(0);
    assert_eq!(differences(&expected, &decode(&bytes, &numbers), &numbers).len(), 1);
    let zero = SctpPacket { checksum: Checksum::Zero, ..expected };
    assert_eq!(differences(&zero, &decode(&bytes, &numbers), &numbers).len(), 0);
}
