//! Ours beside ns-2's CMT module, a choice of points with half the seeds: the quick version of `make oracle`. It
//! judges by the
//! same rule; fewer seeds make wider intervals, so that it finds less. docs/oracle.md has the full one.

use anabranch_comparisons::ns2::{
    Difference, HoldingShare, Judged, PointVerdict, Selection, Set, compare, outside,
};

/// Each `every`-th point of a set, ten seeds each.
fn points(set: Set, every: usize) -> Vec<Judged> {
    let selection = Selection { figures: Vec::new(), seeds: 10, every, rules: Vec::new() };
    compare(set, &selection).unwrap_or_else(|error| panic!("{error}"))
}

/// As large a share of the points holds as in the full comparison, less a little for randomness; and every point
/// outside is one that a named difference affects, or one that was outside, unexplained, in the full comparison too.
fn judge(set: Set, every: usize, share_before: f64, unexplained: &[&str]) {
    let points = points(set, every);
    let share = HoldingShare::of(&points);
    assert!(share.counted >= 12, "{share} are too few");
    assert!(share.value() > share_before - 0.1, "{share}\n{}", outside(&points));
    let new: Vec<Judged> = points
        .into_iter()
        .filter(|judged| judged.point.is_counted && judged.judgement.verdict != PointVerdict::Holds)
        .filter(|judged| Difference::reaching(&judged.point).is_none())
        .filter(|judged| !unexplained.contains(&judged.point.label.as_str()))
        .collect();
    assert!(new.is_empty(), "not outside before:\n{}", outside(&new));
}

#[test]
fn transfers_by_cmt_and_appstripe_take_as_long_as_theirs() {
    judge(Set::A, 5, 0.87, &[]);
}

#[test]
fn transfers_with_each_retransmission_policy_take_as_long_as_theirs() {
    let unexplained = [
        "CMT 10+30, loss 0.02, Cwnd",
        "CMT 38+2, loss 0.02, Ssthresh",
        "CMT 38+2, loss 0.05, Cwnd",
        "CMT 38+2, loss 0.01 and 0.05, Cwnd",
    ];
    judge(Set::ARtx, 3, 0.59, &unexplained);
}

/// With the recovery of ns-2 in place of ours, nearly all points of CMT hold.
#[test]
fn with_the_recovery_of_ns2_every_retransmission_policy_takes_as_long_as_there() {
    for (set, every) in [(Set::A, 7), (Set::ARtx, 3)] {
        let selection = Selection { figures: Vec::new(), seeds: 10, every, rules: vec![1, 2] };
        let points = compare(set, &selection).unwrap_or_else(|error| panic!("{error}"));
        let share = HoldingShare::of(&points);
        assert!(share.counted >= 12 && share.value() >= 0.95, "{set:?} {share}\n{}", outside(&points));
    }
}

#[test]
fn transfers_over_chains_of_lossy_links_take_as_long_as_theirs() {
    judge(Set::C, 6, 0.98, &["A, plain-cmt-rwnd1M, middle loss 0.06"]);
}

#[test]
fn standard_sctp_carries_as_much_as_theirs() {
    judge(Set::B, 6, 0.97, &["p 0.001, 21 Mbit/s, 40 ms, 32 KiB"]);
}

#[test]
fn a_shared_buffer_lets_through_as_much_as_theirs() {
    let unexplained = [
        "10@20 loss 0.001 + 10@100 loss 0.05, 32 KiB, queue 50, Same",
        "10@20 loss 0 + 10@100 loss 0, 128 KiB, queue 1000, Cwnd",
        "10@20 loss 0 + 10@100 loss 0, 256 KiB, queue 50, Cwnd",
        "10@20 loss 0 + 1@20 loss 0, 128 KiB, queue 50, Cwnd",
        "10@20 loss 0 + 1@100 loss 0, 128 KiB, queue 50, Same",
    ];
    judge(Set::D, 6, 0.89, &unexplained);
}

/// Two equal lossless paths: nothing is random, and the two simulators agree to less than a part in a thousand where
/// every packet is acknowledged at once.
#[test]
fn without_loss_and_delay_of_sacks_the_two_agree_to_a_part_in_a_thousand() {
    let selection = Selection { figures: vec!["fig4".to_owned()], seeds: 1, every: 1, rules: Vec::new() };
    let points = compare(Set::A, &selection).unwrap_or_else(|error| panic!("{error}"));
    let equal: Vec<&Judged> = points
        .iter()
        .filter(|judged| judged.point.label.contains("20+20") && judged.point.label.contains("every SACK"))
        .collect();
    assert_eq!(equal.len(), 6, "CMT and AppStripe, three thresholds");
    for judged in equal {
        assert_eq!(judged.judgement.verdict, PointVerdict::Holds);
        let ratio = judged.judgement.ratio().expect("it ended");
        assert!((ratio - 1.0).abs() < 0.001, "{}: {ratio}", judged.point.label);
    }
}
