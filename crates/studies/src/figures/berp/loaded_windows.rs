//! BERP-F9: the congestion windows beside datagrams.

use super::super::claim::{Claim, Expression, NOWHERE, Number, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::CurvePoints;
use super::super::verdict::Verdict;
use super::windows::{MEAN, panel};
use super::{ChainChoice, Scheme, Work, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F9",
    aliases: &[],
    about: "The windows of BERP and of the standard beside datagrams",
    panels: &[PanelEntry {
        id: "BERP-F9",
        title: "windows beside datagrams that take nine tenths",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, ChainChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(ChainChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// Tenths of load.
const LOAD: u32 = 9;

/// The record.
fn record(scale: StudyScale, choice: ChainChoice) -> Figure {
    let run = |scheme| choice.run(scheme, 4, Work::BesideDatagrams { load: LOAD });
    let x = f64::from(LOAD) / 10.0;
    let at =
        |scheme: Scheme| CurvePoints { panel: MEAN.0, series: scheme.name(), metric: MEAN.1, x: vec![x] };
    Figure {
        id: "BERP-F9",
        title: "the windows beside datagrams that take nine tenths",
        params: params(choice, &[("losses", "none but in queues"), ("run", "300 s")], seeds(scale)),
        panels: vec![panel(MEAN, "load of each narrow link", x, run, scale)],
        claims: vec![Claim {
            id: "C1",
            panel: MEAN.0,
            weight: Weight::Core,
            stated: "the mean windows are within 25 %",
            expression: Expression::Number {
                number: Number::Ratio(at(Scheme::Berp), at(Scheme::Standard)),
                range: (1.0 - scale.tolerance(0.25), 1.0 + scale.tolerance(0.25)),
                direction: NOWHERE,
            },
        }],
    }
}
