//! The part of a figure's page in docs/figures/ that summarises its claims.

use crate::figures::claim_table::{ClaimRow, file_name, summary};

/// The line before the summary.
const CLAIMS_BEGIN: &str = "<!-- generated: claims -->";
/// The line after it.
const CLAIMS_END: &str = "<!-- end of claims -->";

/// The page with its summary written anew; unchanged without a place for one.
pub fn with_claims(page: &str, figure: &str, rows: &[ClaimRow]) -> String {
    let Some((before, rest)) = page.split_once(CLAIMS_BEGIN) else {
        return page.to_owned();
    };
    let after = rest.split_once(CLAIMS_END).map_or("", |(_, after)| after);
    let file = file_name(figure);
    let made = format!("\n{}\nMeasured values: [{file}]({file}).\n\n", summary(rows));
    [before, CLAIMS_BEGIN, "\n", &made, CLAIMS_END, after].concat()
}
