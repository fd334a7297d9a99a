//! A selection of the figures: a record as a whole, or the part that decides about some of its panels.

use std::collections::BTreeSet;

use super::catalogue::panels;
use super::claim::Claim;
use super::figure::{Figure, Panel, ValueSource};
use super::{DecidedBy, FIGURES, FigureEntry, FigureError, PanelEntry};
use crate::scale::StudyScale;

/// A record, or the part of it that decides about some panels.
#[derive(Clone, Debug)]
pub struct Selection {
    figure: &'static FigureEntry,
    /// Empty for the whole record.
    panels: Vec<&'static PanelEntry>,
}

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no figure {name:?}; known are {}", known().collect::<Vec<_>>().join(", "))]
pub struct UnknownFigure {
    /// The requested name.
    pub name: String,
}

/// The names that may be selected: panels, then figures.
pub fn known() -> impl Iterator<Item = &'static str> {
    panels().map(|(_, panel)| panel.id).chain(FIGURES.iter().map(|figure| figure.id))
}

/// Resolves these names, each record once, in the order of the records. A figure's name asks for more than a panel's.
///
/// # Errors
/// The first name of nothing.
pub fn selection<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<Selection>, UnknownFigure> {
    let mut found: Vec<Selection> = Vec::new();
    for name in names {
        let one = Selection::named(name).ok_or_else(|| UnknownFigure { name: name.to_owned() })?;
        match found.iter_mut().find(|other| other.figure.id == one.figure.id) {
            Some(other) => other.join(one),
            None => found.push(one),
        }
    }
    found.sort_by_key(|one| one.figure.position());
    Ok(found)
}

impl Selection {
    /// A record as a whole.
    pub fn whole(figure: &'static FigureEntry) -> Selection {
        Selection { figure, panels: Vec::new() }
    }

    fn named(text: &str) -> Option<Selection> {
        let text = text.replace('–', "-");
        // Some records are called as one of their panels is.
        if let Some(figure) = FIGURES.iter().find(|figure| figure.id.eq_ignore_ascii_case(&text)) {
            return Some(Selection::whole(figure));
        }
        let (figure, entry) = panels().find(|(_, panel)| panel.id.eq_ignore_ascii_case(&text))?;
        Some(Selection { figure, panels: vec![entry] })
    }

    fn join(&mut self, other: Selection) {
        if self.panels.is_empty() || other.panels.is_empty() {
            self.panels.clear();
            return;
        }
        let new: Vec<_> = other
            .panels
            .into_iter()
            .filter(|entry| self.panels.iter().all(|one| one.id != entry.id))
            .collect();
        self.panels.extend(new);
        self.panels.sort_by_key(|entry| self.figure.panels.iter().position(|one| one.id == entry.id));
    }

    /// The same, panel by panel.
    pub fn by_panel(&self) -> Vec<Selection> {
        self.entries().map(|entry| Selection { figure: self.figure, panels: vec![entry] }).collect()
    }

    /// The record that it is, or is a part of.
    pub fn figure(&self) -> &'static FigureEntry {
        self.figure
    }

    /// The panels of the works that it decides about.
    pub fn entries(&self) -> impl Iterator<Item = &'static PanelEntry> {
        let ids: Vec<&str> = self.panels.iter().map(|entry| entry.id).collect();
        let is_wanted = move |entry: &&PanelEntry| ids.is_empty() || ids.contains(&entry.id);
        self.figure.panels.iter().filter(is_wanted)
    }

    /// The name: `IY-F5`, or the names of its panels.
    pub fn name(&self) -> String {
        match &self.panels[..] {
            [] => self.figure.id.to_owned(),
            panels => panels.iter().map(|entry| entry.id).collect::<Vec<_>>().join(" "),
        }
    }

    /// The record, or its part: its claims about these panels, the curves that they look at, and those that these come from.
    ///
    /// # Errors
    /// As [`FigureEntry::record`].
    pub fn record(&self, scale: StudyScale) -> Result<Figure, FigureError> {
        Ok(self.part_of(self.figure.record(scale)?))
    }

    /// The selected part of a record, or of a member of its sensitivity set.
    pub(super) fn part_of(&self, mut figure: Figure) -> Figure {
        let needs_all = self.panels.iter().any(|entry| entry.decided_by == DecidedBy::Figure);
        if self.panels.is_empty() || needs_all {
            return figure;
        }
        figure.claims.retain(|claim| self.panels.iter().any(|entry| entry.decided_by.looks_at(claim)));
        let mut shown: BTreeSet<&str> =
            figure.claims.iter().flat_map(|claim| claim.expression.panels()).collect();
        shown.extend(figure.claims.iter().map(|claim| claim.panel));
        // What a panel is computed from comes before it.
        for panel in figure.panels.iter().rev() {
            if shown.contains(panel.name) {
                shown.extend(sources(panel));
            }
        }
        figure.panels.retain(|panel| shown.contains(panel.name));
        figure.params.push(("part", format!("what decides about {}", self.name())));
        figure
    }
}

impl From<&'static FigureEntry> for Selection {
    fn from(figure: &'static FigureEntry) -> Selection {
        Selection::whole(figure)
    }
}

impl From<&Selection> for Selection {
    fn from(selection: &Selection) -> Selection {
        selection.clone()
    }
}

impl DecidedBy {
    /// Returns true if a claim is about the panel.
    fn looks_at(self, claim: &Claim) -> bool {
        match self {
            DecidedBy::Figure => true,
            DecidedBy::Panel(panel) => claim.panel == panel,
            DecidedBy::Claims(names) => names.contains(&claim.id),
        }
    }
}

/// The panels that a panel is computed from.
fn sources(panel: &Panel) -> BTreeSet<&'static str> {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let of_point = |(_, source): &(f64, ValueSource)| match source {
        ValueSource::Gain { of, over } => vec![of.0, over.0],
        ValueSource::Sum(both) => both.iter().map(|(panel, _)| *panel).collect(),
        _ => Vec::new(),
    };
    points.flat_map(of_point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::ye;

    fn names(selection: &[Selection]) -> Vec<String> {
        selection.iter().map(Selection::name).collect()
    }

    fn of(text: &[&str]) -> Vec<Selection> {
        selection(text.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn names_of_one_record_are_one_and_a_figures_name_is_the_whole() {
        assert_eq!(names(&of(&["WS-F9", "iy-f5b", "IY-F5a", "IY-F5b"])), ["IY-F5a IY-F5b", "WS-F9"]);
        assert_eq!(names(&of(&["IY-F5b", "IY-F5"])), ["IY-F5"]);
        assert_eq!(names(&of(&["ws-f5–f8", "WS-F6"])), ["WS-F5-F8"]);
        let ecn = of(&["YE-F25"])[0].record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ecn.panels.len(), 3, "YE-T1's are its too");
        assert!(known().all(|name| selection([name]).is_ok()));
        assert_eq!(selection(["IY-F99"]).map(drop), Err(UnknownFigure { name: "IY-F99".to_owned() }));
    }

    #[test]
    fn a_part_has_the_claims_about_its_panels_and_all_that_these_look_at() {
        let part = of(&["IY-F5b"])[0].record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(part.panels.iter().map(|panel| panel.name).collect::<Vec<_>>(), ["b"]);
        assert!(part.claims.iter().all(|claim| claim.panel == "b") && part.claims.len() == 6);
        // A gain is computed from two other panels.
        let gain = of(&["YE-F15a"])[0].record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        let whole = ye::string::small_window::ENTRY
            .record(StudyScale::Quick)
            .unwrap_or_else(|error| panic!("{error}"));
        let panels: Vec<&str> = gain.panels.iter().map(|panel| panel.name).collect();
        assert!(panels.contains(&"gain a") && panels.contains(&"a"), "{panels:?}");
        assert!(panels.len() < whole.panels.len());
    }

    #[test]
    fn every_panel_has_a_part_that_decides_about_it() {
        for (_, entry) in panels() {
            let part = of(&[entry.id])[0].record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
            let shown: Vec<&str> = part.panels.iter().map(|panel| panel.name).collect();
            assert!(!part.claims.is_empty() && !shown.is_empty(), "{}", entry.id);
            for claim in &part.claims {
                assert!(claim.expression.panels().iter().all(|panel| shown.contains(panel)), "{}", entry.id);
            }
        }
    }
}
