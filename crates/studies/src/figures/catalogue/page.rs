//! Reads verdicts from a figure's page in docs/figures/, so that the index can be compared with the pages.

use crate::figures::claim_table::ClaimRow;
use crate::figures::verdict::Verdict;
use crate::figures::{DecidedBy, PanelEntry};

/// The line before the index.
pub const INDEX_BEGIN: &str = "<!-- generated: index of panels -->";
/// The line behind it.
pub const INDEX_END: &str = "<!-- end of index of panels -->";

/// The verdict on a panel in a page that a run wrote, with its table of claims; `None` if it has none.
pub fn verdict_in(page: &str, entry: &PanelEntry) -> Option<Verdict> {
    verdict(page, page.lines().filter_map(Row::of_line), entry)
}

/// The verdict on a panel in a page of docs/figures/, whose claims are in a file beside it; `None` if it has none.
pub fn verdict_beside(page: &str, claims: &[ClaimRow], entry: &PanelEntry) -> Option<Verdict> {
    verdict(page, claims.iter().filter_map(Row::of_claim), entry)
}

fn verdict<'p>(page: &str, claims: impl Iterator<Item = Row<'p>>, entry: &PanelEntry) -> Option<Verdict> {
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
            let rows: Vec<Row<'_>> = claims.filter(|row| names.contains(&row.claim)).collect();
            let has_core = rows.iter().any(|row| row.is_core);
            rows.iter().filter(|row| !has_core || row.is_core).map(|row| row.verdict).max()
        }
    }
}

/// A claim with its verdict.
struct Row<'p> {
    claim: &'p str,
    is_core: bool,
    verdict: Verdict,
}

impl<'p> Row<'p> {
    fn of_line(line: &'p str) -> Option<Row<'p>> {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (claim, _) = cells.split_once(" | ")?;
        let (_, verdict) = cells.rsplit_once(" | ")?;
        Some(Row {
            claim: claim.trim_end_matches('★'),
            is_core: claim.ends_with('★'),
            verdict: of_word(verdict)?,
        })
    }

    fn of_claim(row: &'p ClaimRow) -> Option<Row<'p>> {
        Some(Row { claim: &row.claim, is_core: row.is_core(), verdict: of_word(&row.verdict)? })
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
