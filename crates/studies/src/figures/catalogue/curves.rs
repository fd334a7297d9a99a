//! The part of a section of docs/figures.md that shows its figure's curves: what they took, and a picture and a table of each
//! panel, as docs/figures/ has them.

use std::fmt::Write as _;

use crate::figures::curve_table;
use crate::figures::figure::{Figure, Panel};

/// The line before a figure's curves.
fn curves_begin(figure: &str) -> String {
    format!("<!-- generated: curves of {figure} -->")
}

/// The line behind them.
const CURVES_END: &str = "<!-- end of curves -->";

/// What stands between the two lines, with the seconds of processor time that the figure took.
fn curves(figure: &Figure, processor_s: Option<f64>) -> String {
    let mut text = match processor_s {
        Some(seconds) => format!("Curves, made in {} of processor time:\n", told(seconds)),
        None => "Curves:\n".to_owned(),
    };
    for panel in &figure.panels {
        let table = curve_table::file_name(figure.id, panel);
        let picture = table.replace(".csv", ".svg");
        let name = [figure.id, panel.name].join(" ");
        let _ = writeln!(
            text,
            "\n![{}: {}](figures/{picture})\n\n{}; [its table](figures/{table}).",
            name.trim(),
            panel.title,
            caption(panel)
        );
    }
    text
}

/// What the axes show.
fn caption(panel: &Panel) -> String {
    let runs = match panel.seeds {
        _ if !panel.is_simulated() => String::new(),
        1 => ", 1 run a point".to_owned(),
        seeds => format!(", {seeds} runs a point"),
    };
    format!("{}: {} by {}{runs}", panel.title, panel.metric.label(), panel.axis.label)
}

/// The section with its curves written anew: in the place of those that it has, else behind its verdict, else at its end.
pub fn with_curves(section: &str, figure: &Figure, processor_s: Option<f64>) -> String {
    let begin = curves_begin(figure.id);
    let made = format!("{begin}\n{}{CURVES_END}", curves(figure, processor_s));
    if let Some((before, rest)) = section.split_once(&begin) {
        let after = rest.split_once(CURVES_END).map_or("", |(_, after)| after);
        return format!("{before}{made}{after}");
    }
    let verdict = section.lines().find(|line| line.starts_with("**") && line.ends_with("**"));
    match verdict.and_then(|line| section.split_once(line).map(|(before, after)| (before, line, after))) {
        Some((before, line, after)) => format!("{before}{line}\n\n{made}{after}"),
        None => format!("{}\n\n{made}\n", section.trim_end()),
    }
}

/// Seconds below a hundred, then minutes.
pub fn told(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1.0 => "less than a second".to_owned(),
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", seconds / 60.0),
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
        let section = "text\n\n**YE-F30: REPRODUCED**\n\nmore\n";
        let once = with_curves(section, &record, Some(3.2));
        assert!(once.starts_with(
            "text\n\n**YE-F30: REPRODUCED**\n\n<!-- generated: curves of YE-F30 -->\nCurves, made in 3 s"
        ));
        assert!(once.contains("](figures/ye-f30-f30.svg)") && once.ends_with("more\n"), "{once}");
        let twice = with_curves(&once, &record, Some(320.0));
        assert_eq!(twice, once.replace("3 s of", "5 min of"));
        assert!(with_curves("text\n", &record, None).ends_with("<!-- end of curves -->\n"));
    }
}
