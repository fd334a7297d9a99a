//! The Markov model against the table of an independent implementation.

use anabranch_models::{Halving, Markov, ModelError, PathParameters, RoundLoss, TimeoutBounds, WindowModel};

/// As tests/oracle/models/README.md says: the table has 15 digits, and sums in another order cost some of them.
const TOLERANCE: f64 = 1e-10;

/// The table computes time-outs as differences of sums of about 1 in doubles, which leaves no digits to the rarest: below one
/// in thirty years it has 0 and negative rates. There an absolute error is allowed that is below its own. That ours are
/// right is held by the comparison with the chain state by state.
const RARE: f64 = 1e-9;
const RARE_ERROR: f64 = 1e-19;

/// A row: one limit of one path, and its four rates where the table has them.
struct Row {
    markov: Markov,
    path: PathParameters,
    limit: u32,
    rates: [Option<f64>; 4],
}

fn rows() -> Vec<Row> {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/models/markov.open.csv");
    let mut table = csv::Reader::from_path(table).expect("the table is there");
    table.records().map(|record| row(&record.expect("a row is a row"))).collect()
}

/// Columns: loss, halving, wmax, p, b_pps, d_s, rto_max_s, rto_min_s, eta_pps, sent_pps, backoff_entries_per_s,
/// fast_retransmits_per_s.
fn row(record: &csv::StringRecord) -> Row {
    let number = |column: usize| record[column].parse::<f64>().expect("a number");
    let rate = |column: usize| (!record[column].is_empty()).then(|| number(column));
    let loss = if &record[0] == "indep" { RoundLoss::Independent } else { RoundLoss::Correlated };
    let halving = if &record[1] == "ceil" { Halving::Ceil } else { Halving::Floor };
    let timeout = TimeoutBounds { min: number(7), max: number(6) };
    Row {
        markov: Markov { loss, halving },
        path: PathParameters { rate: number(4), delay: number(5), loss: number(3), timeout },
        limit: record[2].parse().expect("a limit"),
        rates: [rate(8), rate(9), rate(10), rate(11)],
    }
}

fn error(ours: f64, theirs: f64) -> f64 {
    if ours == theirs || (theirs < RARE && (ours - theirs).abs() < RARE_ERROR) {
        0.0
    } else {
        (ours - theirs).abs() / theirs.abs()
    }
}

#[test]
fn every_row_of_the_table_comes_out_in_all_its_rates() -> Result<(), ModelError> {
    let (mut worst, mut compared) = (0.0_f64, 0);
    for Row { markov, path, limit, rates } in rows() {
        let ours = markov.rates(&path, limit)?;
        let ours = [ours.delivered, ours.sent, ours.timeouts, ours.fast_retransmits];
        for (column, (ours, theirs)) in ours.into_iter().zip(rates).enumerate() {
            let Some(theirs) = theirs else { continue };
            let error = error(ours, theirs);
            assert!(error < TOLERANCE, "{markov:?} {path:?} {limit}, rate {column}: {ours} for {theirs}");
            worst = worst.max(error);
            compared += 1;
        }
    }
    assert!(compared > 15_000, "{compared} rates");
    println!("{compared} rates, the worst off by {worst:e}");
    Ok(())
}

#[test]
fn the_curve_has_the_same_values_as_its_limits_alone() -> Result<(), ModelError> {
    for Row { markov, path, limit, rates } in rows().into_iter().step_by(7) {
        let curve = markov.curve(&path, limit + 3)?;
        assert_eq!(curve.len(), limit as usize + 3);
        let theirs = rates[0].expect("every row has its throughput");
        let ours = curve[limit as usize - 1];
        assert!(error(ours, theirs) < TOLERANCE, "{markov:?} {path:?} {limit}: {ours} for {theirs}");
        let all = markov.rates_curve(&path, limit + 3)?;
        assert!(all.iter().zip(&curve).all(|(all, curve)| error(all.delivered, *curve) < 1e-13));
    }
    Ok(())
}
