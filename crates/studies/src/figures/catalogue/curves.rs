//! The part of a figure's page in docs/figures/ that shows its curves: a picture and a table of each panel.

use std::fmt::Write as _;

use crate::figures::curve_table;
use crate::figures::figure::{Figure, Panel};

/// The line before a figure's curves.
const CURVES_BEGIN: &str = "<!-- generated: curves -->";
/// The line behind them.
const CURVES_END: &str = "<!-- end of curves -->";

/// The text between the two lines. `is_there` answers for the files of columns beside curves, which few panels have.
fn curves(figure: &Figure, is_there: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for panel in &figure.panels {
        let table = curve_table::file_name(figure.id, panel);
        let picture = table.replace(".csv", ".svg");
        let beside = curve_table::beside_file_name(&table);
        let beside = if is_there(&beside) { format!(", [more columns]({beside})") } else { String::new() };
        let name = [figure.id, panel.name].join(" ");
        let caption = caption(panel);
        let _ = writeln!(text, "\n![{}]({picture})\n\n{caption} ([table]({table}){beside}).", name.trim());
    }
    text
}

/// The title of a panel and its runs; the picture names the axes.
fn caption(panel: &Panel) -> String {
    let runs = if panel.is_simulated() {
        format!(", {} runs a point", panel.seeds).replace(" 1 runs", " 1 run")
    } else {
        String::new()
    };
    format!("{}{runs}", panel.title)
}

/// The page with its curves written anew: in the place of those that it has, else behind its verdict, else at its end.
pub fn with_curves(page: &str, figure: &Figure, is_there: impl Fn(&str) -> bool) -> String {
    let made = format!("{CURVES_BEGIN}\n{}\n{CURVES_END}", curves(figure, is_there));
    if let Some((before, rest)) = page.split_once(CURVES_BEGIN) {
        let after = rest.split_once(CURVES_END).map_or("", |(_, after)| after);
        return format!("{before}{made}{after}");
    }
    let verdict = page.lines().find(|line| line.starts_with("**") && line.ends_with("**"));
    match verdict.and_then(|line| page.split_once(line).map(|(before, after)| (before, line, after))) {
        Some((before, line, after)) => format!("{before}{line}\n\n{made}{after}"),
        None => format!("{}\n\n{made}\n", page.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::ye;
    use crate::scale::StudyScale;

    #[test]
    fn curves_stand_behind_the_verdict_and_are_replaced_there() {
        let record =
            ye::lossy_windows::ENTRY.record(StudyScale::Full).unwrap_or_else(|error| panic!("{error}"));
        let page = "text\n\n**YE-F30: REPRODUCED**\n\nmore\n";
        let once = with_curves(page, &record, |_| false);
        assert!(
            once.starts_with(
                "text\n\n**YE-F30: REPRODUCED**\n\n<!-- generated: curves -->\n\n![YE-F30 F30]("
            )
        );
        assert!(once.contains("](ye-f30-f30.svg)") && once.ends_with("more\n"), "{once}");
        assert_eq!(with_curves(&once, &record, |_| false), once);
        let with_columns = with_curves(&once, &record, |file| file == "ye-f30-f30-beside.csv");
        assert!(with_columns.contains("([table](ye-f30-f30.csv), [more columns](ye-f30-f30-beside.csv))."));
        assert!(with_curves("text\n", &record, |_| false).ends_with("<!-- end of curves -->\n"));
    }
}
