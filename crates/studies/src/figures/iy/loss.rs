//! IY-F5 and IY-F6: CMT beside AppStripe under losses, with and without delayed SACKs.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::figure::{Figure, FigureCurve, Panel};
use super::super::results::{CurvePoints, Metric};
use super::{
    APP, Acknowledge, CMT, Experiment, OpenChoice, SendingScheme, WITHOUT_DAC, beside_the_edges, both,
    centre, edges, interior, params,
};
use crate::scale::StudyScale;

/// Panels: their letter, the probability of a loss, and the seeds of a point. At 10 %, time-outs spread the results
/// widely.
const DELAYED: [(&str, f64, u64); 4] = [("a", 0.001, 30), ("b", 0.02, 30), ("c", 0.05, 30), ("d", 0.1, 60)];
const IMMEDIATE: [(&str, f64, u64); 3] = [("a", 0.001, 30), ("b", 0.02, 30), ("c", 0.05, 30)];

/// IY-F5.
pub fn delayed(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panels = DELAYED.map(|(name, loss, seeds)| {
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Delayed);
        let mut panel = both(name, title(loss), experiment, scale.seeds(seeds));
        // Over one path CMT_scd and standard SCTP should differ by DAC alone: without it they are to coincide.
        let points = experiment.points(SendingScheme::WithoutDac, &edges());
        panel.series.push(FigureCurve { name: WITHOUT_DAC, points });
        panel
    });
    let mut claims: Vec<Claim> =
        DELAYED.iter().flat_map(|(name, loss, _)| of_panel(name, *loss, scale)).collect();
    claims.push(Claim {
        id: "C2",
        panel: "",
        weight: Weight::Side,
        stated: "CMT's handicap over one path does not shrink with loss",
        expression: Expression::Rising(
            DELAYED.iter().map(|(name, ..)| ratio(name, CMT, APP, edges())).collect(),
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

/// IY-F6.
pub fn immediate(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panel = |(name, loss, seeds): (&'static str, f64, u64)| -> Panel {
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Each);
        both(name, title(loss), experiment, scale.seeds(seeds))
    };
    Figure {
        id: "IY-F6",
        title: "CMT_sc and AppStripe under losses, a SACK for each packet",
        params: params(setting, "30 a point (quick: 5), the same for both schemes"),
        panels: IMMEDIATE.map(panel).into(),
        claims: IMMEDIATE.iter().flat_map(|(name, ..)| equal(name, scale)).collect(),
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
            stated: match is_lossy {
                true => {
                    "over two paths CMT is equal or better (3 %, at 95 % of the splits) and faster on the whole"
                }
                false => "over two paths CMT is equal or better (3 %, at 95 % of the splits)",
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

fn equal(panel: &'static str, scale: StudyScale) -> [Claim; 2] {
    let t = |full| scale.tolerance(full);
    let all = || super::SPLITS.to_vec();
    [
        Claim {
            id: "C1",
            panel,
            weight: Weight::Core,
            stated: "CMT_sc is as fast everywhere (5 % at 90 % of the splits, 3 % in the mean)",
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

fn ratio(panel: &'static str, one: &'static str, two: &'static str, x: Vec<f64>) -> Number {
    Number::Ratio(time(panel, one, x.clone()), time(panel, two, x))
}

fn time(panel: &'static str, series: &'static str, x: Vec<f64>) -> CurvePoints {
    CurvePoints { panel, series, metric: Metric::Time, x }
}

fn title(loss: f64) -> String {
    format!("{} % of the packets lost", loss * 100.0)
}
