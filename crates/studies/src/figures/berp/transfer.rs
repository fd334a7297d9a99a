//! BERP-F2 and F5: the time of a transfer by the losses of the narrow links, over disjoint paths and over one narrow link.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing};
use super::super::results::{CurvePoints, Metric};
use super::{ChainChoice, ChainRun, FLOORS, Scheme, params, seeds, transfer};
use crate::scale::StudyScale;

/// Percent lost on the narrow links.
const LOSSES: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/// The atlas lets both topologies be limited by losses alone there.
const HIGHEST: f64 = 10.0;

/// BERP-F2.
pub fn disjoint(scale: StudyScale, choice: ChainChoice) -> Figure {
    let mut claims = faster(scale);
    let advantage = |x: f64| {
        let at = |scheme: Scheme| time(FLOORS[0].1, scheme.name(), vec![x]);
        Number::Difference(at(Scheme::Standard), at(Scheme::Berp))
    };
    claims.push(Claim {
        id: "C3",
        panel: FLOORS[0].1,
        weight: Weight::Side,
        stated: "(ours) BERP gains more seconds at 10 % than at 1 %",
        expression: Expression::Rising(vec![advantage(1.0), advantage(HIGHEST)]),
    });
    Figure {
        id: "BERP-F2",
        title: "the time of 60 MB over disjoint paths",
        params: params(choice, &[LOSSY], seeds(scale)),
        panels: FLOORS.map(|(floor, name)| panel(scale, choice, floor, name, false)).into(),
        claims,
    }
}

/// BERP-F5.
pub fn shared(scale: StudyScale, choice: ChainChoice) -> Figure {
    let mut panels = FLOORS.map(|(floor, name)| panel(scale, choice, floor, name, true));
    for (scheme, name) in DISJOINT {
        let run = |loss| choice.run(scheme, FLOORS[0].0, transfer(scale, loss));
        panels[0].series.push(curve(name, run));
    }
    let mut claims = faster(scale);
    claims.push(Claim {
        id: "C2",
        panel: FLOORS[0].1,
        weight: Weight::Core,
        stated: "each scheme takes longer than over disjoint paths (at 10 %, 5 % less at most)",
        expression: Expression::All(
            DISJOINT.iter().flat_map(|(scheme, name)| longer(*scheme, name)).collect(),
        ),
    });
    Figure {
        id: "BERP-F5",
        title: "the time of 60 MB where both paths cross one narrow link",
        params: params(
            choice,
            &[LOSSY, ("narrow link", "one, 1 Mbit/s, with one queue and one process of losses")],
            seeds(scale),
        ),
        panels: panels.into(),
        claims,
    }
}

/// C1 for both floors, and that time grows with losses. What is said of the floor of 2 is beside the figure's verdict.
fn faster(scale: StudyScale) -> Vec<Claim> {
    let points =
        |panel, test, x: Vec<f64>| Expression::Points { test, panel, metric: Metric::Time, x, share: 1.0 };
    let grows = |panel, scheme: Scheme| {
        points(panel, PointTest::Up(scheme.name(), scale.tolerance(0.02)), losses(..LOSSES.len() - 1))
    };
    let is_faster = |id, (floor, panel), weight, stated| Claim {
        id,
        panel,
        weight,
        stated,
        expression: points(floor, PointTest::Lt(Scheme::Berp.name(), Scheme::Standard.name()), losses(..)),
    };
    let rises = |id, (floor, panel), stated| Claim {
        id,
        panel,
        weight: Weight::Sanity,
        stated,
        expression: Expression::All(vec![grows(floor, Scheme::Standard), grows(floor, Scheme::Berp)]),
    };
    let [four, two] = FLOORS.map(|(_, name)| name);
    vec![
        is_faster("C1", (four, four), Weight::Core, "BERP is faster everywhere"),
        rises("C2", (four, four), "the time grows with the losses (2 %)"),
        is_faster("C1'", (two, ""), Weight::Side, "with a floor of 2 MTU BERP is faster everywhere"),
        rises("C2'", (two, ""), "with a floor of 2 MTU the time grows with the losses (2 %)"),
    ]
}

fn longer(scheme: Scheme, disjoint: &'static str) -> [Expression; 2] {
    let points =
        |test, x| Expression::Points { test, panel: FLOORS[0].1, metric: Metric::Time, x, share: 1.0 };
    [
        points(PointTest::Lt(disjoint, scheme.name()), losses(..LOSSES.len() - 1)),
        points(PointTest::Le(disjoint, scheme.name(), 0.05), vec![HIGHEST]),
    ]
}

fn panel(scale: StudyScale, choice: ChainChoice, floor: u32, name: &'static str, is_shared: bool) -> Panel {
    let series = Scheme::ALL.map(|scheme| {
        curve(scheme.name(), |loss| ChainRun {
            is_shared,
            ..choice.run(scheme, floor, transfer(scale, loss))
        })
    });
    Panel {
        name,
        title: format!("{name} MTU"),
        axis: Axis { label: "losses of the narrow link, %", spacing: Spacing::Even },
        metric: Metric::Time,
        series: series.into(),
        seeds: seeds(scale),
        beside: &[],
    }
}

fn curve(name: &'static str, run: impl Fn(u32) -> ChainRun) -> FigureCurve {
    let points = LOSSES.map(|loss| (f64::from(loss), run(loss).into()));
    FigureCurve { name, points: points.into() }
}

fn time(panel: &'static str, series: &'static str, x: Vec<f64>) -> CurvePoints {
    CurvePoints { panel, series, metric: Metric::Time, x }
}

fn losses(range: impl std::slice::SliceIndex<[u32], Output = [u32]>) -> Vec<f64> {
    LOSSES[range].iter().copied().map(f64::from).collect()
}

/// The schemes whose times over disjoint paths stand beside those over one narrow link.
const DISJOINT: [(Scheme, &str); 2] =
    [(Scheme::Standard, "CMT-CC, disjoint"), (Scheme::Berp, "CMT-BERP, disjoint")];

const LOSSY: (&str, &str) =
    ("losses", "on data alone: 1 % at each outer link, on the handshake too; the narrow links vary");
