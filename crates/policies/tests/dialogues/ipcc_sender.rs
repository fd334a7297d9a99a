//! The reading of SACKs by a sender of IPCC, packet by packet: missing reports, growth, recovery, timers and placement by
//! the numbers that chunks have on their paths (M-IPCC-1 to -6; M-SCTP-19, whose defects it must not have).

use crate::pair::path;
use crate::script::{Script, sack, same, seeds};
use anabranch_policies::ipcc::IpccRules;
use anabranch_policies::registry;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

/// IPCC as in YE: RFC 2960, lost chunks to another path, the first path filled before the second.
fn numbered(rules: IpccRules, window: u64) -> Config {
    let mut config = seeds(CmtRules::NONE, "window-regulated", window);
    anabranch_policies::ipcc::choose(&mut config);
    config.own.set(rules);
    config
}

fn adjusted(window: u64) -> Config {
    numbered(IpccRules::DEFAULT, window)
}

/// One report is a loss, so that a single SACK does what an example takes as given.
fn at_one_report(config: Config) -> Config {
    Config { missing_reports: 1, ..config }
}

// The defects of M-SCTP-19.

/// (a), (b) and G5: path 2 is faster. Four SACKs tell of its chunks only; then the others arrive.
#[test]
fn g5_a_faster_path_makes_nothing_of_another_lost_and_each_grows_by_its_own() {
    let mut script = Script::open_with(&registry(), &adjusted(4), 2).numbered_from(20);
    script.send(40);
    assert_eq!(script.sent(), ["-1> 20 21 22 23", "-2> 24 25 26 27"]);
    let mut windows = Vec::new();
    for highest in 24..=27 {
        script.hear(&sack(19, &[24..=highest]));
        windows.push(script.windows());
    }
    assert_eq!(windows, [[4, 5], [4, 6], [4, 7], [4, 8]]);
    script.hear(&sack(27, &[]));
    assert_eq!((script.windows(), script.cuts()), (vec![5, 8], vec![]));
    let sent = script.sent().join(" ");
    assert!((20..28).all(|tsn| !sent.contains(&format!(" {tsn}"))), "each went once: {sent}");
}

/// (c): TSN 1 is lost on path 1 and goes again on path 2. Neither path's growth waits for it, nor does recovery.
#[test]
fn no_growth_and_no_recovery_waits_for_the_alternate_path() {
    let windows = |rules| {
        let mut script = Script::open_with(&registry(), &numbered(rules, 8), 2);
        script.send(16);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6 7 8", "-2> 9 10 11 12 13 14 15 16"]);
        for highest in 2..=5 {
            script.hear(&sack(0, &[2..=highest]));
        }
        let mut windows = vec![script.windows()];
        script.hear(&sack(0, &[2..=5, 9..=9]));
        assert_eq!(script.sent(), ["-2> 1"]);
        script.send(40);
        for answer in [sack(0, &[2..=9]), sack(0, &[2..=10]), sack(16, &[])] {
            script.hear(&answer);
            windows.push(script.windows());
        }
        windows
    };
    assert_eq!(windows(IpccRules::DEFAULT), [[4, 8], [5, 9], [5, 10], [5, 11]]);
    let waits = IpccRules { adjustment: false };
    assert_eq!(windows(waits)[..3], [[4, 8], [4, 9], [4, 10]], "path 1 waits for path 2");
}

// Missing reports, fast retransmit, recovery (M-IPCC-3, M-IPCC-4).

/// G6 and G7: TSN 21 is missing when 22 arrives, and goes to path 2: its number 5 there. Path 1's flight falls by it.
#[test]
fn g6_g7_a_chunk_that_moves_leaves_its_first_path_as_if_it_were_acknowledged() {
    let mut script = Script::open_with(&registry(), &at_one_report(adjusted(4)), 2).numbered_from(20);
    script.send(8);
    script.sent();
    script.hear(&sack(19, &[24..=27]));
    assert_eq!(script.flights(), [4, 0]);
    script.hear(&sack(20, &[22..=22, 24..=27]));
    assert_eq!(
        (script.sent(), script.cuts()),
        (vec!["-2> 21".to_owned()], vec![(path(0), CutCause::Missing)])
    );
    assert_eq!(script.flights(), [1, 1], "23 on path 1, 21 on path 2");
    script.send(10);
    assert_eq!(script.sent(), ["-1> 28 29", "-2> 30 31 32 33"]);
    script.hear(&sack(20, &[22..=27]));
    assert_eq!(
        script.windows()[0],
        3,
        "23 ended recovery, and the window of two and a half packets was full"
    );
}

/// "It exits at once when all losses were moved to another path": TSN 1–4 are lost on path 1, and nothing else is there.
#[test]
fn recovery_ends_when_the_last_loss_leaves_the_path() {
    let grows = |config| {
        let mut script = Script::open_with(&registry(), &at_one_report(config), 2);
        script.send(5);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5"]);
        script.hear(&sack(0, &[5..=5]));
        script.send(20);
        assert_eq!(script.sent(), ["-2> 1 2 3 4", "-1> 6 7 8", "-2> 9"]);
        assert_eq!(script.windows(), [2, 5]);
        script.hear(&sack(0, &[5..=6]));
        script.windows()[0] > 2
    };
    let with = |adjustment| numbered(IpccRules { adjustment }, 5);
    assert!(grows(with(true)));
    assert!(!grows(with(false)), "there it waits until path 2 has delivered them");
}

#[test]
fn a_chunk_that_is_resent_on_its_path_holds_recovery_and_growth_until_it_is_repaired() {
    let mut script = Script::open_with(&registry(), &same(adjusted(8)), 1);
    script.send(8);
    (2..=5).for_each(|highest| script.hear(&sack(0, &[2..=highest])));
    assert_eq!((script.cuts(), script.windows()), (vec![(path(0), CutCause::Missing)], vec![4]));
    script.send(20);
    script.hear(&sack(0, &[2..=8]));
    assert_eq!(script.windows(), [4]);
    script.hear(&sack(8, &[]));
    assert_eq!(script.windows(), [5], "its number stayed 1");
}

/// Path 2 loses what path 1 lost: it is found by what left path 2 after it, and returns to path 1.
#[test]
fn a_chunk_may_be_fast_retransmitted_once_on_each_path() {
    let mut script = Script::open_with(&registry(), &at_one_report(adjusted(6)), 2);
    script.send(12);
    assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6", "-2> 7 8 9 10 11 12"]);
    script.hear(&sack(0, &[2..=2, 7..=12]));
    assert_eq!(script.sent(), ["-2> 1"]);
    script.send(6);
    assert_eq!(script.sent(), ["-2> 13 14 15 16 17 18"]);
    script.hear(&sack(0, &[2..=2, 7..=13]));
    assert!(script.sent().is_empty(), "13 left path 2 after it; path 1 is full");
    script.hear(&sack(0, &[2..=13]));
    assert_eq!(script.sent(), ["-1> 1"]);
    assert_eq!(script.cuts(), [(path(0), CutCause::Missing), (path(1), CutCause::Missing)]);
    script.send(3);
    assert_eq!(script.sent(), ["-1> 19 20 21"]);
    script.hear(&sack(0, &[2..=13, 19..=21]));
    assert!(script.sent().is_empty(), "a third time is left to the timer");
}

/// The cut: half, and two packets at least.
#[test]
fn a_cut_halves_the_window_of_its_path_to_two_packets_at_least() {
    for (window, cut) in [(8, 4), (3, 2)] {
        let mut script = Script::open_with(&registry(), &at_one_report(adjusted(window)), 2);
        script.send(window as usize * 2);
        script.sent();
        script.hear(&sack(0, &[2..=2]));
        assert_eq!(script.windows(), [cut, window]);
    }
}

// Timers.

/// TSN 1 moved to path 2, behind 8–12. The acknowledgement at 500 ms does not restart the timer of path 2, which runs for
/// TSN 8 since 100 ms: the lowest number there, and not the lowest TSN. In CMT it does.
#[test]
fn the_timer_of_a_path_runs_for_its_lowest_number() {
    let has_timed_out = |config: Config| {
        let mut script = Script::open_with(&registry(), &config, 2);
        script.send(12);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6", "-2> 7 8 9 10 11 12"]);
        script.wait_until(100);
        (2..=5).for_each(|highest| script.hear(&sack(0, &[2..=highest])));
        script.hear(&sack(0, &[2..=5, 7..=7]));
        assert_eq!(script.sent(), ["-2> 1"]);
        script.wait_until(500);
        script.hear(&sack(7, &[]));
        script.cuts();
        script.wait_until(1150);
        script.cuts() == [(path(1), CutCause::Timeout)]
    };
    assert!(has_timed_out(adjusted(6)));
    assert!(!has_timed_out(seeds(CmtRules::ALL, "window-regulated", 6)));
}

/// M-IPCC-3: T3 "reduces i only; marks i's outstanding; retransmits by policy".
#[test]
fn a_time_out_cuts_its_path_only_and_what_it_lost_goes_to_the_other() {
    let mut script = Script::open_with(&registry(), &adjusted(4), 2);
    script.send(8);
    script.sent();
    script.wait_until(100);
    script.hear(&sack(0, &[5..=8]));
    script.wait_until(1050);
    assert_eq!(script.sent_when(), ["1000 -2> 1", "1000 -2> 2", "1000 -2> 3", "1000 -2> 4"]);
    assert_eq!((script.cuts(), script.windows()), (vec![(path(0), CutCause::Timeout)], vec![1, 5]));
    assert_eq!(script.flights(), [0, 4]);
}

/// A path that works steadily does not postpone the time-out of another.
#[test]
fn acknowledgements_of_one_path_do_not_restart_the_timer_of_another() {
    let mut script = Script::open_with(&registry(), &adjusted(4), 2);
    script.send(40);
    assert_eq!(script.sent(), ["-1> 1 2 3 4", "-2> 5 6 7 8"]);
    for (at, answer) in [(300, sack(1, &[])), (600, sack(2, &[])), (900, sack(4, &[]))] {
        script.wait_until(at);
        script.hear(&answer);
    }
    script.sent();
    script.cuts();
    script.wait_until(1100);
    assert_eq!(script.cuts(), [(path(1), CutCause::Timeout)]);
}

// Placement (M-IPCC-5, M-IPCC-6).

#[test]
fn a_lost_chunk_waits_for_space_on_the_other_path() {
    let mut script = Script::open_with(&registry(), &at_one_report(adjusted(4)), 2);
    script.send(8);
    script.sent();
    script.hear(&sack(0, &[2..=2]));
    assert!(script.sent().is_empty(), "path 2 is full, and path 1 is not asked");
    script.hear(&sack(0, &[2..=2, 5..=5]));
    assert_eq!(script.sent(), ["-2> 1"]);
}

/// YE 6.5.1: new data on path 1, what it loses on path 2, and what that loses on path 1 again.
#[test]
fn in_retransmission_mode_only_what_was_lost_takes_the_second_path() {
    let config = Config { scheduler: "primary".into(), ..at_one_report(adjusted(4)) };
    let mut script = Script::open_with(&registry(), &config, 2);
    script.send(40);
    assert_eq!(script.sent(), ["-1> 1 2 3 4"]);
    script.hear(&sack(0, &[2..=2, 4..=4]));
    assert_eq!(script.sent(), ["-2> 1 3", "-1> 5 6"]);
    script.hear(&sack(0, &[2..=4]));
    assert!(script.sent().is_empty(), "3 left path 2 after it; path 1 is full");
    assert_eq!(script.cuts(), [(path(0), CutCause::Missing), (path(1), CutCause::Missing)]);
    script.hear(&sack(0, &[2..=5]));
    assert_eq!(script.sent(), ["-1> 1 7"]);
}

#[test]
fn the_first_path_with_room_takes_new_data() {
    let mut script = Script::open_with(&registry(), &adjusted(2), 2);
    script.send(40);
    assert_eq!(script.sent(), ["-1> 1 2", "-2> 3 4"]);
    script.hear(&sack(0, &[3..=3]));
    assert_eq!(script.sent(), ["-2> 5 6"]);
    script.hear(&sack(1, &[3..=4]));
    assert_eq!(script.sent(), ["-1> 7 8", "-2> 9 10"]);
}
