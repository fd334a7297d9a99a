//! YE-F30: how likely a window loses so many packets that its sender has to take the losses for congestion.

use anabranch_models::more_lost_than;

use super::super::FigureError;
use super::super::claim::{Claim, Expression, NOWHERE, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Origin, Panel, Spacing, ValueSource};
use super::super::results::{CurvePoints, Metric};
use super::super::verdict::Verdict;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F30",
    aliases: &[],
    about: "The probability that a window loses more than four packets",
    panels: &[PanelEntry {
        id: "YE-F30",
        title: "the probability that a window loses more than four packets",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |_| record(),
    sensitivity: |_| Ok(Vec::new()),
    ns2: None,
};

/// p.
const LOSS: f64 = 0.02;

/// More than so many losses.
const FEW: u32 = 4;

const MILLION: f64 = 1e6;

/// Windows in packets, and of a million of each how many lose more than four: the binomial tail in exact fractions,
/// computed apart from the model.
const EXACT: [(u32, f64); 10] = [
    (10, 0.741_464_037_109_8),
    (20, 38.590_903_243_27),
    (30, 300.330_579_366_5),
    (40, 1_175.192_454_529),
    (50, 3_209.742_026_079),
    (60, 7_024.641_409_398),
    (70, 13_229.809_582_57),
    (80, 22_355.443_148_61),
    (90, 34_805.059_201_75),
    (100, 50_830.445_369_50),
];

/// The printed values: a window, the number of a million, and half of the last printed digit.
const PRINTED: [(u32, f64, f64); 8] = [
    (10, 0.74, 0.005),
    (20, 40.0, 5.0),
    (30, 300.0, 5.0),
    (40, 1_180.0, 5.0),
    (50, 3_210.0, 5.0),
    (60, 7_020.0, 5.0),
    (80, 22_400.0, 50.0),
    (100, 50_800.0, 50.0),
];

/// The series' names.
const TAIL: &str = "binomial tail";
const REFERENCE: &str = "in exact fractions";

const PANEL: &str = "F30";

/// The record.
///
/// # Errors
/// A model without an answer.
fn record() -> Result<Figure, FigureError> {
    let computed = |window: u32| {
        let tail = more_lost_than(FEW, window, LOSS)?;
        Ok((f64::from(window), ValueSource::Given(Origin::Model, vec![tail * MILLION])))
    };
    let computed = EXACT.iter().map(|(window, _)| computed(*window)).collect::<Result<_, FigureError>>()?;
    let exact = EXACT
        .iter()
        .map(|(window, value)| (f64::from(*window), ValueSource::Given(Origin::Model, vec![*value])));
    let panel = Panel {
        name: PANEL,
        title: "windows that lose more than four of their packets".to_owned(),
        axis: Axis { label: "window in packets", spacing: Spacing::Even },
        metric: Metric::LossyWindows,
        series: vec![
            FigureCurve { name: TAIL, points: computed },
            FigureCurve { name: REFERENCE, points: exact.collect() },
        ],
        seeds: 1,
        beside: &[],
    };
    Ok(Figure {
        id: "YE-F30",
        title: "how likely a window loses more than four packets",
        params: vec![
            ("losses", "each packet for itself, 2 % (M-MOD-10)".to_owned()),
            ("reference", "the same tail in exact fractions, computed by another program".to_owned()),
        ],
        panels: vec![panel],
        claims: claims(),
    })
}

/// The tolerances: a part in a million of the values of another implementation, 1 % of printed values.
fn claims() -> Vec<Claim> {
    let at = |window: u32| CurvePoints {
        panel: PANEL,
        series: TAIL,
        metric: Metric::LossyWindows,
        x: vec![f64::from(window)],
    };
    let near = |(window, printed, half): &(u32, f64, f64)| {
        let off = 0.01 * printed + half;
        Expression::Number {
            number: Number::Mean(vec![at(*window)]),
            range: (printed - off, printed + off),
            direction: NOWHERE,
        }
    };
    let of = |id, weight, stated, expression| Claim { id, panel: PANEL, weight, stated, expression };
    vec![
        of(
            "C1",
            Weight::Core,
            "very unlikely up to 60 packets: with 60, fewer than one window in a hundred",
            Expression::Less(Number::Mean(vec![at(60)]), 0.01 * MILLION),
        ),
        of(
            "C1'",
            Weight::Sanity,
            "two implementations agree to a part in a million",
            Expression::Points {
                test: PointTest::Near(TAIL, REFERENCE, 1e-6),
                panel: PANEL,
                metric: Metric::LossyWindows,
                x: EXACT.iter().map(|(window, _)| f64::from(*window)).collect(),
                share: 1.0,
            },
        ),
        of(
            "C1''",
            Weight::Sanity,
            "the values are the printed ones, within 1 % and the last printed digit",
            Expression::All(PRINTED.iter().map(near).collect()),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_tail_of_pascals_triangle() {
        for (window, expected) in EXACT {
            // Row by row: how likely so many of the first packets are lost, without a factorial.
            let mut lost = vec![1.0];
            for _ in 0..window {
                let through = lost.iter().map(|chance| chance * (1.0 - LOSS)).chain([0.0]);
                let also = [0.0].into_iter().chain(lost.iter().map(|chance| chance * LOSS));
                lost = through.zip(also).map(|(through, also)| through + also).collect();
            }
            let tail = lost[FEW as usize + 1..].iter().rev().sum::<f64>() * MILLION;
            assert!((tail / expected - 1.0).abs() < 1e-12, "{window}: {tail} and {expected}");
        }
    }
}
