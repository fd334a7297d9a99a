//! The rules of ns-2's CMT module that may replace ours, one by one: `cmt.recovery = "ns2"` and `cmt.ns2_rules`; and the cut
//! that may raise a window.

use crate::pair::path;
use crate::script::{Script, sack, same, seeds};
use anabranch_sctp::config::{BurstRule, Config, MaxBurst};
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::ns2::Ns2;

fn with(ns2: Ns2) -> CmtRules {
    CmtRules { delayed_ack: false, ns2, ..CmtRules::ALL }
}

/// The rule with this number in docs/oracle.md, alone.
fn one(number: u32) -> Ns2 {
    Ns2::of_numbers(&[number])
}

/// Returns the number of cuts by three losses: the first, one that was in flight at the cut, and one that was sent after
/// it while the first is still not repaired.
fn cuts_of_three_losses(ns2: Ns2) -> [usize; 3] {
    let mut script = Script::open(same(seeds(with(ns2), "fill", 10)), 1);
    script.send(40);
    let mut hear_all = |gaps: &[&[std::ops::RangeInclusive<u32>]]| {
        gaps.iter().for_each(|gaps| script.hear(&sack(0, gaps)));
        assert_eq!(
            script.pair.closed(crate::pair::End::A),
            None,
            "each SACK is one that a receiver may send"
        );
        script.cuts().len()
    };
    [
        hear_all(&[&[2..=2], &[2..=3], &[2..=4], &[2..=5]]),
        hear_all(&[&[2..=5, 7..=7], &[2..=5, 7..=8], &[2..=5, 7..=9], &[2..=5, 7..=10]]),
        hear_all(&[
            &[2..=5, 7..=13],
            &[2..=5, 7..=13, 15..=15],
            &[2..=5, 7..=13, 15..=16],
            &[2..=5, 7..=13, 15..=17],
            &[2..=5, 7..=13, 15..=18],
        ]),
    ]
}

#[test]
fn the_loss_of_a_chunk_that_was_sent_after_the_cut_cuts_again_in_ns2_alone() {
    assert_eq!(cuts_of_three_losses(Ns2::NONE), [1, 0, 0]);
    assert_eq!(cuts_of_three_losses(Ns2::RECOVERY), [1, 0, 1]);
}

/// The first chunk is lost, and those behind it are acknowledged: the window after the cut, and after a window's worth.
fn window_while_a_loss_is_open(ns2: Ns2) -> [u64; 2] {
    let mut script = Script::open(same(seeds(with(ns2), "fill", 10)), 1);
    script.send(60);
    for highest in 2..=5 {
        script.hear(&sack(0, &[2..=highest]));
    }
    let after_the_cut = script.windows()[0];
    for highest in 6..=16 {
        script.hear(&sack(0, &[2..=highest]));
    }
    [after_the_cut, script.windows()[0]]
}

#[test]
fn a_window_grows_in_recovery_where_the_lowest_chunk_does_not_stay_the_lost_one() {
    assert_eq!(window_while_a_loss_is_open(Ns2::NONE), [5, 5]);
    assert_eq!(window_while_a_loss_is_open(one(1)), [5, 7]);
    assert_eq!(window_while_a_loss_is_open(Ns2::RECOVERY), [5, 5], "what holds windows back in ns-2");
}

#[test]
fn a_cut_raises_a_window_below_the_floor_where_it_may() {
    let windows = |cut_may_raise| {
        let small = seeds(with(Ns2::NONE), "fill", 2);
        let config = Config { missing_reports: 1, window_floor: 4, cut_may_raise, ..same(small) };
        let mut script = Script::open(config, 1);
        script.send(4);
        script.hear(&sack(0, &[2..=2]));
        script.windows()
    };
    assert_eq!([windows(false), windows(true)], [[2], [4]]);
}

/// The timer of path 1 has marked four chunks, of which one is sent again; then path 2 loses a chunk.
#[test]
fn missing_reports_on_one_path_cut_another_whose_lost_chunks_wait() {
    let cuts = |ns2| {
        let config = Config { missing_reports: 1, ..same(seeds(with(ns2), "fill", 4)) };
        let mut script = Script::open(config, 2);
        script.send(8);
        script.wait_until(900);
        script.hear(&sack(0, &[5..=5]));
        script.wait_until(1_100);
        assert_eq!(script.cuts(), [(path(0), CutCause::Timeout)]);
        script.hear(&sack(0, &[5..=5, 7..=7]));
        (script.cuts(), script.windows())
    };
    assert_eq!(cuts(Ns2::NONE), (vec![(path(1), CutCause::Missing)], vec![1, 2]));
    let both = vec![(path(1), CutCause::Missing), (path(0), CutCause::Missing)];
    assert_eq!(cuts(one(3)), (both, vec![2, 2]), "and raises it to the floor");
}

/// Path 1 lost two chunks, and only one of them had room; then path 2 loses a chunk.
#[test]
fn missing_reports_on_one_path_let_another_send_a_chunk_that_waits() {
    let sent = |ns2| {
        let config = Config { missing_reports: 1, ..same(seeds(with(ns2), "fill", 4)) };
        let mut script = Script::open(config, 2);
        script.send(8);
        script.hear(&sack(0, &[3..=3]));
        script.sent();
        script.hear(&sack(0, &[3..=3, 6..=6]));
        script.sent()
    };
    assert_eq!(sent(Ns2::NONE), ["-2> 5"]);
    assert_eq!(sent(one(4)), ["-1> 2", "-2> 5"]);
}

#[test]
fn a_window_decays_with_data_in_flight_when_none_was_sent_for_an_rto() {
    let windows = |ns2| {
        let mut script = Script::open(same(seeds(with(ns2), "fill", 10)), 1);
        script.send(2);
        script.wait_until(10);
        script.hear(&sack(1, &[]));
        script.wait_until(1_005);
        script.hear(&sack(2, &[]));
        script.windows()
    };
    assert_eq!([windows(Ns2::NONE), windows(one(5))], [[10], [5]]);
}

/// A chunk is sent again and acknowledged; a later SACK makes room for nine packets at once.
#[test]
fn bursts_stay_bounded_after_the_first_retransmission() {
    let most = |ns2| {
        let max_burst = MaxBurst { packets: 4, rule: BurstRule::AfterRetransmission };
        let config = Config { missing_reports: 1, max_burst, ..same(seeds(with(ns2), "fill", 16)) };
        let mut script = Script::open(config, 1);
        script.send(80);
        script.hear(&sack(0, &[2..=2]));
        script.hear(&sack(16, &[]));
        script.sent();
        script.hear(&sack(20, &[]));
        script.sent()[0].split_whitespace().skip(1).count()
    };
    assert_eq!([most(Ns2::NONE), most(one(8))], [9, 4]);
}

/// Both paths lose their lowest chunk by one SACK. The packet that sends the first one again ends before the other's, whose
/// path then waits for the next chunk instead.
#[test]
fn a_packet_of_retransmissions_lets_the_path_of_the_next_lost_chunk_search_anew() {
    let windows = |ns2| {
        let config = Config { missing_reports: 1, ..same(seeds(with(ns2), "fill", 4)) };
        let mut script = Script::open(config, 2);
        script.send(8);
        script.sent();
        script.hear(&sack(0, &[2..=2, 6..=6]));
        assert_eq!(script.sent(), ["-1> 1", "-2> 5"]);
        script.hear(&sack(0, &[2..=2, 6..=7]));
        script.windows()
    };
    assert_eq!(windows(Ns2::RECOVERY), [2, 2]);
    assert_eq!(windows(Ns2::RECOVERY.and(one(7))), [2, 3]);
}

/// A chunk of path 2 is acknowledged by a gap block at 500 ms, and cumulatively at 900 ms. The round trip of 500 ms makes a
/// time-out of 1.5 s.
#[test]
fn a_cumulative_acknowledgement_of_what_a_gap_block_had_restarts_the_timer() {
    let again = |ns2| {
        let mut script = Script::open(same(seeds(with(ns2), "fill", 4)), 2);
        script.send(8);
        script.wait_until(500);
        script.hear(&sack(0, &[5..=5]));
        script.wait_until(900);
        script.hear(&sack(5, &[]));
        script.sent();
        script.wait_until(3_000);
        script.sent_when()
    };
    assert_eq!(again(Ns2::NONE), ["2000 -2> 6"]);
    assert_eq!(again(one(8)), ["2400 -2> 6"]);
}
