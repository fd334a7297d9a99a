//! BERP-F6: the congestion windows over one narrow link.

use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::verdict::Verdict;
use super::ChainChoice;
use super::windows::by_losses;
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-F6",
    aliases: &[],
    about: "The windows of BERP and of the standard where the paths share the narrow link",
    panels: &[PanelEntry {
        id: "BERP-F6",
        title: "windows at losses of 10 %, a shared bottleneck",
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
    by_losses("BERP-F6", "the windows over one narrow link that loses 10 %", scale, choice, true)
}
