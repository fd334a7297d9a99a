//! Writes a figure as a page of Markdown (curves, claims, verdicts) and as rows of a table of all runs.

use std::fmt::Write;

use super::FigureResult;
use super::by_seed::BySeed;
use super::claim::{Claim, Weight};
use super::curve_table;
use super::figure::{Panel, SideColumn};
use super::results::Metric;
use super::verdict::Standing;
use crate::scale::StudyScale;

/// The columns of [`csv()`].
pub const CSV_HEAD: &str =
    "figure,setting,panel,series,x,seed,value,sacks_by_timer,shared_sacks,fast_retransmits,timeouts\n";

/// The metrics of a run beside its panel's own, in the order of [`CSV_HEAD`].
const BESIDE: [Metric; 4] =
    [Metric::SacksByTimer, Metric::SharedSacks, Metric::FastRetransmits, Metric::Timeouts];

/// The figure with its default setting.
pub fn figure(outcome: &FigureResult, scale: StudyScale) -> String {
    let figure = &outcome.figure;
    let mut page = format!("# {}: {}\n\n", figure.id, figure.title);
    if scale == StudyScale::Quick {
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

/// A claim's panel and its name.
pub(super) fn name(claim: &Claim) -> String {
    format!("{} {}", claim.panel, claim.id).trim().to_owned()
}

/// One row a value: of a run, or of a model.
pub fn csv(outcome: &FigureResult) -> String {
    let mut rows = String::new();
    let (figure, setting) = (outcome.figure.id, outcome.setting);
    for panel in &outcome.figure.panels {
        for series in &panel.series {
            for (x, _) in &series.points {
                let point = |metric| {
                    let point = outcome.results.point(panel.name, series.name, metric, *x);
                    point.map(BySeed::values).unwrap_or_default()
                };
                let beside = BESIDE.map(point);
                for (seed, value) in point(panel.metric).iter().enumerate() {
                    let (panel, series, seed_number) = (panel.name, series.name, seed + 1);
                    let _ =
                        write!(rows, "{figure},\"{setting}\",{panel},\"{series}\",{x},{seed_number},{value}");
                    for values in beside {
                        let value = values.get(seed).map(f64::to_string).unwrap_or_default();
                        let _ = write!(rows, ",{value}");
                    }
                    rows.push('\n');
                }
            }
        }
    }
    rows
}

/// The panel's table: a row a point, a column a curve, and what stands beside them.
fn curves(outcome: &FigureResult, panel: &Panel) -> String {
    let mut page = format!("\n## {} {}: {}\n\n", outcome.figure.id, panel.name, panel.title);
    let runs = if panel.seeds == 1 { "1 run".to_owned() } else { format!("{} runs", panel.seeds) };
    let of = if panel.is_simulated() {
        format!(", mean and 95 % interval of {runs} a point")
    } else {
        String::new()
    };
    let _ = writeln!(page, "{}{of}.\n", panel.metric.label());
    let names: Vec<&str> = panel.series.iter().map(|series| series.name).collect();
    let heads = names.iter().copied().chain(panel.beside.iter().map(|beside| beside.head()));
    let heads: Vec<&str> = heads.collect();
    let _ = writeln!(
        page,
        "| {} | {} |\n|---:|{}",
        panel.axis.label,
        heads.join(" | "),
        "---:|".repeat(heads.len())
    );
    for x in panel.places() {
        let values = names.iter().map(|name| {
            let point = outcome.results.point(panel.name, name, panel.metric, x);
            point.map_or_else(|| "–".to_owned(), |sample| sample.interval().to_string())
        });
        let beside = panel.beside.iter().map(|beside| beside.cell(outcome, panel, x));
        let cells: Vec<String> = values.chain(beside).collect();
        let _ = writeln!(page, "| {x} | {} |", cells.join(" | "));
    }
    page
}

/// The columns beside the curves of a panel as CSV, as its table has them; `None` for a panel without any.
pub(crate) fn side_columns(outcome: &FigureResult, panel: &Panel) -> Option<String> {
    if panel.beside.is_empty() {
        return None;
    }
    let head = std::iter::once(panel.axis.label.to_owned());
    let head = head.chain(panel.beside.iter().map(|beside| beside.head().to_owned()));
    let rows = panel.places().into_iter().map(|x| {
        let cells = panel.beside.iter().map(|beside| beside.cell(outcome, panel, x));
        std::iter::once(x.to_string()).chain(cells).collect()
    });
    Some(curve_table::csv_of(std::iter::once(head.collect()).chain(rows)))
}

impl SideColumn {
    fn head(self) -> &'static str {
        match self {
            SideColumn::Ratio => "ratio of the first two",
            SideColumn::Timeouts => "time-outs of the first two",
            SideColumn::SacksByTimer => "SACKs by timer",
            SideColumn::SharedSacks => "SACKs of both paths",
        }
    }

    fn cell(self, outcome: &FigureResult, panel: &Panel, x: f64) -> String {
        let point = |index: usize, metric| {
            let series = panel.series.get(index)?;
            outcome.results.point(panel.name, series.name, metric, x)
        };
        let mean = |index, metric| point(index, metric).map_or(f64::NAN, BySeed::mean);
        match self {
            SideColumn::Ratio => {
                let both = point(0, panel.metric).zip(point(1, panel.metric));
                both.map_or_else(|| "–".to_owned(), |(one, two)| one.over(two).to_string())
            }
            SideColumn::Timeouts => {
                format!("{:.1}, {:.1}", mean(0, Metric::Timeouts), mean(1, Metric::Timeouts))
            }
            SideColumn::SacksByTimer => format!("{:.1}", mean(0, Metric::SacksByTimer)),
            SideColumn::SharedSacks => format!("{:.1} %", mean(0, Metric::SharedSacks) * 100.0),
        }
    }
}

fn claims(outcome: &FigureResult) -> String {
    let figure = &outcome.figure;
    if figure.claims.is_empty() {
        return "\n".to_owned();
    }
    let mut page = String::from("\n## Verdicts\n\n");
    page.push_str("| claim | stated | measured | verdict |\n|---|---|---|---|\n");
    for (claim, finding) in figure.claims.iter().zip(&outcome.findings) {
        let mark = match claim.weight {
            Weight::Core => "★",
            Weight::Side => "",
            Weight::Sanity => " (sanity)",
        };
        let (name, stated, measured) = (name(claim), claim.stated, &finding.measured);
        let _ = writeln!(page, "| {name}{mark} | {stated} | {measured} | {} |", finding.standing());
    }
    page.push('\n');
    if figure.panels.len() > 1 {
        let panels = figure.panels.iter().filter_map(|panel| {
            outcome.standing(panel.name).map(|standing| format!("{} {standing}", panel.name))
        });
        let panels: Vec<String> = panels.collect();
        if !panels.is_empty() {
            let _ = writeln!(page, "By panel: {}.\n", panels.join(", "));
        }
    }
    let _ = writeln!(page, "**{}: {}**\n", figure.id, told(outcome.standing("")));
    page
}

pub(super) fn told(standing: Option<Standing>) -> String {
    standing.map_or_else(|| "report only".to_owned(), |standing| standing.to_string())
}
