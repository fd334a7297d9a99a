//! Losses that were none, because packets were late: the window is what it was before (RFC 8985, RFC 3522, RFC 3708).

use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::record::Happening;

use crate::pair::{End, Pair, path};

const ROUND_TRIP: u64 = 40;

/// A control that cuts for each loss, whether packets wait in a queue or not.
fn halving() -> Config {
    Config { congestion_control: "reno".into(), ..Config::tuned_2() }
}

/// An association over `pipes` paths of 20 ms whose windows have grown.
fn grown(config: Config, pipes: usize) -> Pair {
    let mut pair = Pair::new(config, pipes);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = Duration::from_millis(ROUND_TRIP / 2));
    pair.establish();
    pair.send_at_once(End::A, 120, 1_000);
    assert!(pair.run_until(Duration::from_secs(2), |pair| pair.at(End::A).unacknowledged().is_zero()));
    pair.at(End::A).record();
    pair
}

/// The causes of all cuts since the last call.
fn cuts(pair: &mut Pair) -> Vec<CutCause> {
    let records = std::iter::from_fn(|| pair.at(End::A).poll_record());
    let cut = |record: anabranch_sctp::record::Record| match record.what {
        Happening::Window { cut, .. } => cut.filter(|cause| *cause != CutCause::Idle),
        _ => None,
    };
    records.filter_map(cut).collect()
}

/// Two packets are `late`, and twelve overtake them.
fn overtake(pair: &mut Pair, late: Duration) {
    pair.pipes[0].delay += late;
    pair.send_at_once(End::A, 2, 1_000);
    pair.run_for(Duration::from_millis(3));
    pair.pipes[0].delay = Duration::from_millis(ROUND_TRIP / 2);
    pair.send_at_once(End::A, 12, 1_000);
    pair.run_for(Duration::from_millis(220));
}

#[test]
fn what_was_late_costs_no_window() {
    let (mut planted, mut undone) = (0, 0);
    for late in 15..95 {
        let mut pair = grown(halving(), 1);
        let before = pair.path(End::A, 0).cwnd;
        overtake(&mut pair, Duration::from_millis(late));
        let after = pair.path(End::A, 0).cwnd;
        if cuts(&mut pair).is_empty() {
            continue;
        }
        planted += 1;
        undone += u32::from(after >= before);
        assert!(pair.at(End::A).path_counters(path(0)).undone_cuts <= 1);
    }
    assert!(planted >= 60, "{planted} were cut");
    assert!(undone * 100 >= planted * 95, "{undone} of {planted} were taken back");
}

#[test]
fn a_delay_that_outlasts_the_time_out_costs_no_window() {
    let mut pair = grown(halving(), 1);
    let before = pair.path(End::A, 0);
    pair.pipes[0].delay = Duration::from_millis(500);
    pair.send_at_once(End::A, 10, 1_000);
    pair.run_for(Duration::from_millis(400));
    pair.pipes[0].delay = Duration::from_millis(ROUND_TRIP / 2);
    pair.run_for(Duration::from_millis(700));
    assert!(cuts(&mut pair).contains(&CutCause::Timeout));
    let after = pair.path(End::A, 0);
    assert!((after.cwnd, after.ssthresh) >= (before.cwnd, before.ssthresh), "{after:?} {before:?}");
}

#[test]
fn what_was_lost_costs_half_of_the_window() {
    let mut pair = grown(halving(), 1);
    let before = pair.path(End::A, 0).cwnd;
    pair.lose_nth(End::A, "DATA", 3);
    pair.send_at_once(End::A, 12, 1_000);
    pair.run_for(Duration::from_millis(600));
    assert_eq!(cuts(&mut pair), [CutCause::Missing]);
    assert!(pair.path(End::A, 0).cwnd < before);
    assert_eq!(pair.at(End::A).path_counters(path(0)).undone_cuts, 0);
}

/// The second time, the window for late packets is wide enough.
#[test]
fn what_was_late_once_is_waited_for() {
    let mut pair = grown(halving(), 1);
    overtake(&mut pair, Duration::from_millis(25));
    cuts(&mut pair);
    for _ in 0..5 {
        overtake(&mut pair, Duration::from_millis(25));
        assert_eq!(cuts(&mut pair), []);
    }
}

/// RFC 8985 §7: the last packets of a burst are lost. A probe shows it, and no time-out is needed.
#[test]
fn the_loss_of_the_last_packets_needs_no_time_out() {
    for lost in 1..5_usize {
        let mut pair = grown(halving(), 1);
        let sent = pair.now;
        (0..lost).for_each(|nth| pair.lose_nth(End::A, "DATA", 13 - lost + nth));
        pair.send_at_once(End::A, 12, 1_000);
        let is_done =
            pair.run_until(Duration::from_secs(3), |pair| pair.at(End::A).unacknowledged().is_zero());
        assert!(is_done);
        let counters = pair.at(End::A).path_counters(path(0));
        assert_eq!((counters.timeouts, counters.tail_probes > 0), (0, true), "{lost} lost");
        let took = pair.now.since(sent).as_millis();
        assert!(took <= 6 * ROUND_TRIP + 40, "{lost} lost: {took} ms");
        assert!(cuts(&mut pair).contains(&CutCause::Missing), "a loss that a probe repaired is a loss");
    }
}
