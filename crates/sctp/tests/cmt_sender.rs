//! The reading of SACKs by a sender of concurrent multipath transfer, packet by packet: missing reports, the window update,
//! recovery (M-CMT-2, -3, -5; M-SCTP-7). The golden examples G1 to G4 and G26 with SACKs from the wire in, windows and
//! retransmissions out; the rules alone have their examples in their own files.

use crate::pair::path;
use crate::script::{Script, sack, same, seeds};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

const NO_DAC: CmtRules = CmtRules { delayed_ack: false, ..CmtRules::ALL };

// Missing reports (M-CMT-2, M-CMT-5).

/// G1: TSN 20–23 on path 1, 24–27 on path 2; four SACKs tell of the latter only. By the plain rule all of path 1 is
/// lost; by CMT's nothing is.
#[test]
fn g1_four_sacks_from_a_faster_path_make_nothing_of_another_lost() {
    let after_four_sacks = |rules| {
        let mut script = Script::open(seeds(rules, "fill", 4), 2).numbered_from(20);
        script.send(8);
        assert_eq!(script.sent(), ["-1> 20 21 22 23", "-2> 24 25 26 27"]);
        for highest in 24..=27 {
            script.hear(&sack(19, &[24..=highest]));
        }
        (script.sent(), script.cuts(), script.windows()[0])
    };
    let plain = (vec!["-2> 20 21 22 23".to_owned()], vec![(path(0), CutCause::Missing)], 2);
    assert_eq!(after_four_sacks(CmtRules::NONE), plain);
    assert_eq!(after_four_sacks(CmtRules::ALL), (vec![], vec![], 4));
    let no_split = CmtRules { split_fast_retransmit: false, ..CmtRules::ALL };
    assert_eq!(after_four_sacks(no_split).1, plain.1, "the other two rules do not help");
}

/// G2: each of these SACKs acknowledges the lowest chunk of path 2, whose window is full, and none of path 1.
#[test]
fn g2_each_of_the_four_sacks_lets_the_faster_path_grow_and_no_other() {
    let windows = |rules| {
        let mut script = Script::open(seeds(rules, "fill", 4), 2).numbered_from(20);
        script.send(20);
        [24, 25, 26, 27].map(|highest| {
            script.hear(&sack(19, &[24..=highest]));
            script.windows()
        })
    };
    assert_eq!(windows(CmtRules::ALL), [[4, 5], [4, 6], [4, 7], [4, 8]]);
    let no_update = CmtRules { window_update: false, ..CmtRules::ALL };
    assert_eq!(windows(no_update), [[4, 4]; 4], "the cumulative TSN never moved");
}

/// G3: one path, TSN 1 lost; each SACK answers two packets.
#[test]
fn g3_two_delayed_sacks_of_two_packets_are_four_reports() {
    let resent = |rules, packets, missing_reports| {
        let config = Config { missing_reports, ..same(seeds(rules, "fill", 10)) };
        let mut script = Script::open(config, 1);
        script.send(5);
        script.sent();
        [3, 5].map(|highest| {
            script.hear(&sack(0, &[2..=highest]).of(packets));
            !script.sent().is_empty()
        })
    };
    assert_eq!(resent(CmtRules::ALL, 2, 4), [false, true], "4 by the second");
    assert_eq!(
        [2, 3].map(|threshold| resent(CmtRules::ALL, 2, threshold)[0]),
        [true, false],
        "2 by the first"
    );
    let without_counts = [resent(CmtRules::ALL, 0, 2), resent(NO_DAC, 2, 2)];
    assert_eq!(without_counts, [[false, true]; 2], "1, then 2");
    assert_eq!(resent(CmtRules::ALL, 0, 3), [false, false]);
}

/// G4: path 1 sent 1 and 2, path 2 sent 3. One SACK for 2 and 3 reports TSN 1 once.
#[test]
fn g4_a_sack_for_packets_of_two_paths_is_one_report() {
    let is_lost_by = |missing_reports| {
        let mut script = Script::open(Config { missing_reports, ..seeds(CmtRules::ALL, "fill", 2) }, 2);
        script.send(3);
        assert_eq!(script.sent(), ["-1> 1 2", "-2> 3"]);
        script.hear(&sack(0, &[2..=3]).of(2));
        !script.sent().is_empty()
    };
    assert_eq!([1, 2].map(is_lost_by), [true, false]);
}

/// M-CMT-5: only some of the packets came after the chunk, if the SACK newly acknowledges TSNs on both sides of it; and
/// one TSN is one report at most.
#[test]
fn a_delayed_sack_is_one_report_of_a_chunk_between_its_tsns() {
    let is_lost_by = |missing_reports| {
        let config = Config { missing_reports, ..same(seeds(CmtRules::ALL, "fill", 10)) };
        let mut script = Script::open(config, 1);
        script.send(3);
        script.sent();
        script.hear(&sack(1, &[3..=3]).of(2));
        !script.sent().is_empty()
    };
    assert_eq!([1, 2].map(is_lost_by), [true, false]);
}

// The window update (M-CMT-3).

/// G26: path 1 sent the odd TSNs, path 2 the even ones; TSN 1 was lost and moved to path 2.
#[test]
fn g26_a_path_grows_by_its_lowest_chunk_sent_once_or_by_its_lowest_sent_again() {
    // One report is a loss here, so that a single SACK does what the example takes as given.
    let config = Config { missing_reports: 1, ..seeds(CmtRules::ALL, "round-robin", 6) };
    let mut script = Script::open(config, 2);
    script.send_in_turn(11);
    script.sent();
    script.hear(&sack(0, &[2..=10]));
    assert_eq!((script.sent(), script.windows()), (vec!["-2> 1".to_owned()], vec![3, 6]));
    script.send_in_turn(7);
    assert_eq!(script.sent(), ["-2> 12", "-1> 13", "-2> 14", "-1> 15", "-2> 16 17 18"]);
    assert_eq!(script.flights(), [3, 6], "both windows are full");
    script.hear(&sack(0, &[2..=11]));
    assert_eq!(script.windows(), [4, 6], "11 was the lowest of path 1 sent once; path 2 still waits for 1");
    script.hear(&sack(11, &[]));
    assert_eq!(script.windows(), [4, 7], "1 was the lowest of path 2 sent again");
}

// Recovery (M-CMT-2).

/// "A lost chunk moved to another path no longer holds d back": recovery of path 1 ends with what else was outstanding
/// there, although TSN 1 is still on its way.
#[test]
fn a_chunk_that_moved_to_another_path_no_longer_holds_back_the_recovery_of_its_first() {
    let windows = |config| {
        let mut script = Script::open(config, 2);
        script.send(8);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6", "-2> 7 8"]);
        for highest in 2..=5 {
            script.hear(&sack(0, &[2..=highest]));
        }
        let resent = script.sent().concat();
        let after_cut = script.windows()[0];
        // Path 1's window is kept full, so that nothing but recovery holds it back.
        script.send(20);
        script.hear(&sack(0, &[2..=6]));
        (resent, after_cut, script.windows()[0])
    };
    let alternate = seeds(CmtRules::ALL, "fill", 6);
    let same = same(alternate.clone());
    assert_eq!(windows(alternate), ("-2> 1".to_owned(), 3, 4));
    assert_eq!(windows(same), ("-1> 1".to_owned(), 3, 3), "there TSN 1 has to be repaired first");
    assert_eq!(windows(seeds(CmtRules::NONE, "fill", 6)).2, 3, "the association's recovery waits for TSN 1");
}

/// M-CMT-2: what counts is what was outstanding on the path at the cut, not what was elsewhere: TSN 7 of path 2, lost there
/// and sent again on path 1, has no part in the recovery of path 1, which TSN 6 ends.
#[test]
fn a_chunk_that_moved_to_a_path_does_not_hold_back_its_recovery() {
    let mut script = Script::open(seeds(CmtRules::ALL, "fill", 6), 2);
    script.send(12);
    assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6", "-2> 7 8 9 10 11 12"]);
    (2..=5).for_each(|highest| script.hear(&sack(0, &[2..=highest])));
    (8..=11).for_each(|highest| script.hear(&sack(0, &[2..=5, 8..=highest])));
    assert_eq!((script.sent().concat(), script.windows()), ("-2> 1-1> 7".to_owned(), vec![3, 3]));
    // Path 1's window is kept full, so that nothing but recovery holds it back.
    script.send(20);
    script.hear(&sack(0, &[2..=6, 8..=11]));
    assert_eq!(script.windows(), [4, 3]);
}

#[test]
fn while_one_path_recovers_another_grows_and_is_cut_for_its_own_losses() {
    let mut script = Script::open(same(seeds(CmtRules::ALL, "fill", 8)), 2);
    script.send(40);
    assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6 7 8", "-2> 9 10 11 12 13 14 15 16"]);
    for highest in 2..=5 {
        script.hear(&sack(0, &[2..=highest]));
    }
    assert_eq!((script.cuts(), script.windows()), (vec![(path(0), CutCause::Missing)], vec![4, 8]));
    script.hear(&sack(0, &[2..=5, 9..=9]));
    assert_eq!(script.windows(), [4, 9]);
    for highest in 11..=14 {
        script.hear(&sack(0, &[2..=5, 9..=9, 11..=highest]));
    }
    assert_eq!((script.cuts(), script.windows()), (vec![(path(1), CutCause::Missing)], vec![4, 4]));
}

/// M-SCTP-7 rule 2: what a time-out sent again is left to the timer in CMT, "its acks are ambiguous"; in standard SCTP
/// it may be fast-retransmitted.
#[test]
fn a_chunk_that_timed_out_is_fast_retransmitted_by_the_standard_and_not_by_cmt() {
    let resent = |rules| {
        let mut script = Script::open(same(seeds(rules, "fill", 5)), 1);
        script.send(5);
        script.wait_until(1500);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 1"], "one packet after the time-out");
        for highest in 2..=5 {
            script.hear(&sack(0, &[2..=highest]));
        }
        script.sent()
    };
    assert_eq!(resent(CmtRules::NONE), ["-1> 1"]);
    assert!(resent(CmtRules::ALL).is_empty());
}
