//! Ours beside ns-2's CMT module, a choice of points with few seeds: the quick version of `make oracle`. It judges by the
//! same rule; few seeds make wide intervals, so that it finds less. docs/oracle.md has the full one.

use anabranch_studies::ns2::{Difference, Judged, Selection, Set, Share, Verdict, compare, outside};

/// Every so many points of a set, four seeds each.
fn points(set: Set, every: usize) -> Vec<Judged> {
    let selection = Selection { figures: Vec::new(), seeds: 4, every };
    compare(set, &selection).unwrap_or_else(|error| panic!("{error}"))
}

/// So large a share of the points holds as did in the full comparison, a little left to chance; and hardly a point is
/// outside that no named difference reaches.
fn judge(set: Set, every: usize, share_before: f64) {
    let points = points(set, every);
    let share = Share::of(&points);
    assert!(share.value() > share_before - 0.1, "{share}\n{}", outside(&points));
    let rest = Share::of(points.iter().filter(|judged| Difference::reaching(&judged.point).is_none()));
    assert!(rest.counted >= 8, "{rest} are too few");
    assert!(rest.counted - rest.holding <= 1 + rest.counted / 20, "{rest}\n{}", outside(&points));
}

#[test]
fn transfers_by_cmt_and_appstripe_take_as_long_as_theirs() {
    judge(Set::A, 5, 0.87);
}

#[test]
fn transfers_with_each_retransmission_policy_take_as_long_as_theirs() {
    judge(Set::ARtx, 3, 0.59);
}

#[test]
fn standard_sctp_carries_as_much_as_theirs() {
    judge(Set::B, 6, 0.97);
}

#[test]
fn a_shared_buffer_lets_through_as_much_as_theirs() {
    judge(Set::D, 6, 0.94);
}

/// Two equal lossless paths: nothing is left to chance, and the two simulators agree to less than a part in a thousand
/// where every packet is acknowledged at once.
#[test]
fn without_loss_and_delay_of_sacks_the_two_agree_to_a_part_in_a_thousand() {
    let selection = Selection { figures: vec!["fig4".to_owned()], seeds: 1, every: 1 };
    let points = compare(Set::A, &selection).unwrap_or_else(|error| panic!("{error}"));
    let equal: Vec<&Judged> = points
        .iter()
        .filter(|judged| judged.point.label.contains("20+20") && judged.point.label.contains("every SACK"))
        .collect();
    assert_eq!(equal.len(), 6, "CMT and AppStripe, three thresholds");
    for judged in equal {
        assert_eq!(judged.judgement.verdict, Verdict::Holds);
        let ratio = judged.judgement.ratio().expect("it came to an end");
        assert!((ratio - 1.0).abs() < 0.001, "{}: {ratio}", judged.point.label);
    }
}
