//! Packets of the machine as nodes: every form, and hostile bytes.

use super::*;
use crate::packet::form::Family;
use crate::packet::testing::{chunks as nodes, live, sent};

/// Chunks with every form, as they are printed.
const EVERY_FORM: &[&str] = &[
    "DATA[flgs=BE, len=1016, tsn=1, sid=2, ssn=3, ppid=4]",
    "I_DATA[flgs=B, len=21, tsn=1, sid=2, mid=3, ppid=4]",
    "I_DATA[flgs=E, len=20, tsn=1, sid=2, mid=3, fsn=4]",
    "INIT[flgs=0, tag=1, a_rwnd=1500, os=2, is=3, tsn=4]",
    "INIT[flgs=0, tag=1, a_rwnd=1500, os=2, is=3, tsn=4, IPV4_ADDRESS[addr=\"1.2.3.4\"], \
     SUPPORTED_ADDRESS_TYPES[types=[5]], ECN_CAPABLE[], FORWARD_TSN_SUPPORTED[], COOKIE_PRESERVATIVE[incr=5], \
     SUPPORTED_EXTENSIONS[types=[16, 192, 130]], HOSTNAME_ADDRESS[addr=\"a.b\"], PAD[len=6, val=[0, 1]], \
     ADAPTATION_INDICATION[adaptation_code_point=3], ZERO_CHECKSUM_ACCEPTABLE[edmid=1], RANDOM[len=5, val=[9]], \
     CHUNK_LIST[types=[193, 128]], HMAC_ALGO[ids=[3, 1]]]",
    "INIT_ACK[flgs=0, tag=1, a_rwnd=1500, os=2, is=3, tsn=4, STATE_COOKIE[len=7, val=[1, 2, 3]], \
     UNRECOGNIZED_PARAMETER[params=[PARAMETER[type=33023, len=5, val=[7]]]]]",
    "SACK[flgs=0, cum_tsn=1, a_rwnd=2, gaps=[2:3, 5:5], dups=[1, 1]]",
    "NR_SACK[flgs=0, cum_tsn=1, a_rwnd=2, gaps=[2:3], nr_gaps=[5:5, 7:7], dups=[1]]",
    "HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=6, val=[1, 2]]]",
    "HEARTBEAT_ACK[flgs=0, HEARTBEAT_INFORMATION[len=6, val=[1, 2]]]",
    "ABORT[flgs=T]",
    "ABORT[flgs=0, USER_INITIATED_ABORT[info=\"bye\"], PROTOCOL_VIOLATION[info=\"\"], NO_USER_DATA[tsn=1]]",
    "ERROR[flgs=0, INVALID_STREAM_IDENTIFIER[sid=5], MISSING_MANDATORY_PARAMETER[types=[7, 8]], \
     STALE_COOKIE_ERROR[staleness=6], OUT_OF_RESOURCE[], INVALID_MANDATORY_PARAMETER[], \
     COOKIE_RECEIVED_WHILE_SHUTDOWN[], UNSUPPORTED_HMAC[hmac_id=4], CAUSE[code=255, len=5, info=[1]]]",
    "ERROR[flgs=0, UNRESOLVABLE_ADDRESS[param=HOSTNAME_ADDRESS[addr=\"a\"]], \
     UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=207, flgs=0, len=7, val=[1, 2, 3]]], \
     UNRECOGNIZED_PARAMETERS[params=[PARAMETER[type=1000, len=4, val=[]], ECN_CAPABLE[]]], \
     RESTART_WITH_NEW_ADDRESSES[params=[IPV6_ADDRESS[addr=\"fe80::1\"]]]]",
    "SHUTDOWN[flgs=0, cum_tsn=5]; SHUTDOWN_ACK[flgs=0]; SHUTDOWN_COMPLETE[flgs=T]; COOKIE_ACK[flgs=0]",
    "COOKIE_ECHO[flgs=0, len=6, val=[1, 2]]; ECNE[flgs=0, tsn=1]; CWR[flgs=0, tsn=2]; PAD[flgs=0, len=5, val=[0]]",
    "RECONFIG[flgs=0, OUTGOING_SSN_RESET[req_sn=1, resp_sn=2, last_tsn=3, sids=[0, 1]], \
     INCOMING_SSN_RESET[req_sn=1, sids=[]], SSN_TSN_RESET[req_sn=1]]",
    "RECONFIG[flgs=0, RECONFIG_RESPONSE[resp_sn=1, result=2], \
     RECONFIG_RESPONSE[resp_sn=1, result=2, sender_next_tsn=3, receiver_next_tsn=4], \
     ADD_OUTGOING_STREAMS[req_sn=1, number_of_new_streams=2], ADD_INCOMING_STREAMS[req_sn=1, number_of_new_streams=2]]",
    "FORWARD_TSN[flgs=0, cum_tsn=1, ids=[{1, 0}, {2, 3}]]; I_FORWARD_TSN[flgs=0, cum_tsn=1, ids=[{1, 0, 70000}]]",
    "AUTH[flgs=0, key_id=1, hmac_id=3, len=10, val=[1, 2]]",
    "ASCONF[flgs=0, serial=1, IPV4_ADDRESS[addr=\"1.2.3.4\"], ADD_IP[correlation=1, IPV4_ADDRESS[addr=\"2.2.2.2\"]], \
     DELETE_IP[correlation=2, IPV4_ADDRESS[addr=\"3.2.2.2\"]], SET_PRIMARY[correlation=3, IPV4_ADDRESS[addr=\"4.2.2.2\"]]]",
    "ASCONF_ACK[flgs=0, serial=1, SUCCESS_INDICATION[correlation=1], \
     ERROR_CAUSE_INDICATION[correlation=2, OUT_OF_RESOURCE[]]]",
];

fn printed(nodes: &[Node]) -> String {
    nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The items of each node by name: the order of `len` is that of packetdrill for few nodes only.
fn sorted(nodes: &[Node]) -> Vec<Node> {
    let mut nodes = nodes.to_vec();
    for node in &mut nodes {
        node.items.sort_by(|one, other| one.name.cmp(&other.name));
    }
    nodes
}

#[test]
fn every_form_survives_a_round_trip() {
    for text in EVERY_FORM {
        let found = live(text).chunks;
        assert_eq!(printed(&sorted(&found)), printed(&sorted(&nodes(text))), "{text}");
    }
}

#[test]
fn every_form_is_in_the_round_trips() {
    for family in [Family::Chunk, Family::Parameter, Family::Cause] {
        let without = ["RECONFIG_REQUEST_GENERIC"];
        for form in family.forms().iter().filter(|form| !without.contains(&form.name)) {
            assert!(EVERY_FORM.iter().any(|text| text.contains(&format!("{}[", form.name))), "{}", form.name);
        }
    }
}

#[test]
fn our_numbers_are_those_of_the_script() {
    let mut numbers = Numbers::default();
    numbers.renew_ours((1, 1000), (1, 2000));
    let data = decode(&sent(7, "DATA[flgs=BE, len=17, tsn=2001, sid=0, ssn=0, ppid=0]"), &numbers);
    assert_eq!(data.chunks[0].field("tsn"), Some(&Value::Number(2)));
    let init_ack =
        decode(&sent(7, "INIT_ACK[flgs=0, tag=1000, a_rwnd=1500, os=1, is=1, tsn=2000]"), &numbers);
    assert_eq!(printed(&init_ack.chunks), "INIT_ACK[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1]");
    assert_eq!(decode(&sent(1002, "ABORT[flgs=T]"), &numbers).tag, 3);
    assert_eq!(decode(&sent(1002, "ABORT[flgs=0]"), &numbers).tag, 1002);
}

#[test]
fn malformed_chunks_have_the_generic_form() {
    let chunk = |bytes: &[u8]| printed(&chunks(bytes, &Numbers::default()));
    assert_eq!(chunk(&[3, 0, 0, 4]), "CHUNK[type=3, flgs=0, len=4, val=[]]");
    assert_eq!(chunk(&[0, 0, 0, 40, 1]), "CHUNK[type=0, flgs=0, len=40, val=[1]]");
    assert_eq!(chunk(&[11, 0, 0, 4, 9]), "COOKIE_ACK[flgs=0]; CHUNK[type=9, flgs=0, len=0, val=[]]");
    assert_eq!(chunk(&[11, 0, 0, 3]), "CHUNK[type=11, flgs=0, len=3, val=[]]");
    assert_eq!(chunk(&[9, 0, 0, 8, 0, 1, 0, 99]), "CHUNK[type=9, flgs=0, len=8, val=[0, 1, 0, 99]]");
}

#[test]
fn long_values_are_printed_as_dots() {
    let text = "COOKIE_ECHO[flgs=0, len=104, val=...]";
    assert_eq!(live(text).to_string(), format!("sctp(tag=0): {text}"));
}

#[test]
fn nodes_inside_nodes_without_end_are_not_followed() {
    let mut bytes = Vec::new();
    for length in (1..16_000_u16).rev() {
        bytes.extend([0, 8]);
        bytes.extend((4 * length).to_be_bytes());
    }
    let mut chunk = vec![5, 0];
    chunk.extend((bytes.len() as u16 + 4).to_be_bytes());
    chunk.extend(bytes);
    let found = chunks(&chunk, &Numbers::default());
    assert_eq!(found.len(), 1);
    assert_eq!(printed(&found).matches("params").count(), DEPTH - 1);
}

#[test]
fn hostile_bytes_are_read_without_panic_and_without_loss() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for text in EVERY_FORM {
        let whole = sent(1, text);
        for length in 0..whole.len().min(200) {
            decode(&whole[..length], &Numbers::default());
        }
        for _ in 0..300 {
            let mut mutated = whole.clone();
            for _ in 0..=random(4) {
                let at = random(mutated.len().min(200));
                mutated[at] = random(256) as u8;
            }
            let found = decode(&mutated, &Numbers::default());
            assert!(!found.chunks.is_empty());
            assert!(!found.to_string().is_empty());
        }
    }
}
