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

/// What each of them lets one sender that halves its window carry, at least, of 9.68 Mbit/s of user data, and how many
/// packets it drops at most.
///
/// RED's least threshold is the bandwidth-delay product, so half the window still fills the path. CoDel wants 5 ms of
/// queue after 40 ms of round trip: the window falls from 45 ms of data to 22.5, grows by one packet (1.2 ms) a round trip
/// through 78 % on average until the path is full, and goes on for the 5 ms and the interval of 100 ms. That is 84 % of
/// the path. PIE wants 15 ms, and carries more.
///
/// Slow start may overrun RED before the first mark is answered, by no more than the queue holds. PIE drops all packets
/// while its probability is above a tenth (RFC 8033 §5.1), as after a slow start.
const BOUNDS: [(f64, u64); 4] = [(9.0e6, 100), (8.1e6, 0), (9.0e6, 300), (8.1e6, 0)];

#[test]
fn with_marks_little_is_dropped_and_the_link_stays_in_use() {
    for (queue, (least, most)) in QUEUES.into_iter().zip(BOUNDS) {
        for ecn in ["echo", "cwr"] {
            let result = transfer(queue, ecn);
            let (link, flow) = (&result.links[0].forward, &result.flows[0]);
            assert!(link.marked > 0, "{queue} {ecn}");
            assert!(link.marked < link.packets / 10, "{queue} {ecn}: {} marks are not answered", link.marked);
            assert!(flow.goodput_bps > least, "{queue} {ecn}: {}", flow.goodput_bps);
            assert!(link.queue_drops <= most, "{queue} {ecn}: {}", link.queue_drops);
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
