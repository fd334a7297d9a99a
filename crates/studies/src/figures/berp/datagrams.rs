//! BERP-F8: what is carried beside datagrams on each narrow link.

use super::super::claim::{Claim, Expression, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{ChainChoice, FLOORS, Scheme, Work, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F8",
    aliases: &[],
    about: "Throughput of BERP and of the standard beside datagrams",
    panels: &[PanelEntry {
        id: "BERP-F8",
        title: "throughput by the load of datagrams",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, ChainChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(ChainChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// Tenths of each narrow link.
const LOADS: [u32; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// BERP-F8.
fn record(scale: StudyScale, choice: ChainChoice) -> Figure {
    let panel = |(floor, name): (u32, &'static str)| {
        let curve = |scheme: Scheme| {
            let point = |load| {
                (f64::from(load) / 10.0, choice.run(scheme, floor, Work::BesideDatagrams { load }).into())
            };
            FigureCurve { name: scheme.name(), points: LOADS.map(point).into() }
        };
        Panel {
            name,
            title: format!("{name} MTU"),
            axis: Axis { label: "load of each narrow link", spacing: Spacing::Even },
            metric: Metric::FirstFlow,
            series: Scheme::ALL.map(curve).into(),
            seeds: seeds(scale),
            beside: &[],
        }
    };
    Figure {
        id: "BERP-F8",
        title: "throughput beside datagrams",
        params: params(
            choice,
            &[
                ("losses", "none but in queues"),
                (
                    "datagrams",
                    "540 bytes on the wire, 512 of them user data, at a constant rate over each narrow link",
                ),
                ("run", "300 s, measured without the first 30"),
            ],
            seeds(scale),
        ),
        panels: FLOORS.map(panel).into(),
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "BERP carries as much (10 %)",
                PointTest::Near(Scheme::Berp.name(), Scheme::Standard.name(), scale.tolerance(0.1)),
                &LOADS,
            ),
            claim(
                "C2",
                Weight::Sanity,
                "less beside more datagrams (3 %)",
                PointTest::Down(Scheme::Berp.name(), scale.tolerance(0.03)),
                &LOADS[..LOADS.len() - 1],
            ),
            claim(
                "C2'",
                Weight::Sanity,
                "likewise without BERP",
                PointTest::Down(Scheme::Standard.name(), scale.tolerance(0.03)),
                &LOADS[..LOADS.len() - 1],
            ),
        ],
    }
}

fn claim(id: &'static str, weight: Weight, stated: &'static str, test: PointTest, loads: &[u32]) -> Claim {
    let x = loads.iter().map(|load| f64::from(*load) / 10.0).collect();
    let expression =
        Expression::Points { test, panel: FLOORS[0].1, metric: Metric::FirstFlow, x, share: 1.0 };
    Claim { id, panel: FLOORS[0].1, weight, stated, expression }
}
