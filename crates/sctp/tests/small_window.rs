//! Losses in a receive window of a few packets, sent again in the idle period (M-SWS-1).

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::{Config, SackSettings};

use crate::pair::{End, Pair, path};
use crate::script::counted;

const FULL: usize = 1_452;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A receive window of `packets`, and what A does about losses in it.
fn open(packets: u64, small_window_recovery: bool) -> Pair {
    let profile = Config::rfc2960();
    let config = Config {
        receive_buffer: ByteCount::new(1_500 * packets),
        small_window_recovery,
        sack: SackSettings { every: 1, ..profile.sack },
        ..counted(profile, packets)
    };
    let mut pair = Pair::open(config, 1);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, packets as usize, FULL);
    pair.run_for(ms(200));
    pair.log.clear();
    pair
}

/// When packets with data left A.
fn times(pair: &Pair) -> Vec<Time> {
    let lines = pair.log.iter().filter(|line| line.from == End::A && line.text.contains("DATA"));
    lines.map(|line| line.at).collect()
}

/// The SACKs for the second and third packet of four cannot report the first missing often enough. That for the fourth
/// shows that nothing more comes.
#[test]
fn the_idle_period_repairs_what_would_time_out() {
    for lost in 1..=3 {
        let mut pair = open(4, true);
        let cwnd = pair.path(End::A, 0).cwnd;
        (0..lost).for_each(|_| pair.drop_next(End::A, 0));
        pair.send_at_once(End::A, 4, FULL);
        pair.run_for(ms(500));
        let begun = times(&pair)[0];
        let again = times(&pair).split_off(4);
        assert_eq!(again, vec![begun + ms(20); lost], "one packet each, when the last is acknowledged");
        let counters = pair.at(End::A).path_counters(path(0));
        assert_eq!((counters.timeouts, pair.z.read.len()), (0, 8));
        assert!(pair.path(End::A, 0).cwnd >= cwnd, "nothing is cut");
    }
}

#[test]
fn without_the_rule_the_sender_waits_for_its_timer() {
    let mut pair = open(4, false);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 4, FULL);
    pair.run_for(ms(500));
    assert_eq!(times(&pair).len(), 4);
    pair.run_for(ms(2_000));
    assert_eq!((pair.at(End::A).path_counters(path(0)).timeouts, pair.z.read.len()), (1, 8));
}

#[test]
fn each_chunk_is_repaired_so_once() {
    let mut pair = open(4, true);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 4, FULL);
    pair.run_for(ms(15));
    pair.drop_next(End::A, 0);
    pair.run_for(ms(3_000));
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.fast_retransmits, counters.timeouts, pair.z.read.len()), (1, 1, 8));
}

/// With five packets four others report the loss, and the standard's rule is enough.
#[test]
fn a_larger_window_is_left_to_missing_reports() {
    let mut pair = open(5, true);
    pair.drop_next(End::A, 0);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 5, FULL);
    pair.run_for(ms(500));
    assert_eq!(pair.at(End::A).path_counters(path(0)).fast_retransmits, 0);
}
