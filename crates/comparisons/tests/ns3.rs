//! Our TCP beside ns-3's under random loss, a third of the rows with half the seeds: the quick version of the command.

use anabranch_comparisons::ns3::{GOAL, RowSelection, compare, lines, share};

#[test]
fn tcp_under_loss_carries_as_much_as_theirs() {
    let judged =
        compare(RowSelection { seeds: 2, every: 3, seconds: 150 }).unwrap_or_else(|error| panic!("{error}"));
    assert!(judged.len() >= 12, "{} rows", judged.len());
    assert!(share(&judged) >= GOAL, "{}", lines(&judged));
}
