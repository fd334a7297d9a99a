//! The part of each rule in the difference to ns-2's CMT module: the table of docs/oracle.md.

use std::fmt::Write;

use super::judgement::Judgement;
use super::point::Judged;
use super::tables::six_of_fig5;
use super::{Ns2Error, judge};

/// The points of the table: the two splits of `fig5`, and the three probabilities of loss of each.
const SPLITS: [&str; 2] = ["20+20", "38+2"];
const LOSSES: [f64; 3] = [0.02, 0.05, 0.1];

/// The rules in short, in their order.
const RULES: [&str; 8] = [
    "windows grow in recovery, and a loss above the recover point cuts again",
    "a path's lowest chunk stays the lost one until its repair is acknowledged",
    "a cut may raise a window, and cuts other paths that wait with lost chunks",
    "every path with a chunk waiting for fast retransmit has an exemption",
    "idle decay runs with data in flight, and lifts windows below 4 MTU",
    "DAC: cumulative acks make no SACK mixed, SACKs by the timer count nothing",
    "building a packet for one path makes the next lost chunk's path search anew",
    "T3-rtx restarts, Max.Burst for good, chunks acknowledged twice, RTT samples",
];

/// The table, as Markdown: ours to theirs, with ns-2's rules added one by one, at `seeds` seeds of ours a point.
///
/// # Errors
/// A table that cannot be read, or a point that cannot be run.
pub(crate) fn by_rule(seeds: u64) -> Result<String, Ns2Error> {
    let heads = SPLITS.map(|split| format!("{split}, loss 2, 5, 10 %"));
    let mut page = format!("| ns-2's rules, added one by one | {} |\n|---|---|---|\n", heads.join(" | "));
    for count in 0..=RULES.len() {
        let rules: Vec<u32> = (1..).take(count).collect();
        let points = judge(six_of_fig5(&rules)?, seeds)?;
        let cells = SPLITS.map(|split| LOSSES.map(|loss| ratio(&points, &label(split, loss))).join(", "));
        let name = match count.checked_sub(1) {
            None => "none: ours".to_owned(),
            Some(last) => format!("{count} {}", RULES[last]),
        };
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    Ok(page)
}

/// A point of CMT as the tables call it.
fn label(split: &str, loss: f64) -> String {
    format!("CMT {split}, loss {loss}")
}

/// Ours to theirs at a point, with its standard error.
fn ratio(points: &[Judged], label: &str) -> String {
    let point = points.iter().find(|judged| judged.point.label == label);
    point.and_then(|judged| with_error(&judged.judgement)).unwrap_or_else(|| "–".to_owned())
}

fn with_error(judgement: &Judgement) -> Option<String> {
    let (ratio, ours) = (judgement.ratio()?, judgement.ours?);
    let error = ours.combined_error(&judgement.theirs) / judgement.theirs.mean;
    Some(format!("{ratio:.3} ± {error:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theirs_has_a_hundred_seeds_of_each_point_of_the_table() {
        let points = six_of_fig5(&[1, 2]).expect("the table is there");
        for label in SPLITS.map(|split| LOSSES.map(|loss| label(split, loss))).concat() {
            let point = points.iter().find(|point| point.label == label);
            let point = point.unwrap_or_else(|| panic!("no point {label:?}"));
            assert_eq!(point.theirs.len(), 100, "{label}");
            assert!(point.scenario.contains("ns2_rules = [1, 2]"), "{}", point.scenario);
        }
    }
}
