//! IY-F4: CMT beside AppStripe where nothing is lost.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::{CurvePoints, Metric};
use super::super::verdict::Verdict;
use super::{
    APP, Acknowledge, CMT, DEFAULT, Experiment, Lossy, OpenChoice, SENSITIVITY, both, centre, edges,
    interior, ns2, params,
};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "IY-F4",
    aliases: &[],
    about: "CMT and AppStripe without losses",
    panels: &[PanelEntry {
        id: "IY-F4",
        title: "CMT_scd and AppStripe without losses: transfer time by the split of 40 Mbit/s",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Partial,
    }],
    build: |scale| Ok(record(scale, DEFAULT)),
    sensitivity: |scale| {
        // The way of losses does not matter where there are none.
        let forward = SENSITIVITY.into_iter().filter(|choice| choice.lossy == Lossy::Forward);
        Ok(forward.map(|choice| (choice.name, record(scale, choice))).collect())
    },
    ns2: Some(|panel| ns2::transfers(["fig4", "fig4"], 0.0, panel == DELAYED)),
};

/// The figure. Without losses nothing is random: one run a point.
fn record(scale: StudyScale, setting: OpenChoice) -> Figure {
    let of = |acknowledge| Experiment::new(scale, setting, 0.0, acknowledge);
    Figure {
        id: "IY-F4",
        title: "CMT_scd and AppStripe without losses",
        params: params(setting, "one, there is no chance in it"),
        panels: vec![
            both(DELAYED, "delayed SACKs".to_owned(), of(Acknowledge::Delayed), 1),
            both(EACH, "a SACK for each packet (CMT_sc)".to_owned(), of(Acknowledge::Each), 1),
        ],
        claims: claims(scale),
    }
}

fn claims(scale: StudyScale) -> Vec<Claim> {
    let t = |full| scale.tolerance(full);
    let at = |series, x| CurvePoints { panel: DELAYED, series, metric: Metric::Time, x };
    let points = |test, panel, x| Expression::Points { test, panel, metric: Metric::Time, x, share: 1.0 };
    let valley = |series| {
        Expression::All(vec![
            Expression::Number {
                number: Number::Ratio(at(series, centre()), at(series, edges())),
                range: (0.0, 0.95),
                direction: (0.0, 1.0),
            },
            points(PointTest::Outward(series, t(0.01)), DELAYED, interior()),
        ])
    };
    let symmetric = |series| points(PointTest::Symmetric(series, t(0.02)), DELAYED, interior());
    vec![
        Claim {
            id: "C1",
            panel: DELAYED,
            weight: Weight::Core,
            stated: "CMT is faster at every split, and no slower over one path (1 %)",
            expression: Expression::All(vec![
                points(PointTest::Lt(CMT, APP), DELAYED, interior()),
                points(PointTest::Le(CMT, APP, t(0.01)), DELAYED, edges()),
            ]),
        },
        Claim {
            id: "C2",
            panel: DELAYED,
            weight: Weight::Core,
            stated: "both are best at equal paths (centre ≤ 0.95 edge) and rise outward (1 %)",
            expression: Expression::All(vec![valley(CMT), valley(APP)]),
        },
        Claim {
            id: "C3",
            panel: DELAYED,
            weight: Weight::Sanity,
            stated: "both are symmetric within 2 %",
            expression: Expression::All(vec![symmetric(CMT), symmetric(APP)]),
        },
        Claim {
            id: "C4",
            panel: EACH,
            weight: Weight::Core,
            stated: "without delayed SACKs the curves coincide (2 %)",
            expression: points(PointTest::Near(CMT, APP, t(0.02)), EACH, super::SPLITS.to_vec()),
        },
        Claim {
            id: "C5",
            panel: DELAYED,
            weight: Weight::Side,
            stated: "windows climb 2, 3, 4 packets a round trip in one association, 4, 6, 8 in two",
            expression: Expression::Tested(
                "the_windows_of_two_associations_climb_4_6_8_where_one_climbs_2_3_4",
            ),
        },
    ]
}

/// The panels' names.
const DELAYED: &str = "delayed";
const EACH: &str = "each";
