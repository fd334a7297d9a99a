//! Lists every panel with its verdict.

use std::fmt::Write as _;

use anabranch_observe::Body;
use anabranch_studies::figures::catalogue::{WORKS, panels};
use anabranch_studies::figures::{FIGURES, FigureEntry, PanelEntry};
use serde_json::{Value, json};

use super::listed;
use crate::report::Outcome;

/// Every panel.
pub(super) fn list() -> Outcome {
    let body = json!({
        "panels": panels().map(panel).collect::<Vec<_>>(),
        "figures": FIGURES.iter().map(|figure| figure.id).collect::<Vec<_>>(),
    });
    Outcome { document: Some(Body::of(&body)), summary: text(), failure: None, ..Outcome::default() }
}

fn panel((figure, entry): (&FigureEntry, &PanelEntry)) -> Value {
    json!({
        "id": entry.id,
        "title": entry.title,
        "work": work(figure),
        "place": entry.place(),
        "figure": figure.id,
        "verdict": entry.verdict.word(),
    })
}

/// The title of the work with the figure.
fn work(figure: &FigureEntry) -> &'static str {
    WORKS.iter().find(|(short, _)| *short == figure.work()).map_or("", |(_, work)| work)
}

fn text() -> String {
    let mut text = String::new();
    let mut last = "";
    for (figure, entry) in panels() {
        if work(figure) != last {
            last = work(figure);
            let _ = writeln!(text, "{}{last}", if text.is_empty() { "" } else { "\n" });
        }
        let line = format!("{:<9} {:<15} {}, {}", entry.id, entry.verdict.word(), entry.place(), entry.title);
        let indent = " ".repeat(26);
        let options = textwrap::Options::new(WIDTH).subsequent_indent(&indent).break_words(false);
        let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
        let _ = writeln!(text, "{}", textwrap::fill(&line, options));
    }
    let others = FIGURES.iter().filter(|figure| figure.panels.is_empty());
    let others = listed(others.map(|figure| figure.id));
    let _ = writeln!(text, "\nBeside the panels: {others}. docs/figures.md describes each.");
    text
}

const WIDTH: usize = 80;
