//! Packets of a script on the wire, byte by byte.

use super::*;
use crate::packet::testing::{PORTS, chunks, packet, tagged};

fn bytes(text: &str) -> Vec<u8> {
    encode(&packet(text), PORTS, &numbers()).expect(text)
}

/// An association: our tag 1 and TSN 1 of the script are 0x1000 and 0x2000; the peer's tag is 7.
fn numbers() -> Numbers {
    let mut numbers = Numbers::default();
    numbers.renew_ours((1, 0x1000), (1, 0x2000));
    numbers.add_peer_tag(7);
    numbers
}

fn tag_of(packet: &SctpPacket) -> u32 {
    let bytes = encode(packet, PORTS, &numbers()).expect("a packet that can be written");
    u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]])
}

#[test]
fn a_sack_acknowledges_our_live_tsns() {
    let sack = bytes("SACK[flgs=0, cum_tsn=2, a_rwnd=1500, gaps=[2:3], dups=[1]]");
    let content = [3, 0, 0, 24, 0, 0, 0x20, 1, 0, 0, 5, 0xdc, 0, 1, 0, 1, 0, 2, 0, 3, 0, 0, 0x20, 0];
    assert_eq!(sack[HEADER..], content);
    assert_eq!(sack[..4], [0x13, 0x89, 0x13, 0x8a]);
    assert_eq!(sack[4..8], [0, 0, 0x10, 0]);
}

#[test]
fn user_data_fill_the_length_that_the_script_names() {
    let data = bytes("DATA[flgs=BE, len=1017, tsn=5, sid=1, ssn=2, ppid=3]");
    assert_eq!(data.len(), HEADER + 1020);
    assert_eq!(data[HEADER..HEADER + 16], [0, 3, 3, 0xf9, 0, 0, 0, 5, 0, 1, 0, 2, 0, 0, 0, 3]);
    assert!(data[HEADER + 16..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_length_that_lies_is_written() {
    let chunk = bytes("CHUNK[type=0xcf, flgs=0, len=7, val=[0x01]]");
    assert_eq!(chunk[HEADER..], [0xcf, 0, 0, 7, 1, 0, 0, 0]);
    let short = bytes("DATA[flgs=BE, len=8, tsn=5, sid=1, ssn=2, ppid=3]");
    assert_eq!(short[HEADER..HEADER + 4], [0, 3, 0, 8]);
    assert_eq!(short.len(), HEADER + 16);
}

#[test]
fn parameters_are_padded_between_and_not_counted_after_the_last() {
    let abort = bytes(r#"ABORT[flgs=0, USER_INITIATED_ABORT[info="a"], PROTOCOL_VIOLATION[info="b"]]"#);
    assert_eq!(abort[HEADER..], [6, 0, 0, 17, 0, 12, 0, 5, b'a', 0, 0, 0, 0, 13, 0, 5, b'b', 0, 0, 0]);
}

#[test]
fn verification_tags_are_those_that_packetdrill_writes() {
    assert_eq!(tag_of(&packet("INIT[flgs=0, tag=9, a_rwnd=1500, os=1, is=1, tsn=1]")), 0);
    assert_eq!(tag_of(&packet("CHUNK[type=1, flgs=0, len=22, val=[]]")), 0);
    assert_eq!(tag_of(&packet("[0x01, 0x00, 0x00, 0x14]")), 0);
    assert_eq!(tag_of(&packet("[0x0a, 0x00, 0x00, 0x04]")), 0x1000);
    assert_eq!(tag_of(&packet("CHUNK[type=INIT, flgs=0, len=8, val=[]]")), 0x1000);
    assert_eq!(tag_of(&packet("COOKIE_ACK[flgs=0]")), 0x1000);
    assert_eq!(tag_of(&packet("ABORT[flgs=T]")), 7);
    assert_eq!(tag_of(&tagged("sctp(tag=2)", "ABORT[flgs=0]")), 0x1001);
    assert_eq!(tag_of(&tagged("sctp(tag=2)", "ABORT[flgs=T]")), 2);
    assert_eq!(tag_of(&tagged("sctp(tag=0)", "ABORT[flgs=0]")), 0);
}

#[test]
fn an_echo_returns_the_cookie_and_the_information_of_ours() {
    let mut numbers = numbers();
    numbers.cookie = Some(vec![1, 2, 3]);
    numbers.heartbeat = Some(vec![4, 5]);
    let echo = encode(&packet("COOKIE_ECHO[flgs=0, len=..., val=...]"), PORTS, &numbers).expect("writable");
    assert_eq!(echo[HEADER..], [10, 0, 0, 7, 1, 2, 3, 0]);
    let text = "HEARTBEAT_ACK[flgs=0, HEARTBEAT_INFORMATION[len=..., val=...]]";
    let echo = encode(&packet(text), PORTS, &numbers).expect("writable");
    assert_eq!(echo[HEADER..], [5, 0, 0, 10, 0, 1, 0, 6, 4, 5, 0, 0]);
    let text = "HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=6, val=...]]";
    let own = encode(&packet(text), PORTS, &numbers).expect("writable");
    assert_eq!(own[HEADER..], [4, 0, 0, 10, 0, 1, 0, 6, FILLER, FILLER, 0, 0]);
}

#[test]
fn checksums_are_right_unless_the_script_says_otherwise() {
    let mut packet = packet("COOKIE_ACK[flgs=0]");
    let mut checksum = |checksum| {
        packet.checksum = checksum;
        let mut bytes = encode(&packet, PORTS, &numbers()).expect("writable");
        let found = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
        bytes[8..12].fill(0);
        (found, crc32_iscsi(&bytes))
    };
    let [(right, crc), (bad, _), (zero, _)] =
        [Checksum::Right, Checksum::Bad, Checksum::Zero].map(&mut checksum);
    assert_eq!(right, crc);
    assert_ne!(bad, crc);
    assert_eq!(zero, 0);
}

#[test]
fn errors_name_the_field() {
    let error = |text: &str| encode(&packet(text), PORTS, &numbers()).expect_err(text).to_string();
    assert_eq!(error("DADA[flgs=0]"), "`DADA` is not a known chunk");
    assert_eq!(error("DATA[flgs=0, mid=1]"), "`DATA` has no field `mid` with the value `1`");
    assert_eq!(error("DATA[flgs=X]"), "`DATA` has no field `flgs` with the value `X`");
    assert_eq!(error("DATA[sid=65536]"), "`DATA` has no field `sid` with the value `65536`");
    assert_eq!(
        error("COOKIE_ACK[flgs=0, ECN_CAPABLE[]]"),
        "`COOKIE_ACK` has no field `` with the value `ECN_CAPABLE[]`"
    );
}

#[test]
fn a_chunk_in_an_error_keeps_the_numbers_of_its_sender() {
    let text = "ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=FORWARD_TSN[cum_tsn=1, ids=[]]]]";
    assert_eq!(bytes(text)[HEADER + 12..], [0, 0, 0x20, 0], "we sent the FORWARD TSN");
    assert_eq!(chunks(text).len(), 1);
}
