//! The faults of standard SCTP that spreads new data over two unequal paths, which CMT's rules avoid: false fast
//! retransmits, windows that grow by another path's chunks, growth and recovery that wait for the slower path
//! (M-SCTP-19). Each defect is one script under both rules; only [`Config::set_cmt`] differs.
//!
//! Windows count packets of 1,500 bytes; the profile is RFC 2960's, whose lost chunks go to another path.

use crate::pair::{End, Pair, path};
use crate::script::{FULL, PACKET, Script, sack, seeds};
use anabranch_base::{Duration, Time};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The same script under the standard's rules and under CMT's.
fn under_both<T>(run: impl Fn(CmtRules) -> T) -> [T; 2] {
    [CmtRules::NONE, CmtRules::ALL].map(run)
}

/// Each path is filled up to its window, `window` packets to begin with, before the next is used.
fn config(rules: CmtRules, window: u64) -> Config {
    seeds(rules, "fill", window)
}

/// An open association whose two paths have these delays, in milliseconds one way.
fn open(rules: CmtRules, window: u64, delays: [u64; 2]) -> Pair {
    let mut pair = Pair::open(config(rules, window), 2);
    for (pipe, delay) in pair.pipes.iter_mut().zip(delays) {
        pipe.delay = ms(delay);
    }
    pair.z.reads_at_once = true;
    pair
}

fn windows(pair: &mut Pair) -> [u64; 2] {
    [0, 1].map(|index| pair.path(End::A, index).cwnd.get() / PACKET)
}

fn fast_retransmits(pair: &mut Pair) -> u64 {
    [0, 1].map(|index| pair.at(End::A).path_counters(path(index)).fast_retransmits).iter().sum()
}

/// Returns the packets since `start`, `20 A -2> DATA -2> Z`, equal lines once with their number.
fn dialogue(pair: &mut Pair, start: Time) -> Vec<String> {
    let mut told: Vec<(String, usize)> = Vec::new();
    for line in pair.take_timed_log(start) {
        match told.last_mut().filter(|(last, _)| *last == line) {
            Some((_, times)) => *times += 1,
            None => told.push((line, 1)),
        }
    }
    told.into_iter().map(|(line, times)| format!("{line} ×{times}")).collect()
}

/// (a) Path 2 is four times faster. Eight packets, four on each; none is lost. The first arrivals tell the standard that
/// the other four are lost: they go again, and path 1's window is halved.
#[test]
fn a_faster_path_makes_the_standard_retransmit_what_is_not_lost() {
    let [plain, cmt] = under_both(|rules| {
        let mut pair = open(rules, 4, [40, 10]);
        let start = pair.now;
        pair.send_at_once(End::A, 8, FULL);
        pair.run_for(ms(35));
        let first_window = windows(&mut pair)[0];
        let dialogue = dialogue(&mut pair, start);
        pair.run_for(ms(1000));
        assert_eq!(pair.z.read.len(), 8);
        (dialogue, first_window, fast_retransmits(&mut pair))
    });
    let sent = ["0 A -1> DATA -1> Z ×4".to_owned(), "0 A -2> DATA -2> Z ×4".to_owned()];
    let plain_dialogue = ["10 Z -2> SACK -2> A ×4", "20 A -2> DATA -2> Z ×4", "30 Z -2> SACK -2> A ×4"];
    assert_eq!(plain.0[..2], sent);
    assert_eq!(plain.0[2..], plain_dialogue);
    assert_eq!((plain.1, plain.2), (2, 4));
    assert_eq!(cmt.0[..2], sent);
    assert_eq!(cmt.0[2..], ["10 Z -2> SACK -2> A ×2"]);
    assert_eq!((cmt.1, cmt.2), (4, 0));
}

/// (b) The copies of 1–4 are on path 2 when the originals arrive by path 1: the SACKs credit path 2, where the chunks went
/// last. It sends as if the copies had left it, and its window grows by what path 1 carried.
#[test]
fn originals_that_arrive_after_all_overfill_the_path_of_their_copies() {
    let [plain, cmt] = under_both(|rules| {
        let mut script = Script::open(config(rules, 4), 2);
        script.send(8);
        assert_eq!(script.sent(), ["-1> 1 2 3 4", "-2> 5 6 7 8"]);
        for highest in 5..=8 {
            script.hear(&sack(0, &[5..=highest]));
        }
        script.send(40);
        let window_before = script.windows()[1];
        for cumulative in [1, 2, 3, 8] {
            script.hear(&sack(cumulative, &[]));
        }
        // Whatever left for path 2 after TSN 8 is there still: nothing of it was acknowledged to have come that way.
        let on_two: usize =
            script.sent().iter().filter(|line| line.starts_with("-2>")).map(|line| tsns_in(line)).sum();
        (window_before, script.windows()[1], on_two, acked_packets(&mut script))
    });
    assert_eq!(plain, (4, 5, 9, [0, 8]), "nine packets on a path whose window is five");
    assert_eq!(cmt, (5, 5, 5, [4, 4]));
}

/// (c) TSN 1 is lost on path 1 and goes again on path 2. Until that arrives the cumulative TSN stands still: by the
/// standard's rules no window grows, not path 2's, which lost nothing, nor path 1's, which has delivered all the rest.
#[test]
fn no_window_grows_until_the_alternate_path_has_delivered() {
    let [plain, cmt] = under_both(|rules| {
        let mut script = Script::open(config(rules, 8), 2);
        script.send(16);
        assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6 7 8", "-2> 9 10 11 12 13 14 15 16"]);
        for highest in 2..=5 {
            script.hear(&sack(0, &[2..=highest]));
        }
        let mut windows = vec![script.windows()];
        script.hear(&sack(0, &[2..=5, 9..=9]));
        windows.push(script.windows());
        assert_eq!(script.sent(), ["-2> 1"]);
        script.send(40);
        for answer in [sack(0, &[2..=9]), sack(0, &[2..=10]), sack(16, &[])] {
            script.hear(&answer);
            windows.push(script.windows());
        }
        windows
    });
    assert_eq!(
        plain,
        [[4, 8], [4, 8], [4, 8], [4, 8], [4, 9]],
        "only the last SACK moves the cumulative TSN"
    );
    assert_eq!(cmt, [[4, 8], [4, 9], [5, 9], [5, 10], [5, 11]]);
}

/// The number of TSNs a line of [`Script::sent`] names.
fn tsns_in(line: &str) -> usize {
    line.split(' ').count() - 1
}

/// The packets of user data that each path is credited with.
fn acked_packets(script: &mut Script) -> [u64; 2] {
    let association = script.pair.at(End::A);
    [0, 1].map(|index| association.path_counters(path(index)).acked_bytes.get() / FULL as u64)
}
