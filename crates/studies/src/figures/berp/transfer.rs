//! The part that BERP-F2 and F5 share: the time of a transfer by the losses of the narrow links, for all schemes, and
//! ns-2's.

use anabranch_comparisons::ns2::{self, TableError};

use super::super::beside_ns2::Ns2Curves;
use super::super::claim::{Claim, Expression, PointTest, Weight};
use super::super::figure::{Axis, FigureCurve, Panel, Spacing};
use super::super::results::{CurvePoints, Metric};
use super::{ChainChoice, ChainRun, FLOORS, Scheme, seeds, transfer};
use crate::scale::StudyScale;

/// Percent lost on the narrow links.
pub(super) const LOSSES: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/// Losses alone limit both topologies there.
pub(super) const HIGHEST: f64 = 10.0;

/// C1 for both floors, and that time grows with losses. The claims on the floor of 2 stand beside the figure's verdict.
pub(super) fn faster(scale: StudyScale) -> Vec<Claim> {
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

/// A panel of the times of all schemes.
pub(super) fn panel(
    scale: StudyScale,
    choice: ChainChoice,
    floor: u32,
    name: &'static str,
    is_shared: bool,
) -> Panel {
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

/// A curve over all losses.
pub(super) fn curve(name: &'static str, run: impl Fn(u32) -> ChainRun) -> FigureCurve {
    let points = LOSSES.map(|loss| (f64::from(loss), run(loss).into()));
    FigureCurve { name, points: points.into() }
}

/// A curve's times.
pub(super) fn time(panel: &'static str, series: &'static str, x: Vec<f64>) -> CurvePoints {
    CurvePoints { panel, series, metric: Metric::Time, x }
}

/// Some of the losses, as places on the axis.
pub(super) fn losses(range: impl std::slice::SliceIndex<[u32], Output = [u32]>) -> Vec<f64> {
    LOSSES[range].iter().copied().map(f64::from).collect()
}

/// Reads the time of CMT without BERP for 60 MiB over links of 5 ms, with the panel's window floor.
pub(super) fn ns2_of_chains(panel: &str, is_shared: bool) -> Result<Ns2Curves, TableError> {
    let config = if panel == "floor 2" { "plain-cmt" } else { "floor4" };
    Ok(vec![("CMT-CC, ns-2, 5 ms a link", ns2::chains(config, is_shared)?)])
}

/// The losses, for the report.
pub(super) const LOSSY: (&str, &str) =
    ("losses", "on data alone: 1 % at each outer link, on the handshake too; the narrow links vary");
