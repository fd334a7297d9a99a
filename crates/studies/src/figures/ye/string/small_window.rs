//! YE-F15: what the early retransmission in the idle period gains, over two hops (a) and three (b).

use super::super::super::claim::{Claim, Expression, Number, Weight};
use super::super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::super::results::{CurvePoints, Metric};
use super::super::super::verdict::Verdict;
use super::super::{at, claim, within};
use super::{StringChoice, StringRun, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F15",
    aliases: &[],
    about: "What the early retransmission in the idle period gains on the string",
    panels: &[
        PanelEntry {
            id: "YE-F15a",
            title: "small-window recovery over two hops",
            decided_by: DecidedBy::Panel("gain a"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "YE-F15b",
            title: "small-window recovery over three hops",
            decided_by: DecidedBy::Panel("gain b"),
            verdict: Verdict::Reproduced,
        },
    ],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        // The figure varies the recovery itself.
        let members = StringChoice::SENSITIVITY.into_iter().filter(|choice| !choice.has_recovery);
        Ok(members.map(|choice| (choice.name, record(scale, choice))).collect())
    },
    ns2: None,
};

const THRESHOLD: f64 = 256.0;
const THRESHOLDS: [f64; 2] = [20.0, THRESHOLD];
const WITH: &str = "with";
const WITHOUT: &str = "without";
/// A number of hops, its panels of totals and of the gain, and where the gain is to lie, in percent and in words.
type Hops = (usize, &'static str, &'static str, (f64, f64), &'static str);

const HOPS: [Hops; 2] = [
    (2, "a", "gain a", (10.0, 60.0), "10 to 60 % over two hops (stated 30)"),
    (3, "b", "gain b", (3.0, 40.0), "3 to 40 % over three hops (stated 15)"),
];

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let axis = Axis { label: "RTS threshold in bytes", spacing: Spacing::Even };
    let simulated = |(hops, name, ..): &Hops| {
        let curve = |name, has_recovery| {
            let run = |threshold: f64| {
                let base = StringRun { hops: *hops, window: 4, seconds: 30, ..choice.run() };
                let run = StringRun { threshold: threshold as u32, has_recovery, ..base };
                (threshold, run.into())
            };
            FigureCurve { name, points: THRESHOLDS.map(run).to_vec() }
        };
        Panel {
            name,
            title: format!("throughput of 30 s over {hops} hops"),
            axis,
            metric: Metric::Throughput,
            series: vec![curve(WITH, true), curve(WITHOUT, false)],
            seeds: seeds(scale),
            beside: &[],
        }
    };
    let gains = |(hops, of, name, ..): &Hops| {
        let gain = |threshold: f64| (threshold, ValueSource::Gain { of: (of, WITH), over: (of, WITHOUT) });
        Panel {
            name,
            title: format!("gain over {hops} hops, %"),
            axis,
            metric: Metric::Gain,
            series: vec![FigureCurve { name: WITH, points: THRESHOLDS.map(gain).to_vec() }],
            seeds: seeds(scale),
            beside: &[],
        }
    };
    let gain = |name| Number::Mean(vec![at((name, Metric::Gain), WITH, THRESHOLD)]);
    let timeouts =
        |panel, series| CurvePoints { panel, series, metric: Metric::Timeouts, x: vec![THRESHOLD] };
    let claims = |(_, of, gain_of, (least, most), stated): &Hops| {
        let fewer = Number::Difference(timeouts(of, WITH), timeouts(of, WITHOUT));
        [
            claim("C1", Weight::Core, "it gains", Expression::More(gain(gain_of), 0.0)),
            claim("C2", Weight::Core, stated, within(gain(gain_of), *least, *most)),
            claim("C3", Weight::Side, "fewer time-outs", Expression::Less(fewer, 0.0)),
        ]
        .map(|claim| Claim { panel: gain_of, ..claim })
    };
    Figure {
        id: "YE-F15",
        title: "small-window recovery over two hops and three",
        params: params(choice, "30 s, window 4; threshold 256, and 20 beside", seeds(scale)),
        panels: HOPS.iter().map(simulated).chain(HOPS.iter().map(gains)).collect(),
        claims: HOPS.iter().flat_map(claims).collect(),
    }
}
