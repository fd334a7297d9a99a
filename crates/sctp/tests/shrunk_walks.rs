//! Random walks that once failed, shrunk to what it took. Each is kept as a test.

use std::borrow::Cow;

use crate::pair::{End, Variant};
use crate::walk::{MarkSetting, Operation, Setting, plan, walk};

use anabranch_sctp::config::{BufferSplit, Coupling, StreamScheduler};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

const SETTING: Setting = Setting {
    seed: 1,
    pipes: 1,
    delays_ms: Vec::new(),
    profile: "rfc9260",
    scheduler: Cow::Borrowed("fill"),
    retransmission: Cow::Borrowed(""),
    cmt: CmtRules::NONE,
    variant: Variant::STANDARD,
    ack_timing: Cow::Borrowed(""),
    buffer_split: BufferSplit::None,
    window_management: Cow::Borrowed("none"),
    window_limits: Vec::new(),
    receive_buffer: 65_536,
    second_level: None,
    has_new_gaps: false,
    send_buffer: 20_000,
    mtu: 1500,
    potentially_failed: 0,
    quick: false,
    marks: MarkSetting::NONE,
    congestion: "reno",
    coupled: Coupling::Off,
    partial: false,
    interleaving: false,
    streams: StreamScheduler::FirstCome,
    firm: false,
    readable: false,
    in_parts: false,
    reconfigures: false,
};

/// The paths were with the session that waited for the COOKIE-ACK, and "the next path" was looked for
/// elsewhere: a division by the number of no paths.
#[test]
fn a_cookie_echo_that_is_lost_goes_again() {
    let fortune = Operation::Fortune { loss: 200, duplication: 0, corruption: 0, jitter_ms: 0 };
    for seed in 0..50 {
        let setting = Setting { seed, pipes: 2, delays_ms: vec![80, 5], ..SETTING };
        walk(&setting, &[fortune, Operation::Run { milliseconds: 30_000 }]).expect("it ends as it should");
    }
}

/// INIT and COOKIE-ECHO took different paths, and the acceptor paired the peer's addresses across links.
#[test]
fn an_init_and_its_cookie_on_different_paths_open_no_path_across_links() {
    for seed in 0..50 {
        let setting = Setting { seed, pipes: 3, delays_ms: vec![5, 200, 20], mtu: 9000, ..SETTING };
        let operations = [
            Operation::Cut(0),
            Operation::Fortune { loss: 10, duplication: 0, corruption: 50, jitter_ms: 0 },
            Operation::Run { milliseconds: 2_500 },
            Operation::Cut(1),
            Operation::Run { milliseconds: 12_000 },
        ];
        walk(&setting, &operations).expect("it ends as it should");
    }
}

/// SACKs overtook one another, so that a chunk seemed to be taken back; it timed out and went again on another path,
/// where that was lost too. No list of that path's chunks had it: its timer found no data, and did not run
/// again.
#[test]
fn a_chunk_that_was_taken_back_and_sent_again_is_found_by_the_timer_of_its_path() {
    let send = |end, stream, unordered, length| Operation::Send { end, stream, unordered, length };
    let setting = Setting {
        seed: 28_176,
        pipes: 2,
        delays_ms: vec![80, 20],
        profile: "rfc4960",
        buffer_split: BufferSplit::Receiver,
        receive_buffer: 6000,
        send_buffer: 2000,
        mtu: 1280,
        ..SETTING
    };
    let operations = [
        Operation::Run { milliseconds: 1000 },
        send(End::Z, 15, false, 3),
        Operation::Cut(1),
        send(End::Z, 15, true, 100),
        send(End::A, 0, false, 1),
        send(End::A, 2, false, 1452),
        send(End::A, 0, false, 3),
        send(End::Z, 15, false, 1000),
        Operation::Fortune { loss: 10, duplication: 0, corruption: 0, jitter_ms: 5 },
        Operation::Run { milliseconds: 200 },
        Operation::Cut(0),
        Operation::Run { milliseconds: 30_000 },
    ];
    walk(&setting, &operations).expect("it ends as it should");
}

/// The setting of a planned walk, with every extension of user data.
fn extended(seed: u64, streams: StreamScheduler) -> Setting {
    let (setting, _) = plan(seed);
    Setting { interleaving: true, streams, partial: true, firm: true, reconfigures: true, ..setting }
}

/// A stream was reset while the acknowledgement of its messages was on its way: the first message after the reset had the
/// number of one that waited for it, was taken for a part of that, and was dropped without a report when it expired.
#[test]
fn a_message_after_a_reset_is_not_taken_for_one_before_it() {
    let send = |end, stream, length| Operation::Send { end, stream, unordered: false, length };
    let setting = extended(4_693, StreamScheduler::RoundRobin);
    let operations = [
        Operation::Run { milliseconds: 1_000 },
        send(End::Z, 0, 1_452),
        send(End::A, 2, 20_000),
        send(End::A, 1, 100),
        Operation::Reset(End::Z, Some((0, 0))),
        send(End::Z, 16, 3_000),
        Operation::Reset(End::A, Some((1, 15))),
        Operation::Cut(0),
        send(End::Z, 2, 100_000),
        send(End::A, 16, 3_000),
        Operation::Run { milliseconds: 50 },
        send(End::A, 1, 3_000),
    ];
    walk(&setting, &operations).expect("it ends as it should");
}

/// A message that arrived was given up, because its acknowledgement was lost, and its stream was reset. The I-FORWARD-TSN
/// named it to the peer, which counted anew, and dropped the first message after the reset.
#[test]
fn a_forward_tsn_names_no_message_before_a_reset_to_a_peer_that_counts_anew() {
    let send = |end, stream, unordered, length| Operation::Send { end, stream, unordered, length };
    let setting = extended(18_173, StreamScheduler::WeightedFair);
    let operations = [
        Operation::Run { milliseconds: 10 },
        send(End::Z, 0, true, 1),
        Operation::Reset(End::Z, Some((0, 0))),
        Operation::Run { milliseconds: 1 },
        Operation::Cut(0),
        send(End::Z, 0, true, 1_452),
        send(End::Z, 15, true, 1_000),
        send(End::A, 0, false, 3),
        Operation::Run { milliseconds: 5_000 },
    ];
    walk(&setting, &operations).expect("it ends as it should");
}

/// Z had more gaps than a SACK lists. One that shared its packet with a FORWARD-TSN listed fewer still, and what it left
/// out came back into flight, beyond the window.
#[test]
fn a_sack_is_not_shortened_by_other_chunks_of_its_packet() {
    let send = |end, stream, unordered, length| Operation::Send { end, stream, unordered, length };
    let (setting, _) = plan(15_087);
    let setting = Setting { partial: true, ..setting };
    let operations = [
        send(End::A, 15, false, 1_452),
        Operation::Run { milliseconds: 1_000 },
        send(End::Z, 15, true, 3_000),
        send(End::A, 1, false, 3),
        Operation::Burst { end: End::Z, stream: 0, count: 3_000, length: 64 },
        Operation::Burst { end: End::A, stream: 0, count: 500, length: 256 },
    ];
    walk(&setting, &operations).expect("it ends as it should");
}

/// A chunk that fits no buffer ends the association. While a reset of the association was pending, it was refused for ever.
#[test]
fn a_chunk_that_can_never_fit_ends_the_association_although_a_reset_is_pending() {
    let setting = Setting {
        pipes: 2,
        delays_ms: vec![1, 1],
        receive_buffer: 1_500,
        send_buffer: 1 << 20,
        mtu: 9_000,
        in_parts: true,
        reconfigures: true,
        ..SETTING
    };
    let operations = [
        Operation::Run { milliseconds: 200 },
        Operation::ResetAll(End::A),
        Operation::Send { end: End::Z, stream: 1, unordered: false, length: 20_000 },
        Operation::Run { milliseconds: 5_000 },
    ];
    let outcome = walk(&setting, &operations).expect("it ends");
    assert!(!outcome.is_graceful, "the message cannot arrive");
}
