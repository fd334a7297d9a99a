//! IY-F5: CMT beside AppStripe under losses, with delayed SACKs.

use anabranch_comparisons::ns2::TableError;

use super::super::beside_ns2::Ns2Curves;
use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Figure, FigureCurve};
use super::super::results::{CurvePoints, Metric};
use super::super::verdict::Verdict;
use super::loss::{ratio, time, title};
use super::{
    APP, Acknowledge, CMT, DEFAULT, Experiment, OpenChoice, SENSITIVITY, SendingScheme, WITHOUT_DAC,
    beside_the_edges, both, centre, edges, interior, ns2, params,
};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "IY-F5",
    aliases: &[],
    about: "CMT and AppStripe under losses",
    panels: &[
        PanelEntry {
            id: "IY-F5a",
            title: "CMT_scd and AppStripe under losses of 0.1 %, delayed SACKs",
            decided_by: DecidedBy::Panel("a"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "IY-F5b",
            title: "the same, 2 %",
            decided_by: DecidedBy::Panel("b"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "IY-F5c",
            title: "the same, 5 %",
            decided_by: DecidedBy::Panel("c"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "IY-F5d",
            title: "the same, 10 %",
            decided_by: DecidedBy::Panel("d"),
            verdict: Verdict::NotReproduced,
        },
    ],
    build: |scale| Ok(record(scale, DEFAULT)),
    sensitivity: |scale| Ok(SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into()),
    ns2: Some(ns2),
};

/// The panels: their letter, the probability of a loss, and the seeds of a point. At 10 %, time-outs spread the results
/// widely.
const PANELS: [(&str, f64, u64); 4] = [("a", 0.001, 30), ("b", 0.02, 30), ("c", 0.05, 30), ("d", 0.1, 60)];

/// The record.
fn record(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panels = PANELS.map(|(name, loss, seeds)| {
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Delayed);
        let mut panel = both(name, title(loss), experiment, scale.seeds(seeds));
        // Over one path CMT_scd and standard SCTP should differ by DAC alone: without it they are to coincide.
        let points = experiment.points(SendingScheme::WithoutDac, &edges());
        panel.series.push(FigureCurve { name: WITHOUT_DAC, points });
        panel
    });
    let mut claims: Vec<Claim> =
        PANELS.iter().flat_map(|(name, loss, _)| of_panel(name, *loss, scale)).collect();
    claims.push(Claim {
        id: "C2",
        panel: "",
        weight: Weight::Side,
        stated: "CMT's handicap over one path does not shrink with loss",
        expression: Expression::Rising(
            PANELS.iter().map(|(name, ..)| ratio(name, CMT, APP, edges())).collect(),
        ),
    });
    Figure {
        id: "IY-F5",
        title: "CMT_scd and AppStripe under losses, delayed SACKs",
        params: params(setting, "30 a point, 60 at 10 % (quick: 5), the same for both schemes"),
        panels: panels.into(),
        claims,
    }
}

/// ns-2's curves, with the losses of the panel.
fn ns2(panel: &str) -> Result<Ns2Curves, TableError> {
    match PANELS.iter().find(|(name, ..)| *name == panel) {
        Some((_, loss, _)) => ns2::transfers(["fig5-floor4", "fig5"], *loss, true),
        None => Ok(Vec::new()),
    }
}

fn of_panel(panel: &'static str, loss: f64, scale: StudyScale) -> Vec<Claim> {
    let is_lossy = loss >= 0.02;
    let mut claims = vec![
        Claim {
            id: "C1",
            panel,
            weight: if is_lossy { Weight::Core } else { Weight::Side },
            stated: "over one path CMT is slower",
            expression: Expression::More(ratio(panel, CMT, APP, edges()), 1.0),
        },
        Claim {
            id: "C3",
            panel,
            weight: Weight::Core,
            stated: if is_lossy {
                "over two paths CMT is equal or better (3 %, at 95 % of the splits) and faster on the whole"
            } else {
                "over two paths CMT is equal or better (3 %, at 95 % of the splits)"
            },
            expression: equal_or_better(panel, is_lossy, scale),
        },
        Claim {
            id: "C4",
            panel,
            weight: if is_lossy { Weight::Core } else { Weight::Side },
            stated: "AppStripe over one path takes about twice as long as over equal paths (1.6 to 2.6)",
            expression: Expression::Number {
                number: Number::Ratio(time(panel, APP, edges()), time(panel, APP, centre())),
                range: (1.6, 2.6),
                direction: (1.0, f64::INFINITY),
            },
        },
    ];
    if is_lossy {
        claims.push(Claim {
            id: "C5",
            panel,
            weight: Weight::Side,
            stated: "a large step from 38/2 to 40/0: 1.3 times at least, CMT and AppStripe",
            expression: Expression::All(vec![step(panel, CMT), step(panel, APP)]),
        });
    }
    claims.push(Claim {
        id: "C6",
        panel,
        weight: Weight::Side,
        stated: "over one path more SACKs wait for the timer than over equal paths",
        expression: Expression::More(timers(panel), 0.0),
    });
    claims.push(Claim {
        id: "C7",
        panel,
        weight: Weight::Sanity,
        stated: "over one path CMT without DAC is standard SCTP (3 %)",
        expression: Expression::Number {
            number: ratio(panel, WITHOUT_DAC, APP, edges()),
            range: (1.0 - scale.tolerance(0.03), 1.0 + scale.tolerance(0.03)),
            direction: (f64::INFINITY, f64::NEG_INFINITY),
        },
    });
    claims
}

fn equal_or_better(panel: &'static str, is_lossy: bool, scale: StudyScale) -> Expression {
    let test = PointTest::Le(CMT, APP, scale.tolerance(0.03));
    let mut parts =
        vec![Expression::Points { test, panel, metric: Metric::Time, x: interior(), share: 0.95 }];
    if is_lossy {
        let mean = Number::MeanRatio(time(panel, CMT, interior()), time(panel, APP, interior()));
        parts.push(Expression::Less(mean, 1.0));
    }
    Expression::All(parts)
}

fn step(panel: &'static str, series: &'static str) -> Expression {
    Expression::Number {
        number: Number::Ratio(time(panel, series, edges()), time(panel, series, beside_the_edges())),
        range: (1.3, f64::INFINITY),
        direction: (1.0, f64::INFINITY),
    }
}

fn timers(panel: &'static str) -> Number {
    let at = |x| CurvePoints { panel, series: CMT, metric: Metric::SacksByTimer, x };
    Number::Difference(at(edges()), at(centre()))
}
