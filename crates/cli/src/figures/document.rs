//! The JSON of a judged figure.

use std::path::PathBuf;

use anabranch_studies::figures::catalogue::panels_of;
use anabranch_studies::figures::claim::{Claim, Finding, Weight};
use anabranch_studies::figures::session::name_of;
use anabranch_studies::figures::verdict::Standing;
use anabranch_studies::figures::{FigureName, FigureResult};
use serde_json::{Value, json};

/// A figure's verdicts, and the files that were written of it.
pub fn figure(name: FigureName, result: &FigureResult, files: &[PathBuf]) -> Value {
    let verdict = |standing: Option<Standing>| standing.map(|standing| standing.verdict.word());
    let whole = result.standing("");
    let panel = |entry: &anabranch_studies::figures::catalogue::PanelEntry| json!({ "id": entry.id, "verdict": verdict(entry.standing(result)) });
    let claims = result.figure.claims.iter().zip(&result.findings);
    json!({
        "figure": name_of(name),
        "title": result.figure.title,
        "verdict": verdict(whole),
        "provisional_seeds": whole.and_then(|standing| standing.provisional),
        "panels": panels_of(name).map(panel).collect::<Vec<_>>(),
        "claims": claims.map(claim).collect::<Vec<_>>(),
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
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
