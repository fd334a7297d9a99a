//! Reads verdicts from a figure's page in docs/figures/, so that the index can be compared with the pages.

use crate::figures::verdict::Verdict;
use crate::figures::{DecidedBy, PanelEntry};

/// The line before the index.
pub const INDEX_BEGIN: &str = "<!-- generated: index of panels -->";
/// The line behind it.
pub const INDEX_END: &str = "<!-- end of index of panels -->";

/// The verdict of a figure's page on a panel; `None` where the page has none.
pub fn verdict_in(page: &str, entry: &PanelEntry) -> Option<Verdict> {
    match entry.decided_by {
        DecidedBy::Figure => {
            let line = page.lines().find(|line| line.starts_with("**") && line.ends_with("**"))?;
            of_word(line.trim_matches('*').rsplit_once(": ")?.1)
        }
        DecidedBy::Panel(panel) => {
            let line = page.lines().find_map(|line| line.strip_prefix("By panel: "))?;
            line.trim_end_matches('.').split(", ").find_map(|part| of_word(part.strip_prefix(panel)?.trim()))
        }
        DecidedBy::Claims(names) => {
            let rows = page.lines().filter_map(Row::of).filter(|row| names.contains(&row.claim));
            let rows: Vec<Row<'_>> = rows.collect();
            let has_core = rows.iter().any(|row| row.is_core);
            rows.iter().filter(|row| !has_core || row.is_core).map(|row| row.verdict).max()
        }
    }
}

/// A row of a table of claims.
struct Row<'p> {
    claim: &'p str,
    is_core: bool,
    verdict: Verdict,
}

impl Row<'_> {
    fn of(line: &str) -> Option<Row<'_>> {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (claim, _) = cells.split_once(" | ")?;
        let (_, verdict) = cells.rsplit_once(" | ")?;
        Some(Row {
            claim: claim.trim_end_matches('★'),
            is_core: claim.ends_with('★'),
            verdict: of_word(verdict)?,
        })
    }
}

fn of_word(word: &str) -> Option<Verdict> {
    let all = [
        Verdict::Reproduced,
        Verdict::Partial,
        Verdict::Inconclusive,
        Verdict::NotBuilt,
        Verdict::NotTestable,
        Verdict::NotReproduced,
    ];
    all.into_iter().find(|verdict| verdict.word() == word)
}
