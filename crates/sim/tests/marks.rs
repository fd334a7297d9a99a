//! Queues that mark, and an association that answers marks, on the same link: little is dropped, the link stays in
//! use, and the queue is short.

use crate::worlds::{run, scenario};
use anabranch_sim::RunResult;

/// One association for a minute over 10 Mbit/s with a round trip of 40 ms and this queue: 33 packets fill the path.
fn transfer(queue: &str, ecn: &str) -> RunResult {
    run(
        &scenario(&format!(
            r#"
            [run]
            time = "60 s"
            warmup = "10 s"
            [[link]]
            name = "a"
            rate = "10 Mbit/s"
            delay = "20 ms"
            queue = {queue}
            [flow.sctp]
            profile = "rfc9260"
            ecn = "{ecn}"
            "#
        )),
        1,
    )
}

/// Queues with thresholds at the bandwidth-delay product, or the values of the RFCs.
const QUEUES: [&str; 4] = [
    r#"{ kind = "red", min = 33, max = 66 }"#,
    r#"{ kind = "codel" }"#,
    r#"{ kind = "pie" }"#,
    r#"{ kind = "fq-codel" }"#,
];

/// The least goodput of one sender that halves its window, of 9.68 Mbit/s of user data, and the largest number of
/// drops, for each of them.
///
/// RED's least threshold is the bandwidth-delay product, so half the window still fills the path. CoDel wants 5 ms of
/// queue after 40 ms of round trip: the window falls from 45 ms of data to 22.5, grows by one packet (1.2 ms) a round trip
/// through 78 % on average until the path is full, and goes on for the 5 ms and the interval of 100 ms. That is 84 % of
/// the path. PIE wants 15 ms, and carries no less.
///
/// Slow start may overrun RED before the first mark is answered, by no more than the queue holds. PIE has no bound: it drops
/// instead of marking while its probability is above a tenth (RFC 8033 §5.1), as after a slow start.
const BOUNDS: [(f64, Option<u64>); 4] =
    [(9.0e6, Some(100)), (8.1e6, Some(0)), (8.1e6, None), (8.1e6, Some(0))];

#[test]
fn with_marks_little_is_dropped_and_the_link_stays_in_use() {
    for (queue, (least, most)) in QUEUES.into_iter().zip(BOUNDS) {
        for ecn in ["echo", "cwr"] {
            let result = transfer(queue, ecn);
            let (link, flow) = (&result.links[0].forward, &result.flows[0]);
            assert!(link.marked > 0, "{queue} {ecn}");
            assert!(link.marked < link.packets / 10, "{queue} {ecn}: {} marks are not answered", link.marked);
            assert!(flow.goodput_bps > least, "{queue} {ecn}: {}", flow.goodput_bps);
            assert!(most.is_none_or(|most| link.queue_drops <= most), "{queue} {ecn}: {}", link.queue_drops);
        }
    }
}

#[test]
fn without_ecn_the_same_queues_drop() {
    for queue in QUEUES {
        let link = transfer(queue, "off").links[0].forward;
        assert!(link.marked == 0 && link.queue_drops > 0, "{queue}: {link:?}");
    }
}

/// The mean queue is much shorter than that of a drop-tail queue of the same size.
#[test]
fn queues_that_control_delay_are_short() {
    let waiting = |queue: &str| transfer(queue, "cwr").links[0].forward.mean_queue_packets;
    let full = waiting("\"100 packets\"");
    for queue in &QUEUES[1..] {
        let short = waiting(queue);
        assert!(short < full / 3.0, "{queue}: {short}, drop-tail {full}");
    }
}

/// One association for a minute over a RED queue, and a link before it that loses a share of the CWRs.
fn with_lost_answers(share: f64, encapsulation: &str, ecn: &str) -> RunResult {
    run(
        &scenario(&format!(
            r#"
            [run]
            time = "60 s"
            [[link]]
            name = "marks"
            rate = "10 Mbit/s"
            delay = "20 ms"
            queue = {{ kind = "red", limit = "1000 packets", min = 33, max = 66 }}
            [[link]]
            name = "loses"
            rate = "100 Mbit/s"
            delay = "0 ms"
            loss = {{ kind = "chunk", type = "CWR", rate = {share} }}
            [[path]]
            name = "a"
            links = ["loses", "marks"]
            [flow.sctp]
            encapsulation = "{encapsulation}"
            ecn = "{ecn}"
            "#
        )),
        1,
    )
}

#[test]
fn a_share_of_the_answers_is_lost_and_nothing_else() {
    for share in [0.0, 0.25, 0.5, 1.0] {
        let result = with_lost_answers(share, "none", "cwr");
        let (sent, lost) = (result.flows[0].paths[0].counters.sent_cwrs, result.links[1].forward.lost);
        // The last one may still be on its way.
        let due = [sent - 1, sent].map(|sent| (sent as f64 * share) as u64);
        assert!(sent > 4 && due.contains(&lost), "{share}: {lost} of {sent}");
    }
}

#[test]
fn links_cannot_see_chunks_under_a_seal() {
    let result = with_lost_answers(1.0, "sealed", "cwr");
    assert!(result.flows[0].paths[0].counters.sent_cwrs > 4);
    assert_eq!(result.links[1].forward.lost, 0);
}

/// M-MET-9: the counters of both ends agree with what the queue marked.
#[test]
fn every_report_of_a_mark_is_counted_at_both_ends() {
    let result = with_lost_answers(0.0, "none", "echo");
    let (counters, marked) = (result.flows[0].paths[0].counters, result.links[0].forward.marked);
    // Nothing is lost, and each marked packet is reported once; those at the end are on their way.
    assert!(marked > 10, "{marked}");
    assert!((marked - 3..=marked).contains(&counters.sent_echoes), "{counters:?} of {marked}");
    assert!(
        (counters.sent_echoes - 3..=counters.sent_echoes).contains(&counters.received_echoes),
        "{counters:?}"
    );
    assert!(counters.ecn_cuts > 0 && counters.ecn_cuts <= counters.received_echoes, "{counters:?}");
    assert_eq!((counters.sent_cwrs, counters.loss_probes), (0, 0));
}

/// M-MET-4 by hand: without losses, each full packet of 1,500 bytes carries 1,452 bytes of user data, and two of them are
/// answered by one SACK of 48 bytes.
#[test]
fn what_both_hosts_send_is_counted_with_all_headers_and_after_the_warm_up() {
    let sctp = |charge: &str| {
        let world = scenario(&format!(
            r#"
            [run]
            time = "20 s"
            warmup = "10 s"
            [[link]]
            name = "a"
            rate = "10 Mbit/s"
            delay = "20 ms"
            queue = "1000 packets"
            [flow.sctp]
            charge = "{charge}"
            receive_buffer = "100 kB"
            "#
        ));
        run(&world, 1).flows.remove(0)
    };
    let flow = sctp("chunk");
    let (wire, packets) = (flow.wire_bytes_sent, flow.goodput_packets.expect("it counts them"));
    let delivered = flow.goodput_bps * 10.0 / 8.0;
    assert!((delivered / 1_452.0 - packets as f64).abs() < 2.0, "{packets} packets, {delivered} bytes");
    assert!((wire.sender.get() as f64 / 1_500.0 - packets as f64).abs() < 100.0, "{wire:?}, {packets}");
    assert!((wire.receiver.get() as f64 / 24.0 - packets as f64).abs() < 100.0, "{wire:?}, {packets}");
    let ratio = (1_500.0 + 24.0) / 1_452.0;
    assert!((flow.tr_ratio.expect("data") / ratio - 1.0).abs() < 0.01, "{:?}", flow.tr_ratio);
    // Where windows are charged for whole packets, so is what is delivered.
    let whole = sctp("packet").tr_ratio.expect("data");
    assert!((whole / (1_524.0 / 1_500.0) - 1.0).abs() < 0.01, "{whole}");
}
