//! The claims of a figure as a table in CSV, a row each, and as a summary of that table for the figure's page.

use std::fmt::Write as _;

use super::FigureResult;
use super::claim::{Claim, Finding, Weight};
use super::curve_table::csv_of;

/// The columns.
const COLUMNS: [&str; 6] = ["panel", "claim", "weight", "stated", "measured", "verdict"];

/// The verdict of a claim that needs no explanation.
const REPRODUCED: &str = "REPRODUCED";

/// A judged claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRow {
    /// The panel; empty for all of them.
    pub panel: String,
    /// The name.
    pub claim: String,
    /// `core`, `side` or `sanity`.
    pub weight: String,
    /// The statement of the paper, or our own.
    pub stated: String,
    /// The measured value, with its interval.
    pub measured: String,
    /// The verdict, with the number of seeds if it is provisional.
    pub verdict: String,
}

impl ClaimRow {
    /// True if the verdict of the figure depends on it.
    pub(crate) fn is_core(&self) -> bool {
        self.weight == name_of(Weight::Core)
    }
}

/// A table that is not one.
#[derive(Debug, thiserror::Error)]
#[error("a table of claims: {0}")]
pub struct ClaimTableError(#[from] csv::Error);

/// The name of a figure's table.
pub fn file_name(figure: &str) -> String {
    format!("{}-claims.csv", figure.to_lowercase())
}

/// The rows of a figure, in the order of its record.
pub fn rows(result: &FigureResult) -> Vec<ClaimRow> {
    let claims = result.figure.claims.iter().zip(&result.findings);
    let row = |(claim, finding): (&Claim, &Finding)| ClaimRow {
        panel: claim.panel.to_owned(),
        claim: claim.id.to_owned(),
        weight: name_of(claim.weight).to_owned(),
        stated: claim.stated.to_owned(),
        measured: finding.measured.clone(),
        verdict: finding.standing().to_string(),
    };
    claims.map(row).collect()
}

/// The table of these rows.
pub fn text(rows: &[ClaimRow]) -> String {
    let cells = |row: &ClaimRow| {
        let ClaimRow { panel, claim, weight, stated, measured, verdict } = row.clone();
        vec![panel, claim, weight, stated, measured, verdict]
    };
    csv_of(std::iter::once(COLUMNS.map(str::to_owned).to_vec()).chain(rows.iter().map(cells)))
}

/// Reads a table.
///
/// # Errors
/// A row has another number of columns.
pub fn read(text: &str) -> Result<Vec<ClaimRow>, ClaimTableError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| {
        let record = record?;
        let cell = |index: usize| record.get(index).unwrap_or_default().to_owned();
        let [panel, claim, weight, stated, measured, verdict] = std::array::from_fn(cell);
        Ok(ClaimRow { panel, claim, weight, stated, measured, verdict })
    });
    rows.collect()
}

/// The summary: a row for each claim, with the panels of each verdict, and the values that were measured where it is not
/// reproduced.
pub fn summary(rows: &[ClaimRow]) -> String {
    let mut table = "| claim | stated | verdict |\n|---|---|---|\n".to_owned();
    let is_same = |one: &ClaimRow, other: &ClaimRow| {
        (&one.claim, &one.weight, &one.stated) == (&other.claim, &other.weight, &other.stated)
    };
    for (index, row) in rows.iter().enumerate() {
        if rows[..index].iter().any(|earlier| is_same(earlier, row)) {
            continue;
        }
        let group: Vec<&ClaimRow> = rows.iter().filter(|other| is_same(row, other)).collect();
        let _ =
            writeln!(table, "| {}{} | {} | {} |", row.claim, mark(&row.weight), row.stated, verdicts(&group));
    }
    table
}

/// The verdicts on one claim, each with its panels.
fn verdicts(group: &[&ClaimRow]) -> String {
    let mut known: Vec<&str> = Vec::new();
    for row in group {
        if !known.contains(&row.verdict.as_str()) {
            known.push(&row.verdict);
        }
    }
    let one = |verdict: &str| {
        let of_verdict: Vec<&&ClaimRow> = group.iter().filter(|row| row.verdict == verdict).collect();
        let panel =
            |row: &ClaimRow| if row.panel.is_empty() { String::new() } else { format!(" {}", row.panel) };
        if verdict == REPRODUCED {
            let panels: Vec<String> = of_verdict.iter().map(|row| panel(row)).collect();
            return format!("{verdict}{}", panels.join(","));
        }
        let values: Vec<String> =
            of_verdict.iter().map(|row| format!("{}: {}", panel(row), brief(&row.measured))).collect();
        format!("{verdict}{}", values.join(";"))
    };
    known.into_iter().map(one).collect::<Vec<_>>().join("<br>")
}

/// A measured value without lists of more than four points: the table has them.
fn brief(measured: &str) -> String {
    let is_list = |part: &str| part.starts_with("not at x = ");
    let parts = measured.split("; ").map(|part| match part.split_once(", ") {
        Some((count, places)) if is_list(places) && places.matches(", ").count() > 3 => count,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn mark(weight: &str) -> &'static str {
    match weight {
        "core" => "★",
        "sanity" => " (sanity)",
        _ => "",
    }
}

fn name_of(weight: Weight) -> &'static str {
    match weight {
        Weight::Core => "core",
        Weight::Side => "side",
        Weight::Sanity => "sanity",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(panel: &str, claim: &str, measured: &str, verdict: &str) -> ClaimRow {
        ClaimRow {
            panel: panel.to_owned(),
            claim: claim.to_owned(),
            weight: "core".to_owned(),
            stated: "it is faster".to_owned(),
            measured: measured.to_owned(),
            verdict: verdict.to_owned(),
        }
    }

    #[test]
    fn a_table_reads_as_it_was_written() {
        let rows = vec![row("a", "C1", "0.9, with \"quotes\"", REPRODUCED), row("", "C2", "", "PARTIAL")];
        assert_eq!(read(&text(&rows)).expect("a table"), rows);
        assert!(read("panel,claim,weight,stated,measured,verdict\na,C1\n").is_err());
    }

    #[test]
    fn a_claim_about_several_panels_is_one_row_with_values_where_it_fails() {
        let rows = [
            row("a", "C1", "0.9", REPRODUCED),
            row("b", "C1", "0.8", REPRODUCED),
            row("c", "C1", "1 of 9 points, not at x = 1, 2, 3, 4, 5; ratio from 1.0", "NOT REPRODUCED"),
            row("", "C2", "2 of 3 points, not at x = 1", "PARTIAL"),
        ];
        let lines: Vec<String> = summary(&rows).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "| C1★ | it is faster | REPRODUCED a, b<br>NOT REPRODUCED c: 1 of 9 points; ratio from 1.0 |",
                "| C2★ | it is faster | PARTIAL: 2 of 3 points, not at x = 1 |",
            ]
        );
    }
}
