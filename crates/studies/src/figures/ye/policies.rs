//! YE-F25, with YE-T1: half of the window after a mark beside the least window that keeps the queue.

use super::super::claim::{Claim, Expression, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Origin, Panel, Spacing, ValueSource};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{EcnChoice, EcnRun, claim, everywhere, panel, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F25",
    aliases: &["YE-T1"],
    about: "Half of the window after a mark beside the least one that keeps the link full, with table 1",
    panels: &[
        PanelEntry {
            id: "YE-T1",
            title: "thresholds and windows by the bottleneck's delay",
            decided_by: DecidedBy::Claims(&["C0"]),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "YE-F25",
            title: "half of the window after a mark beside BDP + MTU",
            decided_by: DecidedBy::Claims(&["C1"]),
            verdict: Verdict::Reproduced,
        },
    ],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// YE-T1: the bottleneck's delay in ms, the round trip in ms, the least threshold of R4, and the window BDP + MTU in
/// bytes, also as a scenario has it.
const TABLE: [(u32, f64, u32, f64, &str); 6] = [
    (5, 49.6, 9, 13_900.0, "13900 B"),
    (10, 59.6, 10, 16_400.0, "16400 B"),
    (20, 79.6, 14, 21_400.0, "21400 B"),
    (30, 99.6, 17, 26_400.0, "26400 B"),
    (40, 119.6, 20, 31_400.0, "31400 B"),
    (50, 139.6, 24, 36_400.0, "36400 B"),
];

/// The bottleneck's rate in bit/s, and a packet in bytes.
const RATE: f64 = 2e6;
const PACKET: f64 = 1_500.0;

const HALF: &str = "cwnd/2";
const OPTIMUM: &str = "BDP + MTU";
const RULE: &str = "by the rule";
const STATED: &str = "stated";
const GOODPUT: (&str, Metric) = ("goodput", Metric::GoodputPackets);
const THRESHOLDS: (&str, Metric) = ("T1 thresholds", Metric::Packets);
const WINDOWS: (&str, Metric) = ("T1 windows", Metric::Bytes);

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let half = |row: &(u32, f64, u32, f64, &'static str)| {
        (row.1, EcnRun { delay_ms: row.0, least: row.2, ..choice.run() })
    };
    let fixed = |row: &(u32, f64, u32, f64, &'static str)| {
        (row.1, EcnRun { delay_ms: row.0, least: row.2, window: Some(row.4), ..choice.run() })
    };
    let curves = vec![(HALF, TABLE.iter().map(half).collect()), (OPTIMUM, TABLE.iter().map(fixed).collect())];
    let title = "packets received in the last two minutes";
    let tables = [
        table(THRESHOLDS, "least threshold of R4 in packets", |row| (threshold(row.1), f64::from(row.2))),
        table(WINDOWS, "BDP + MTU in bytes", |row| (optimum(row.1), row.3)),
    ];
    let goodput = panel("goodput", title, "round trip in ms", GOODPUT.1, curves, scale);
    Figure {
        id: "YE-F25",
        title: "half of the window after a mark beside BDP + MTU (with YE-T1)",
        params: params(choice, seeds(scale)),
        panels: tables.into_iter().chain([goodput]).collect(),
        claims: claims_of_two(),
    }
}

/// YE Eq (8): the least threshold with which half of the window is about [`optimum`].
fn threshold(round_trip_ms: f64) -> f64 {
    (round_trip_ms / 1e3 * RATE / (8.0 * PACKET)).ceil()
}

/// YE Eq (1): the least window that keeps the bottleneck's queue from running empty.
fn optimum(round_trip_ms: f64) -> f64 {
    round_trip_ms / 1e3 * RATE / 8.0 + PACKET
}

/// A panel of what a rule gives and what the thesis prints.
fn table(
    (name, metric): (&'static str, Metric),
    title: &str,
    values: impl Fn(&(u32, f64, u32, f64, &'static str)) -> (f64, f64),
) -> Panel {
    let points = |origin, pick: &dyn Fn((f64, f64)) -> f64| {
        TABLE.iter().map(|row| (row.1, ValueSource::Given(origin, vec![pick(values(row))]))).collect()
    };
    Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: "round trip in ms", spacing: Spacing::Even },
        metric,
        series: vec![
            FigureCurve { name: RULE, points: points(Origin::Model, &|both| both.0) },
            FigureCurve { name: STATED, points: points(Origin::Paper, &|both| both.1) },
        ],
        seeds: 1,
        beside: &[],
    }
}

fn claims_of_two() -> Vec<Claim> {
    let x = TABLE.map(|row| row.1);
    // A sum of decimals is exact to some 10⁻¹⁶.
    let equal = |of| everywhere(PointTest::Near(RULE, STATED, 1e-12), of, &x);
    let full = |series| everywhere(PointTest::Within(series, 19_700.0, f64::INFINITY), GOODPUT, &x);
    vec![
        claim(
            "C0",
            Weight::Core,
            "the table's thresholds and windows follow from the round trips",
            Expression::All(vec![equal(THRESHOLDS), equal(WINDOWS)]),
        ),
        claim(
            "C1",
            Weight::Core,
            "both are very close (1.5 %)",
            everywhere(PointTest::Near(HALF, OPTIMUM, 0.015), GOODPUT, &x),
        ),
        claim(
            "C2",
            Weight::Side,
            "half of the window is at times slightly lower, and not higher (0.2 %)",
            everywhere(PointTest::Le(HALF, OPTIMUM, 0.002), GOODPUT, &x),
        ),
        claim(
            "C3",
            Weight::Side,
            "both use 98.5 % of the link at least",
            Expression::All(vec![full(HALF), full(OPTIMUM)]),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_g14_thresholds_and_windows_follow_from_round_trips() {
        let thresholds = TABLE.map(|row| threshold(row.1));
        assert_eq!(thresholds, [9.0, 10.0, 14.0, 17.0, 20.0, 24.0]);
        assert_eq!(TABLE.map(|row| optimum(row.1).round()), TABLE.map(|row| row.3));
    }
}
