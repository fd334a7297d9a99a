//! Reads verdicts from a figure's page in docs/figures/, so that the index can be compared with the pages.

use crate::figures::claim_table::ClaimRow;
use crate::figures::verdict::Verdict;
use crate::figures::{DecidedBy, PanelEntry};

/// The line before the index.
pub const INDEX_BEGIN: &str = "<!-- generated: index of panels -->";
/// The line behind it.
pub const INDEX_END: &str = "<!-- end of index of panels -->";

/// The verdict of a figure's page and of its table of claims on a panel; `None` if they have none.
pub fn verdict_in(page: &str, claims: &[ClaimRow], entry: &PanelEntry) -> Option<Verdict> {
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
            let named: Vec<&ClaimRow> =
                claims.iter().filter(|row| names.contains(&row.claim.as_str())).collect();
            let has_core = named.iter().any(|row| row.is_core());
            let deciding = named.iter().filter(|row| !has_core || row.is_core());
            deciding.map(|row| of_word(&row.verdict)).collect::<Option<Vec<_>>>()?.into_iter().max()
        }
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
