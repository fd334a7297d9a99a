//! BERP-F5: the time of a transfer by the losses of one narrow link that both paths cross.

use super::super::claim::{Claim, Expression, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::transfer::{HIGHEST, LOSSES, LOSSY, curve, faster, losses, ns2_of_chains, panel};
use super::{ChainChoice, FLOORS, Scheme, params, seeds, transfer};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F5",
    aliases: &[],
    about: "A transfer's time by losses where the paths share the narrow link",
    panels: &[PanelEntry {
        id: "BERP-F5",
        title: "transfer time of 60 MB by losses, a shared bottleneck",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Inconclusive,
    }],
    build: |scale| Ok(record(scale, ChainChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(ChainChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: Some(|panel| ns2_of_chains(panel, true)),
};

/// The record.
fn record(scale: StudyScale, choice: ChainChoice) -> Figure {
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

fn longer(scheme: Scheme, disjoint: &'static str) -> [Expression; 2] {
    let points =
        |test, x| Expression::Points { test, panel: FLOORS[0].1, metric: Metric::Time, x, share: 1.0 };
    [
        points(PointTest::Lt(disjoint, scheme.name()), losses(..LOSSES.len() - 1)),
        points(PointTest::Le(disjoint, scheme.name(), 0.05), vec![HIGHEST]),
    ]
}

/// The schemes whose times over disjoint paths stand beside those over one narrow link.
const DISJOINT: [(Scheme, &str); 2] =
    [(Scheme::Standard, "CMT-CC, disjoint"), (Scheme::Berp, "CMT-BERP, disjoint")];
