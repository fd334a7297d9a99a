//! BERP-F2: the time of a transfer by the losses of the narrow links, over disjoint paths.

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::verdict::Verdict;
use super::transfer::{HIGHEST, LOSSY, faster, ns2_of_chains, panel, time};
use super::{ChainChoice, FLOORS, Scheme, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F2",
    aliases: &[],
    about: "A transfer's time by losses: BERP beside the standard, over disjoint paths",
    panels: &[PanelEntry {
        id: "BERP-F2",
        title: "transfer time of 60 MB by losses, disjoint paths",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::NotReproduced,
    }],
    build: |scale| Ok(record(scale, ChainChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(ChainChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: Some(|panel| ns2_of_chains(panel, false)),
};

/// The record.
fn record(scale: StudyScale, choice: ChainChoice) -> Figure {
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
