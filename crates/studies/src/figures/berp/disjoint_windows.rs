//! BERP-F3: the congestion windows over disjoint paths.

use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::verdict::Verdict;
use super::ChainChoice;
use super::windows::by_losses;
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F3",
    aliases: &[],
    about: "The windows of BERP and of the standard, over disjoint paths",
    panels: &[PanelEntry {
        id: "BERP-F3",
        title: "windows at losses of 10 %, disjoint paths",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::NotReproduced,
    }],
    build: |scale| Ok(record(scale, ChainChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(ChainChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// The record.
fn record(scale: StudyScale, choice: ChainChoice) -> Figure {
    by_losses("BERP-F3", "the windows over disjoint paths that lose 11.8 %", scale, choice, false)
}
