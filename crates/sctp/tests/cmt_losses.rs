//! The retransmissions of a sender of concurrent multipath transfer, and its reading of SACKs that overtook one another
//! (M-CMT-6, -7; M-SCTP-12). SACKs from the wire in, windows and retransmissions out.

use crate::pair::path;
use crate::script::{Script, sack, same, seeds};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

const NO_DAC: CmtRules = CmtRules { delayed_ack: false, ..CmtRules::ALL };

// Where retransmissions go (M-CMT-6).

/// "A loss of d re-sent to j ≠ d needs space on j."
#[test]
fn the_packet_that_passes_the_window_goes_to_the_path_that_lost_and_to_no_other() {
    let after_loss = |config| {
        let mut script = Script::open(config, 2);
        script.send(20);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6 7 8 9 10", "-2> 11 12 13 14 15 16 17 18 19 20"]);
        for highest in 2..=5 {
            script.hear(&sack(0, &[2..=highest]));
        }
        (script.sent(), script.flights())
    };
    let alternate = seeds(NO_DAC, "fill", 10);
    let same = same(alternate.clone());
    assert_eq!(after_loss(alternate), (vec![], vec![5, 10]), "path 2 is full");
    assert_eq!(after_loss(same), (vec!["-1> 1".to_owned()], vec![6, 10]), "path 1 is full, and may");
    let asap = Config { fast_retransmission: "asap".into(), ..seeds(NO_DAC, "fill", 10) };
    assert_eq!(after_loss(asap), (vec!["-1> 1".to_owned()], vec![6, 10]), "which is as good as room");
    let plain = seeds(CmtRules::NONE, "fill", 10);
    assert_eq!(
        after_loss(plain),
        (vec!["-2> 1".to_owned()], vec![5, 11]),
        "the standard's packet may anywhere"
    );
}

/// "…unless j lost something in the same SACK."
#[test]
fn two_paths_that_lost_by_the_same_sack_may_each_take_a_packet_beyond_their_windows() {
    let config = Config { missing_reports: 1, ..seeds(NO_DAC, "fill", 4) };
    let mut script = Script::open(config, 2);
    script.send(8);
    script.sent();
    script.hear(&sack(0, &[2..=2, 6..=6]));
    // Both windows were halved to two, which is what is in flight.
    assert_eq!(script.sent(), ["-2> 1", "-1> 5"]);
    assert_eq!((script.windows(), script.flights()), (vec![2, 2], vec![3, 3]));
}

// Timers (M-CMT-7).

#[test]
fn a_time_out_marks_and_cuts_its_own_path_only() {
    let mut script = Script::open(same(seeds(CmtRules::ALL, "fill", 4)), 2);
    script.send(8);
    script.sent();
    script.wait_until(100);
    script.hear(&sack(0, &[5..=5]));
    script.wait_until(1050);
    assert_eq!(script.sent_when(), ["1000 -1> 1"]);
    assert_eq!(script.cuts(), [(path(0), CutCause::Timeout)]);
    assert_eq!((script.windows(), script.flights()), (vec![1, 5], vec![1, 3]));
    script.wait_until(1150);
    assert_eq!(script.sent_when(), ["1100 -2> 6"], "its own timer ran from the SACK for its lowest chunk");
}

/// T3-rtx of a path restarts with an acknowledgement of its lowest chunk, and neither when the cumulative TSN passes
/// other paths' chunks nor when it passes chunks that gaps acknowledged before.
#[test]
fn a_steady_fast_path_does_not_postpone_the_time_out_of_a_slow_one() {
    let mut script = Script::open(same(seeds(CmtRules::ALL, "round-robin", 4)), 2);
    script.send_in_turn(40);
    assert_eq!(script.sent(), ["-1> 1", "-2> 2", "-1> 3", "-2> 4", "-1> 5", "-2> 6", "-1> 7", "-2> 8"]);
    script.wait_until(100);
    script.hear(&sack(0, &[2..=2]));
    for (at, answer) in [
        (300, sack(1, &[])),
        (500, sack(3, &[])),
        (700, sack(3, &[5..=5])),
        (900, sack(3, &[5..=5, 7..=7])),
        (1050, sack(3, &[5..=5, 7..=7, 9..=9])),
    ] {
        script.wait_until(at);
        script.hear(&answer);
    }
    script.sent();
    script.wait_until(1200);
    assert_eq!(script.sent_when(), ["1100 -2> 4"], "a second after TSN 2");
    assert_eq!(script.cuts(), [(path(1), CutCause::Timeout)]);
}

// SACKs that overtake one another (M-SCTP-12).

/// Two SACKs on different ways back; the older one comes last and seems to take a gap acknowledgement back.
#[test]
fn a_sack_that_was_overtaken_on_another_way_back_neither_reports_missing_nor_lets_a_window_grow_again() {
    let run = |with_late_one: bool| {
        let config = Config { missing_reports: 1, ..same(seeds(NO_DAC, "fill", 4)) };
        let mut script = Script::open(config, 2);
        script.send(40);
        script.sent();
        script.hear(&sack(0, &[5..=6]).by(0));
        let first = (script.sent(), script.windows());
        if with_late_one {
            script.hear(&sack(0, &[5..=5]).by(1));
            assert_eq!(script.flights(), [4, 6], "TSN 6 counts as in flight again");
            assert!(script.sent().is_empty(), "and as lost it does not");
            script.hear(&sack(0, &[5..=6]).by(0));
        }
        assert_eq!((script.windows(), script.flights()), (vec![4, 5], vec![4, 5]));
        script.hear(&sack(0, &[5..=7]).by(0));
        (first, script.sent(), script.windows(), script.cuts())
    };
    let (first, then, windows, cuts) = run(true);
    assert_eq!(first, (vec!["-2> 9 10 11".to_owned()], vec![4, 5]));
    assert_eq!((&*then, &*windows, &*cuts), (&["-2> 12 13".to_owned()][..], &[4, 6][..], &[][..]));
    assert_eq!(run(false), (first, then, windows, cuts), "as if it had never come");
}

/// "A chunk that is acked again after such a revocation [does not feed] SFR's per-destination state."
#[test]
fn a_chunk_acknowledged_again_after_a_late_sack_does_not_count_as_a_second_report() {
    let config = Config { missing_reports: 3, ..same(seeds(NO_DAC, "fill", 4)) };
    let mut script = Script::open(config, 2);
    script.send(8);
    script.sent();
    let reports_of_five =
        [sack(0, &[6..=6]), sack(0, &[6..=7]), sack(0, &[6..=6]).by(1), sack(0, &[6..=7]), sack(0, &[6..=8])];
    let resent = reports_of_five.map(|answer| {
        script.hear(&answer);
        script.sent().len()
    });
    assert_eq!(resent, [0, 0, 0, 0, 1]);
}
