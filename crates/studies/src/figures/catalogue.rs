//! Every panel with results of the five works: its title, its place in the work, the record that runs it, the claims that decide
//! about it, and its verdict. The index of docs/figures.md is made from here; a test compares the verdicts with the figures' pages.

mod claims;
mod curves;
mod page;

pub use claims::with_claims;
pub use curves::with_curves;
pub use page::{INDEX_BEGIN, INDEX_END, verdict_beside, verdict_in};

use std::fmt::Write as _;

use super::claim::{Claim, Finding, Weight};
use super::verdict::Standing;
use super::{DecidedBy, FIGURES, FigureEntry, FigureResult, PanelEntry};

/// The works, by what the names of their figures and panels begin with.
pub static WORKS: [(&str, &str); 5] = [
    ("IY", "Iyengar and others, concurrent multipath transfer"),
    ("BERP", "BERP"),
    ("LIU", "Liu and others, a model of multipath TCP"),
    ("WS", "Wallace and Shami, models of CMT-SCTP"),
    ("YE", "Ye, SCTP in wireless ad-hoc networks"),
];

impl PanelEntry {
    /// Where its work has it: `figure 5a`.
    pub fn place(&self) -> String {
        let number = self.id.split_once('-').map_or("", |(_, number)| number);
        match number.split_at_checked(1) {
            Some(("T", table)) => format!("table {table}"),
            Some((_, figure)) => format!("figure {figure}"),
            None => String::new(),
        }
    }

    /// The verdict in a result of its record; `None` where that decides nothing.
    pub fn standing(&self, result: &FigureResult) -> Option<Standing> {
        match self.decided_by {
            DecidedBy::Figure => result.standing(""),
            DecidedBy::Panel(panel) => result.standing(panel),
            DecidedBy::Claims(names) => of_claims(result, names),
        }
    }
}

/// Every panel of the works with the figure that runs it, work by work.
pub fn panels() -> impl Iterator<Item = (&'static FigureEntry, &'static PanelEntry)> {
    let figures =
        WORKS.iter().flat_map(|(work, _)| FIGURES.iter().filter(move |figure| figure.work() == *work));
    figures.flat_map(|figure| figure.panels.iter().map(move |panel| (*figure, panel)))
}

impl FigureEntry {
    /// The name of its page in docs/figures/.
    pub fn page(&self) -> String {
        format!("{}.md", self.id.to_lowercase())
    }
}

/// The index of docs/figures.md, between [`INDEX_BEGIN`] and [`INDEX_END`].
pub fn index() -> String {
    let mut table = String::from("| panel | shows | verdict |\n|---|---|---|\n");
    for (figure, panel) in panels() {
        let PanelEntry { id, title, verdict, .. } = panel;
        let _ = writeln!(table, "| [{id}](figures/{}) | {title} | {} |", figure.page(), verdict.word());
    }
    table
}

fn of_claims(result: &FigureResult, names: &[&str]) -> Option<Standing> {
    let claims = result.figure.claims.iter().zip(&result.findings);
    let named: Vec<(&Claim, &Finding)> = claims.filter(|(claim, _)| names.contains(&claim.id)).collect();
    let has_core = named.iter().any(|(claim, _)| claim.weight == Weight::Core);
    let deciding = named.iter().filter(|(claim, _)| !has_core || claim.weight == Weight::Core);
    let standings: Vec<Standing> = deciding.map(|(_, finding)| finding.standing()).collect();
    Standing::worst(&standings)
}
