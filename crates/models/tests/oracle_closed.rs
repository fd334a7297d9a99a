//! The closed-form models against the tables of an independent implementation: `tests/oracle/models`.

mod table;

use anabranch_models::mptcp::{Blocking, Coupling, MptcpThroughput, Subflow, SubflowThroughput};
use anabranch_models::pftk::{PftkForm, PftkParameters};
use anabranch_models::renewal::{LossRule, RttRule};
use anabranch_models::square_root::{SquareRoot, SquareRootParameters};
use anabranch_models::{LimitedPath, Mptcp, PathParameters, Pftk, Renewal, ThroughputModel, TimeoutBounds};
use table::Row;

/// The difference allowed between the tables and ours, relative to the value.
const TOLERANCE: f64 = 1e-10;

/// Notes how `value` differs from column `column` of `row`.
fn compare(differences: &mut Vec<String>, row: &Row, column: &str, value: f64) {
    compare_within(differences, row, column, value, 0.0);
}

/// The same, with `rounding` that the table's own number may be off by.
fn compare_within(differences: &mut Vec<String>, row: &Row, column: &str, value: f64, rounding: f64) {
    let expected = row.number(column);
    let difference = (value - expected).abs();
    // NaN is never within.
    if !matches!(difference.partial_cmp(&(TOLERANCE * expected.abs() + rounding)), Some(o) if o.is_le()) {
        differences.push(format!("{row}: {column} is {value}"));
    }
}

fn refuse(differences: &[String]) {
    let first: Vec<&str> = differences.iter().take(10).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differences, such as\n{}", differences.len(), first.join("\n"));
}

fn renewal(row: &Row) -> Renewal {
    let loss_rule = match row.text("loss_rule") {
        "half" => LossRule::Half,
        "eq62" => LossRule::Printed62,
        "cond" => LossRule::Conditional,
        other => panic!("no loss rule: {other}"),
    };
    let rtt_rule = match row.text("rtt_rule") {
        "rounds" => RttRule::Rounds,
        "window" => RttRule::Window,
        "base" => RttRule::Base,
        other => panic!("no rule of round trips: {other}"),
    };
    Renewal { loss_rule, rtt_rule }
}

#[test]
fn every_row_of_the_renewal_table_is_met() {
    let mut differences = Vec::new();
    let rows = table::read("renewal.open.csv");
    for row in &rows {
        let timeout = TimeoutBounds { min: 0.0, max: row.number("rto_max_s") };
        let (rate, delay, loss) = (row.number("b_pps"), row.number("d_s"), row.number("p"));
        let path = PathParameters { rate, delay, loss, timeout };
        let limit = row.whole("wmax");
        let model = renewal(row);
        let carried = model.throughput(&[LimitedPath { path, limit }]).expect("in its domain");
        compare(&mut differences, row, "eta_pps", carried[0]);
        if row.text("W").is_empty() {
            assert!(model.period(&path, limit).is_err(), "{row}");
            continue;
        }
        let period = model.period(&path, limit).expect("in its domain");
        compare(&mut differences, row, "W", period.window);
        compare(&mut differences, row, "X", period.rounds);
        compare(&mut differences, row, "V", period.plateau);
        compare(&mut differences, row, "P_TO", period.timeout_probability);
        compare(&mut differences, row, "T_EB_s", period.backoff);
        // The table's E[L] by (62) is a difference of two numbers near p W, divided by p: it is off by W times the
        // last binary digit. `renewal/lost.rs` has the same quantity against 40 digits.
        let rounding =
            if model.loss_rule == LossRule::Printed62 { period.window * f64::EPSILON } else { 0.0 };
        compare_within(&mut differences, row, "EL", period.lost, rounding);
    }
    assert_eq!(rows.len(), 6405);
    refuse(&differences);
}

#[test]
fn every_row_of_the_pftk_table_is_met() {
    let mut differences = Vec::new();
    let rows = table::read("pftk.open.csv");
    for row in &rows {
        let (loss, round_trip) = (row.number("p"), row.number("rtt_s"));
        let (timeout, limit) = (row.number("t0_s"), row.whole("wmax"));
        let parameters = PftkParameters { loss, round_trip, timeout, limit };
        for (form, column) in [(PftkForm::Full, "full_pps"), (PftkForm::Simple, "simple_pps")] {
            let sent =
                Pftk { form, acks: row.whole("acks_b") }.send_rate(&parameters).expect("in its domain");
            compare(&mut differences, row, column, sent);
        }
        let law = SquareRoot::default().throughput(&SquareRootParameters { loss, round_trip });
        compare(&mut differences, row, "sqrt_rule_pps", law.expect("in its domain"));
    }
    assert_eq!(rows.len(), 429);
    refuse(&differences);
}

/// The connection of a row, with another reading than the adopted one.
fn connection(row: &Row, coupling: Coupling, blocking: Blocking) -> MptcpThroughput {
    let buffer = (row.text("buf_pkts") != "inf").then(|| row.whole("buf_pkts"));
    let model = Mptcp { acks: row.whole("acks_b"), coupling, blocking, buffer };
    let times = row.numbers("rtt_s").into_iter().zip(row.numbers("rto_s"));
    let subflows = row.numbers("p").into_iter().zip(times);
    let subflows = subflows.map(|(loss, (round_trip, timeout))| Subflow { loss, round_trip, timeout });
    model.solve(&subflows.collect::<Vec<_>>()).expect("in its domain")
}

/// Compares one value of each subflow with the numbers of a cell.
fn compare_each(
    differences: &mut Vec<String>,
    row: &Row,
    column: &str,
    solved: &MptcpThroughput,
    value: fn(&SubflowThroughput) -> f64,
) {
    let expected = row.numbers(column);
    assert_eq!(expected.len(), solved.subflows.len(), "{row}");
    for (expected, subflow) in expected.into_iter().zip(&solved.subflows) {
        let value = value(subflow);
        if !matches!((value / expected - 1.0).abs().partial_cmp(&TOLERANCE), Some(order) if order.is_le()) {
            differences.push(format!("{row}: {column} is {value}"));
        }
    }
}

#[test]
fn every_row_of_the_mptcp_table_is_met() {
    let mut differences = Vec::new();
    let rows = table::read("mptcp.open.csv");
    for row in &rows {
        let adopted = connection(row, Coupling::ClosedForm, Blocking::Adopted);
        assert_eq!(adopted.subflows.len(), row.whole("n") as usize);
        compare(&mut differences, row, "total_pps", adopted.total);
        compare_each(&mut differences, row, "subflow_pps", &adopted, |subflow| subflow.unblocked_rate);
        compare_each(&mut differences, row, "unblocked", &adopted, |subflow| subflow.unblocked);
        compare_each(&mut differences, row, "W", &adopted, |subflow| subflow.window);
        compare_each(&mut differences, row, "Q", &adopted, |subflow| subflow.timeout_probability);
        let printed = connection(row, Coupling::ClosedForm, Blocking::PrintedCombination);
        compare(&mut differences, row, "total_printed_combine", printed.total);
        let share = connection(row, Coupling::ClosedForm, Blocking::PrintedCombinationAndShare);
        compare(&mut differences, row, "total_printed_combine_and_share", share.total);
        let coupled = connection(row, Coupling::FixedPoint, Blocking::Adopted);
        compare(&mut differences, row, "total_fixed_point", coupled.total);
        compare_each(&mut differences, row, "W_fixed", &coupled, |subflow| subflow.window);
        compare_each(&mut differences, row, "m_fixed", &coupled, |subflow| subflow.growth);
        let paths = row.numbers("p").into_iter().zip(row.numbers("rtt_s"));
        let paths = paths.map(|(loss, round_trip)| SquareRootParameters { loss, round_trip });
        let best = SquareRoot::default().connection(&paths.collect::<Vec<_>>()).expect("in its domain");
        compare(&mut differences, row, "sqrt_rule_pps", best);
    }
    assert_eq!(rows.len(), 665);
    refuse(&differences);
}
