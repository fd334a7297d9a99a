//! The entry of a figure: its names, the panels of its work that it decides about, and the function that makes its record.
//! Each figure holds its entry in its own file; [`FIGURES`](super::FIGURES) lists them.

use super::FigureError;
use super::beside_ns2::{self, Ns2CurvesBeside};
use super::figure::Figure;
use super::verdict::Verdict;
use crate::scale::StudyScale;

/// A figure, as commands and the catalogue know it.
#[derive(Debug)]
pub struct FigureEntry {
    /// The name in commands, documents and tables, such as `WS-F5-F8`.
    pub id: &'static str,
    /// Other names that the command line takes for it.
    pub aliases: &'static [&'static str],
    /// The subject, for the help of the command line.
    pub about: &'static str,
    /// The panels of the work that it decides about, work by work; empty where the work has none.
    pub panels: &'static [PanelEntry],
    /// Makes its own record, with the default setting.
    pub build: fn(StudyScale) -> Result<Figure, FigureError>,
    /// Makes the records of its sensitivity set, each with the name of what is different. Some figures only report, and have
    /// none.
    pub sensitivity: fn(StudyScale) -> Result<SensitivitySet, FigureError>,
    /// The curves of ns-2 beside one of its panels, at full scale; `None` where ns-2 ran nothing like it.
    pub ns2: Option<Ns2CurvesBeside>,
}

/// The records of a sensitivity set, each with the name of what is different.
pub type SensitivitySet = Vec<(&'static str, Figure)>;

/// A panel of a work.
#[derive(Clone, Copy, Debug)]
pub struct PanelEntry {
    /// The name, such as `IY-F5a`.
    pub id: &'static str,
    /// The subject.
    pub title: &'static str,
    /// The claims that decide about it.
    pub decided_by: DecidedBy,
    /// The verdict of the full scale.
    pub verdict: Verdict,
}

/// The claims that decide about a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The core claims of its record.
    Figure,
    /// The core claims about this panel of its record.
    Panel(&'static str),
    /// These claims of its record: the core ones among them, if there are any.
    Claims(&'static [&'static str]),
}

impl FigureEntry {
    /// The record; at full scale with ns-2's curves beside ours, where there are some.
    ///
    /// # Errors
    /// A model without an answer, or a table that cannot be read.
    pub fn record(&self, scale: StudyScale) -> Result<Figure, FigureError> {
        let own = (self.build)(scale)?;
        match (scale, self.ns2) {
            (StudyScale::Full, Some(curves)) => Ok(beside_ns2::add(curves, own)?),
            (StudyScale::Full | StudyScale::Quick, _) => Ok(own),
        }
    }

    /// The work that it is of, by what its panels' names begin with: `IY`.
    pub fn work(&self) -> &'static str {
        self.id.split('-').next().unwrap_or_default()
    }
}
