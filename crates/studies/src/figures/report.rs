//! A figure as a page of Markdown: curves, claims, verdicts; and as rows of a table of all runs. It judges nothing.

use std::fmt::Write;

use super::Outcome;
use super::by_seed::BySeed;
use super::claim::{Verdict, Weight};
use super::figure::{Metric, Panel};
use crate::scale::Scale;

/// The columns of [`csv()`].
pub const CSV_HEAD: &str =
    "figure,setting,panel,series,x,seed,time_s,sacks_by_timer,shared_sacks,fast_retransmits,timeouts\n";

/// The metrics in the order of [`CSV_HEAD`].
const COLUMNS: [Metric; 5] =
    [Metric::Time, Metric::SacksByTimer, Metric::SharedSacks, Metric::FastRetransmits, Metric::Timeouts];

/// The figure with its default setting.
pub fn figure(outcome: &Outcome, scale: Scale) -> String {
    let figure = &outcome.figure;
    let mut page = format!("## {}: {}\n\n", figure.id, figure.title);
    if scale == Scale::Quick {
        page.push_str("Quick scale: this judges no paper.\n\n");
    }
    for (name, value) in &figure.params {
        let _ = writeln!(page, "- {name}: {value}");
    }
    for panel in &figure.panels {
        page.push_str(&curves(outcome, panel));
    }
    page.push_str(&claims(outcome));
    page
}

/// The verdicts of the sensitivity set, beside the headline's.
pub fn members(headline: &Outcome, members: &[Outcome]) -> String {
    if members.is_empty() {
        return String::new();
    }
    let core: Vec<usize> = (0..headline.figure.claims.len())
        .filter(|index| headline.figure.claims[*index].weight == Weight::Core)
        .collect();
    let mut page =
        format!("Sensitivity of {}, one thing changed at a time:\n\n| setting |", headline.figure.id);
    for index in &core {
        let claim = &headline.figure.claims[*index];
        let _ = write!(page, " {} {} |", claim.panel, claim.id);
    }
    let _ = writeln!(page, " all |\n|---|{}", "---|".repeat(core.len() + 1));
    for outcome in std::iter::once(headline).chain(members) {
        let _ = write!(page, "| {} |", outcome.setting.name);
        for index in &core {
            let _ = write!(page, " {} |", outcome.findings[*index].verdict.word());
        }
        let _ = writeln!(page, " **{}** |", word(outcome.verdict("")));
    }
    page.push('\n');
    for outcome in members {
        page.push_str(&misses(outcome));
    }
    page
}

/// The core claims of a member that did not come out, with what was measured.
fn misses(outcome: &Outcome) -> String {
    let claims = outcome.figure.claims.iter().zip(&outcome.findings);
    let is_miss = |verdict| verdict != Verdict::Reproduced;
    let mut page = String::new();
    for (claim, finding) in
        claims.filter(|(claim, finding)| claim.weight == Weight::Core && is_miss(finding.verdict))
    {
        let (setting, panel, id) = (outcome.setting.name, claim.panel, claim.id);
        let _ = writeln!(page, "- {setting}, {panel} {id}: {}", finding.measured);
    }
    if !page.is_empty() {
        page.push('\n');
    }
    page
}

/// One row a run.
pub fn csv(outcome: &Outcome) -> String {
    let mut rows = String::new();
    let (figure, setting) = (outcome.figure.id, outcome.setting.name);
    for panel in &outcome.figure.panels {
        for series in &panel.series {
            for (x, _) in &series.points {
                let point = |metric| {
                    let point = outcome.results.point(panel.name, series.name, metric, *x);
                    point.map(BySeed::values).unwrap_or_default()
                };
                let columns = COLUMNS.map(point);
                for seed in 0..columns[0].len() {
                    let _ = write!(
                        rows,
                        "{figure},\"{setting}\",{},{},{x},{}",
                        panel.name,
                        series.name,
                        seed + 1
                    );
                    columns.iter().filter_map(|values| values.get(seed)).for_each(|value| {
                        let _ = write!(rows, ",{value}");
                    });
                    rows.push('\n');
                }
            }
        }
    }
    rows
}

/// The panel's table: a row a point, a column a curve; the ratio of the first two curves and their time-outs; how the
/// first was acknowledged.
fn curves(outcome: &Outcome, panel: &Panel) -> String {
    let figure = &outcome.figure;
    let plural = if panel.seeds == 1 { "" } else { "s" };
    let mut page = format!("\n### {} {}: {}\n\n", figure.id, panel.name, panel.title);
    let _ =
        writeln!(page, "{}, mean and 95 % interval of {} run{plural} a point.\n", figure.metric, panel.seeds);
    let names: Vec<&str> = panel.series.iter().map(|series| series.name).collect();
    let _ = writeln!(
        page,
        "| {} | {} | ratio of the first two | their time-outs | SACKs by timer | SACKs of both paths |\n|---:|{}",
        figure.sweep,
        names.join(" | "),
        "---:|".repeat(names.len() + 4)
    );
    let [first, second, ..] = names.as_slice() else { return page };
    let places = panel.series[0].points.iter().map(|(x, _)| *x);
    for x in places {
        let at = |name, metric| outcome.results.point(panel.name, name, metric, x);
        let mean = |name, metric| at(name, metric).map_or(f64::NAN, BySeed::mean);
        let times = names.iter().map(|name| {
            at(name, Metric::Time).map_or_else(|| "–".to_owned(), |sample| sample.interval().to_string())
        });
        let ratio =
            at(first, Metric::Time).zip(at(second, Metric::Time)).map(|(one, two)| one.over(two).to_string());
        let _ = writeln!(
            page,
            "| {x} | {} | {} | {:.1}, {:.1} | {:.1} | {:.1} % |",
            times.collect::<Vec<String>>().join(" | "),
            ratio.unwrap_or_default(),
            mean(first, Metric::Timeouts),
            mean(second, Metric::Timeouts),
            mean(first, Metric::SacksByTimer),
            mean(first, Metric::SharedSacks) * 100.0
        );
    }
    page
}

fn claims(outcome: &Outcome) -> String {
    let figure = &outcome.figure;
    if figure.claims.is_empty() {
        return "\n".to_owned();
    }
    let mut page = format!("\n### {}: verdicts\n\n", figure.id);
    page.push_str("| claim | stated | measured | verdict |\n|---|---|---|---|\n");
    for (claim, finding) in figure.claims.iter().zip(&outcome.findings) {
        let mark = match claim.weight {
            Weight::Core => "★",
            Weight::Side => "",
            Weight::Sanity => " (sanity)",
        };
        let name = format!("{} {}{mark}", claim.panel, claim.id);
        let (stated, measured) = (claim.stated, &finding.measured);
        let _ = writeln!(page, "| {} | {stated} | {measured} | {} |", name.trim(), finding.verdict.word());
    }
    page.push('\n');
    if figure.panels.len() > 1 {
        let panels = figure.panels.iter().filter_map(|panel| {
            outcome.verdict(panel.name).map(|verdict| format!("{} {}", panel.name, verdict.word()))
        });
        let panels: Vec<String> = panels.collect();
        if !panels.is_empty() {
            let _ = writeln!(page, "By panel: {}.\n", panels.join(", "));
        }
    }
    let _ = writeln!(page, "**{}: {}**\n", figure.id, word(outcome.verdict("")));
    page
}

fn word(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("report only", Verdict::word)
}
