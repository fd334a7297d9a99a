//! Lists every panel with its verdict.

use std::fmt::Write as _;

use anabranch_observe::Body;
use anabranch_studies::figures::FigureName;
use anabranch_studies::figures::catalogue::{PANELS, PanelEntry, WORKS, panels_of};
use anabranch_studies::figures::session::name_of;
use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::listed;
use crate::report::Outcome;

/// Every panel.
pub fn list() -> Outcome {
    let body = json!({
        "panels": PANELS.iter().map(panel).collect::<Vec<_>>(),
        "figures": FigureName::value_variants().iter().map(|figure| name_of(*figure)).collect::<Vec<_>>(),
    });
    Outcome { document: Some(Body::of(&body)), summary: text(), failure: None }
}

fn panel(entry: &PanelEntry) -> Value {
    json!({
        "id": entry.id,
        "title": entry.title,
        "work": work(entry),
        "place": entry.place(),
        "figure": name_of(entry.figure),
        "verdict": entry.verdict.word(),
    })
}

/// The work that has the panel.
fn work(entry: &PanelEntry) -> &'static str {
    let short = entry.id.split('-').next().unwrap_or_default();
    WORKS.iter().find(|(name, _)| *name == short).map_or("", |(_, work)| work)
}

fn text() -> String {
    let mut text = String::new();
    let mut last = "";
    for entry in &PANELS {
        if work(entry) != last {
            last = work(entry);
            let _ = writeln!(text, "{}{last}", if text.is_empty() { "" } else { "\n" });
        }
        let line = format!("{:<9} {:<15} {}, {}", entry.id, entry.verdict.word(), entry.place(), entry.title);
        let indent = " ".repeat(26);
        let options = textwrap::Options::new(WIDTH).subsequent_indent(&indent).break_words(false);
        let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
        let _ = writeln!(text, "{}", textwrap::fill(&line, options));
    }
    let others = FigureName::value_variants().iter().filter(|figure| panels_of(**figure).next().is_none());
    let others = listed(others.map(|figure| name_of(*figure)));
    let _ = writeln!(text, "\nBeside the panels: {others}. docs/figures.md tells what each shows.");
    text
}

const WIDTH: usize = 80;
