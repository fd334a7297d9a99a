//! IY-F6: CMT beside AppStripe under losses, with a SACK for each packet.

use anabranch_comparisons::ns2::TableError;

use super::super::beside_ns2::Ns2Curves;
use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Figure, Panel};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::loss::{ratio, time, title};
use super::{APP, Acknowledge, CMT, DEFAULT, Experiment, OpenChoice, SENSITIVITY, both, edges, ns2, params};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "IY-F6",
    aliases: &[],
    about: "CMT and AppStripe under losses, with a SACK for each packet",
    panels: &[
        PanelEntry {
            id: "IY-F6a",
            title: "CMT_sc and AppStripe under losses of 0.1 %, a SACK for each packet",
            decided_by: DecidedBy::Panel("a"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "IY-F6b",
            title: "the same, 2 %",
            decided_by: DecidedBy::Panel("b"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "IY-F6c",
            title: "the same, 5 %",
            decided_by: DecidedBy::Panel("c"),
            verdict: Verdict::Inconclusive,
        },
    ],
    build: |scale| Ok(record(scale, DEFAULT)),
    sensitivity: |scale| Ok(SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into()),
    ns2: Some(ns2),
};

/// The panels: their letter, the probability of a loss, and the seeds of a point.
const PANELS: [(&str, f64, u64); 3] = [("a", 0.001, 30), ("b", 0.02, 30), ("c", 0.05, 30)];

/// The record.
fn record(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panel = |(name, loss, seeds): (&'static str, f64, u64)| -> Panel {
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Each);
        both(name, title(loss), experiment, scale.seeds(seeds))
    };
    Figure {
        id: "IY-F6",
        title: "CMT_sc and AppStripe under losses, a SACK for each packet",
        params: params(setting, "30 a point (quick: 5), the same for both schemes"),
        panels: PANELS.map(panel).into(),
        claims: PANELS.iter().flat_map(|(name, ..)| equal(name, scale)).collect(),
    }
}

/// ns-2's curves, with the losses of the panel.
fn ns2(panel: &str) -> Result<Ns2Curves, TableError> {
    match PANELS.iter().find(|(name, ..)| *name == panel) {
        Some((_, loss, _)) => ns2::transfers(["fig6-floor4", "fig6"], *loss, false),
        None => Ok(Vec::new()),
    }
}

fn equal(panel: &'static str, scale: StudyScale) -> [Claim; 2] {
    let t = |full| scale.tolerance(full);
    let all = || super::SPLITS.to_vec();
    [
        Claim {
            id: "C1",
            panel,
            weight: Weight::Core,
            stated: "CMT_sc is as fast everywhere (5 % at 90 % of the splits, 3 % on average)",
            expression: Expression::All(vec![
                Expression::Points {
                    test: PointTest::Near(CMT, APP, t(0.05)),
                    panel,
                    metric: Metric::Time,
                    x: all(),
                    share: 0.9,
                },
                Expression::Number {
                    number: Number::Deviation(time(panel, CMT, all()), time(panel, APP, all())),
                    range: (0.0, t(0.03)),
                    direction: (f64::INFINITY, f64::NEG_INFINITY),
                },
            ]),
        },
        Claim {
            id: "C2",
            panel,
            weight: Weight::Side,
            stated: "over one path it is no slower any more (5 %)",
            expression: Expression::Number {
                number: ratio(panel, CMT, APP, edges()),
                range: (1.0 - t(0.05), 1.0 + t(0.05)),
                direction: (f64::INFINITY, f64::NEG_INFINITY),
            },
        },
    ]
}
