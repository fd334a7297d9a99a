//! The golden examples G5 to G7, and single rules, from plain values.

use super::*;
use anabranch_sctp::policy::loss_detection::{AckedChunk, Hole, PathNews};
use anabranch_sctp::policy::testing::sacks::{acked, hole, news, sacked};

const THRESHOLD: u8 = 4;

fn sent(order: &mut IpccDetection, tsn: u32, path: usize, before: Option<usize>) {
    let before = before.map(|path| (PathId::from_index(path), 0));
    let path = PathId::from_index(path);
    if let Some((from, _)) = before.filter(|(from, _)| *from != path) {
        order.on_moved(Tsn::new(tsn), from, path);
    }
    order.on_sent(&DepartedChunk { tsn: Tsn::new(tsn), path, departure: 0, before });
}

fn marked(order: &mut IpccDetection, tsn: u32, path: usize, by: LostBy) {
    order.on_marked(Tsn::new(tsn), PathId::from_index(path), by);
}

/// TSN 20–23 on path 1, 24–27 on path 2, as in G5.
fn spread(rules: IpccRules) -> IpccDetection {
    let mut order = IpccDetection::new(rules, THRESHOLD);
    (20..24).for_each(|tsn| sent(&mut order, tsn, 0, None));
    (24..28).for_each(|tsn| sent(&mut order, tsn, 1, None));
    order
}

/// A SACK that newly acknowledges these TSNs, each last sent on the path beside it.
fn sack(cumulative: u32, highest: u32, chunks: &[(u32, usize)]) -> SackNews {
    let chunks = chunks.iter().map(|&(tsn, path)| acked(tsn, path)).collect();
    SackNews { paths: vec![PathNews::default(); 2], ..news(cumulative, highest, chunks, vec![]) }
}

fn advanced(order: &mut IpccDetection, mut sack: SackNews) -> Vec<bool> {
    sacked(order, &mut sack).advanced
}

/// Returns the missing reports of each chunk in flight on `path`.
fn reports(order: &mut IpccDetection, path: usize) -> Vec<(u32, u8)> {
    let mut found = Vec::new();
    order.paths[path]
        .records
        .each_below(Psn::new(u64::MAX), |record| found.push((record.tsn.get(), record.reports)));
    found
}

#[test]
fn g5_what_one_path_delivers_says_nothing_of_another() {
    let mut order = spread(IpccRules::DEFAULT);
    let path_two = (24..28).map(|tsn| (tsn, 1)).collect::<Vec<_>>();
    assert_eq!(advanced(&mut order, sack(19, 27, &path_two)), [false, true]);
    assert_eq!((order.cumulative(0), order.cumulative(1)), (0, 4));
    assert_eq!(reports(&mut order, 0), [(20, 0), (21, 0), (22, 0), (23, 0)]);
}

#[test]
fn g6_a_number_is_missing_when_a_higher_one_of_its_path_is_newly_acknowledged() {
    let mut order = spread(IpccRules::DEFAULT);
    advanced(&mut order, sack(19, 27, &[(24, 1), (25, 1), (26, 1), (27, 1)]));
    assert_eq!(advanced(&mut order, sack(20, 27, &[(20, 0), (22, 0)])), [true, false]);
    assert_eq!(order.cumulative(0), 1);
    assert_eq!(reports(&mut order, 0), [(21, 1), (23, 0)], "22 is in the gap block (3,3)");
}

#[test]
fn g7_the_number_of_a_chunk_that_moved_is_passed_at_once() {
    let moved = |rules| {
        let mut order = spread(rules);
        advanced(&mut order, sack(19, 27, &[(24, 1), (25, 1), (26, 1), (27, 1)]));
        advanced(&mut order, sack(20, 27, &[(20, 0), (22, 0)]));
        order.enter_recovery(PathId::FIRST, Tsn::new(0));
        marked(&mut order, 21, 0, LostBy::MissingReports);
        let while_marked = order.cumulative(0);
        sent(&mut order, 21, 1, Some(0));
        (while_marked, order)
    };
    let (while_marked, mut order) = moved(IpccRules::DEFAULT);
    assert_eq!((while_marked, order.cumulative(0)), (1, 3), "2 by the list, 3 by the fixpoint");
    assert_eq!(reports(&mut order, 1), [(21, 0)], "PSN 5 of path 2");
    assert!(order.is_in_recovery(PathId::FIRST), "PSN 4 was sent before the cut");
    assert_eq!(advanced(&mut order, sack(20, 27, &[(23, 0)])), [true, false]);
    assert!(!order.is_in_recovery(PathId::FIRST));

    let (_, mut order) = moved(IpccRules { adjustment: false });
    assert_eq!(order.cumulative(0), 1, "it waits for path 2");
    assert_eq!(advanced(&mut order, sack(20, 27, &[(23, 0)])), [false, false]);
    assert!(order.is_in_recovery(PathId::FIRST));
    assert_eq!(advanced(&mut order, sack(27, 27, &[(21, 1)])), [false, true], "path 2 delivered it");
    assert_eq!((order.cumulative(0), order.is_in_recovery(PathId::FIRST)), (4, false));
}

/// M-IPCC-3: "it exits at once when all losses were moved to another path".
#[test]
fn recovery_ends_with_the_last_loss_that_moves() {
    let mut order = spread(IpccRules::DEFAULT);
    order.enter_recovery(PathId::FIRST, Tsn::new(0));
    (20..24).for_each(|tsn| marked(&mut order, tsn, 0, LostBy::MissingReports));
    for tsn in 20..24 {
        assert!(order.is_in_recovery(PathId::FIRST));
        sent(&mut order, tsn, 1, Some(0));
    }
    assert!(!order.is_in_recovery(PathId::FIRST) && !order.is_in_recovery(PathId::from_index(1)));
}

/// It is sent again on its path, and nothing is acknowledged there in its place.
#[test]
fn a_chunk_that_stays_on_its_path_keeps_its_number() {
    let mut order = spread(IpccRules::DEFAULT);
    order.enter_recovery(PathId::FIRST, Tsn::new(0));
    marked(&mut order, 20, 0, LostBy::MissingReports);
    sent(&mut order, 20, 0, Some(0));
    assert_eq!(order.is_first_outstanding(PathId::FIRST, Tsn::new(20)), Some(true));
    advanced(&mut order, sack(19, 23, &[(21, 0), (22, 0), (23, 0)]));
    assert_eq!((order.cumulative(0), order.is_in_recovery(PathId::FIRST)), (0, true));
    assert_eq!(advanced(&mut order, sack(23, 23, &[(20, 0)])), [true, false]);
    assert_eq!((order.cumulative(0), order.is_in_recovery(PathId::FIRST)), (4, false));
}

/// `lost` on each path in turn, by the reports of four SACKs each.
#[test]
fn a_chunk_is_lost_by_missing_reports_once_on_each_path() {
    let mut order = IpccDetection::new(IpccRules::DEFAULT, THRESHOLD);
    let mut next = 2;
    sent(&mut order, 1, 0, None);
    let mut found = Vec::new();
    for path in [0, 1, 0, 0] {
        for _ in 0..THRESHOLD {
            sent(&mut order, next, path, None);
            let mut sack = sack(0, next, &[(next, path)]);
            found.extend(
                sacked(&mut order, &mut sack).missing.iter().map(|(tsn, at)| (tsn.get(), at.index())),
            );
            next += 1;
        }
        let by = if found.len() < 3 { LostBy::MissingReports } else { LostBy::Timeout };
        marked(&mut order, 1, path, by);
        sent(&mut order, 1, 1 - path, Some(path));
    }
    assert_eq!(found, [(1, 0), (1, 1)], "not again on the first path: that is left to the timer");
}

#[test]
fn a_time_out_resets_the_reports_and_ends_recovery() {
    let mut order = spread(IpccRules::DEFAULT);
    advanced(&mut order, sack(19, 23, &[(23, 0)]));
    order.enter_recovery(PathId::FIRST, Tsn::new(0));
    (20..23).for_each(|tsn| marked(&mut order, tsn, 0, LostBy::Timeout));
    order.on_timeout(PathId::FIRST);
    (20..23).for_each(|tsn| sent(&mut order, tsn, 0, Some(0)));
    assert!(!order.is_in_recovery(PathId::FIRST));
    assert_eq!(reports(&mut order, 0), [(20, 0), (21, 0), (22, 0)]);
}

/// Several ways back: an older SACK arrives late, then another like the first.
#[test]
fn what_a_late_sack_takes_back_is_outstanding_until_it_is_reported_again() {
    let mut order = spread(IpccRules::DEFAULT);
    advanced(&mut order, sack(19, 23, &[(22, 0), (23, 0)]));
    let reneged = |tsn| Hole { is_reneged: true, ..hole(tsn, 0, 0) };
    let late = SackNews { holes: vec![reneged(23)], ..sack(19, 22, &[]) };
    assert_eq!(advanced(&mut order, late), [false, false]);
    assert_eq!(reports(&mut order, 0), [(20, 1), (21, 1), (23, 0)]);
    let again = SackNews { acked_again: vec![Tsn::new(23)], ..sack(21, 23, &[(20, 0), (21, 0)]) };
    assert_eq!(advanced(&mut order, again), [true, false]);
    assert_eq!(order.cumulative(0), 4);
}

/// T3-rtx runs for the lowest number, not for the lowest TSN. TSN 20 was sent on path 2 last.
#[test]
fn the_timer_follows_the_lowest_number_of_the_path() {
    let mut order = spread(IpccRules::DEFAULT);
    marked(&mut order, 20, 0, LostBy::MissingReports);
    let moved =
        |order: &mut IpccDetection| order.on_moved(Tsn::new(20), PathId::FIRST, PathId::from_index(1));
    assert_eq!(moved(&mut order), Some(true), "the timer of path 1 ran for it");
    sent(&mut order, 20, 1, Some(1));
    assert_eq!(order.is_first_outstanding(PathId::from_index(1), Tsn::new(20)), Some(false));
    let mut restarts = |sack: SackNews| {
        let mut sack = sack;
        sacked(&mut order, &mut sack);
        [0, 1].map(|path| sack.paths[path].lowest)
    };
    assert_eq!(restarts(sack(20, 20, &[(20, 1)])), [false, false]);
    assert_eq!(restarts(sack(20, 24, &[(24, 1)])), [false, true]);
    assert_eq!(restarts(sack(22, 24, &[(21, 0), (22, 0)])), [true, false]);
}

/// A lying peer acknowledges what was never sent, and a SACK may name a path whose records are gone.
#[test]
fn what_was_never_sent_changes_nothing() {
    let mut order = spread(IpccRules::DEFAULT);
    assert_eq!(advanced(&mut order, sack(19, 99, &[(99, 1)])), [false, false]);
    order.remove_path(PathId::FIRST);
    assert_eq!(advanced(&mut order, sack(23, 23, &[(20, 0), (21, 0), (22, 0), (23, 0)])), [false, false]);
    sent(&mut order, 28, 1, None);
    assert_eq!(order.cumulative(1), 0);
}

/// With many gap blocks, the SACK says nothing of what is above the last one.
#[test]
fn a_sack_that_may_be_cut_short_reports_nothing_above_its_last_block() {
    let reports_of_27 = |blocks| {
        let mut order = spread(IpccRules::DEFAULT);
        marked(&mut order, 20, 0, LostBy::MissingReports);
        sent(&mut order, 20, 1, Some(0));
        advanced(&mut order, SackNews { blocks, ..sack(20, 20, &[(20, 1)]) });
        reports(&mut order, 1).last().copied()
    };
    assert_eq!([63, 64].map(reports_of_27), [Some((27, 1)), Some((27, 0))]);
}

/// Two copies of a chunk in flight: neither is evidence against what left before it.
#[test]
fn a_copy_is_no_evidence_of_loss() {
    let mut order = spread(IpccRules::DEFAULT);
    let copied = AckedChunk { was_copied: true, ..acked(23, 0) };
    advanced(&mut order, SackNews { acked: vec![copied], ..sack(19, 23, &[]) });
    assert_eq!(reports(&mut order, 0), [(20, 0), (21, 0), (22, 0)]);
}
