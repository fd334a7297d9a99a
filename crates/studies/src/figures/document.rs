//! The JSON of a judged figure.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::claim::{Claim, Finding, Weight};
use super::curve_table::{self, CurveRow};
use super::figure::{Figure, Panel, Spacing};
use super::selection::Selection;
use super::stated::{self, StatedRange};
use super::verdict::Standing;
use super::{FigureResult, PanelEntry};

/// The verdicts of a figure, or of a part of it, and the files that were written of it.
pub fn figure(selection: &Selection, result: &FigureResult, files: &[PathBuf]) -> Value {
    let verdict = |standing: Option<Standing>| standing.map(|standing| standing.verdict.word());
    let whole = result.standing("");
    let panel = |entry: &PanelEntry| json!({ "id": entry.id, "verdict": verdict(entry.standing(result)) });
    let claims = result.figure.claims.iter().zip(&result.findings);
    json!({
        "figure": selection.figure().id,
        "title": result.figure.title,
        "verdict": verdict(whole),
        "provisional_seeds": whole.and_then(|standing| standing.provisional),
        "panels": selection.entries().map(panel).collect::<Vec<_>>(),
        "claims": claims.map(claim).collect::<Vec<_>>(),
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    })
}

/// The panels with their curves, for drawing.
pub fn curves(result: &FigureResult) -> Value {
    let panel = |panel: &Panel| {
        let mut drawn = outline_of(&result.figure, panel);
        drawn["rows"] = curve_table::rows(result, panel).iter().map(row).collect();
        drawn
    };
    result.figure.panels.iter().map(panel).collect()
}

/// The panels without their curves: what draws tables that were made before.
pub fn outline(figure: &Figure) -> Value {
    figure.panels.iter().map(|panel| outline_of(figure, panel)).collect()
}

fn outline_of(figure: &Figure, panel: &Panel) -> Value {
    json!({
        "name": panel.name,
        "title": panel.title,
        "file": curve_table::file_name(figure.id, panel).trim_end_matches(".csv"),
        "x": panel.axis.label,
        "y": panel.metric.label(),
        "is_logarithmic": panel.axis.spacing == Spacing::Logarithmic,
        "stated": stated::ranges(figure, panel).iter().map(stated_range).collect::<Vec<_>>(),
    })
}

/// Open ends are null.
fn stated_range(stated: &StatedRange) -> Value {
    let end = |end: f64| end.is_finite().then_some(end);
    let StatedRange { claim, series, places, range } = stated;
    json!({
        "claim": claim,
        "series": series,
        "from": places.0,
        "to": places.1,
        "low": end(range.0),
        "high": end(range.1),
    })
}

fn row(row: &CurveRow) -> Value {
    json!({
        "series": row.series, "source": row.source, "x": row.x, "mean": row.mean, "ci95": row.ci95, "n": row.n,
    })
}

fn claim((claim, finding): (&Claim, &Finding)) -> Value {
    json!({
        "panel": claim.panel,
        "id": claim.id,
        "core": claim.weight == Weight::Core,
        "stated": claim.stated,
        "measured": finding.measured,
        "verdict": finding.verdict.word(),
    })
}
