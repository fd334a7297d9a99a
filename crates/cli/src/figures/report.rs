//! `figures report`: judges figures by the runs that are kept, and lists missing runs.

use std::fmt::Write as _;
use std::sync::Arc;

use anabranch_observe::{Body, CannotWrite};
use anabranch_studies::figures::catalogue::verdict_in;
use anabranch_studies::figures::claim::Verdict;
use anabranch_studies::figures::selection::Selection;
use anabranch_studies::figures::session::{Lack, judged_by_kept};
use anabranch_studies::figures::{FigureResult, PanelEntry, RunOptions, document, report as pages};
use serde_json::{Value, json};

use super::progress::FigureWatch;
use super::run::page;
use super::{figures, options, scale_name};
use crate::arguments::{ReportArguments, StudyArguments};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// The state of a figure.
enum Known {
    /// Judged by the runs that are kept.
    Judged(Box<FigureResult>),
    /// The page of its last run, for a figure whose runs cannot be kept.
    Page(String),
    /// The number of missing runs.
    Runs(usize),
    /// It was never run.
    Never,
}

/// Runs the command.
///
/// # Errors
/// The folder cannot be used, a record cannot be computed, or Ctrl-C.
pub(super) async fn report(
    arguments: &ReportArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let mut options = options(&arguments.study, Arc::new(FigureWatch::default()))?;
    let selection = figures(&arguments.ids);
    let study = arguments.study.clone();
    let known = interrupt.or_done(move || known_of(&selection, &study, &mut options)).await??;
    let study = &arguments.study;
    let path = study.dir.join(format!("report-{}.md", scale_name(study.scale)));
    let text = markdown(&known, study);
    anabranch_files::write(&path, text).map_err(|source| CannotWrite { path: path.clone(), source })?;
    let body = json!({
        "out": study.dir.display().to_string(),
        "scale": scale_name(study.scale),
        "report": path.display().to_string(),
        "figures": known.iter().filter_map(|(selection, known)| known.document(selection)).collect::<Vec<_>>(),
        "missing": known.iter().filter_map(|(selection, known)| known.missing(selection)).collect::<Vec<_>>(),
    });
    let line = |(selection, known): &(Selection, Known)| {
        format!("{:<10} {}\n", selection.name(), known.line(selection))
    };
    let lines: String = known.iter().map(line).collect();
    let summary = format!("{lines}\nThe report is in {}.\n", path.display());
    Ok(Outcome { document: Some(Body::of(&body)), summary, failure: None, ..Outcome::default() })
}

fn known_of(
    selection: &[Selection],
    study: &StudyArguments,
    options: &mut RunOptions,
) -> Result<Vec<(Selection, Known)>, Failure> {
    let mut all = Vec::new();
    for one in selection {
        let known = known(one, study, options)?;
        let panels = match known {
            Known::Runs(_) => one.by_panel(),
            _ => Vec::new(),
        };
        let panels =
            panels.into_iter().map(|panel| Ok((panel.clone(), self::known(&panel, study, options)?)));
        let panels = panels.collect::<Result<Vec<(Selection, Known)>, Failure>>()?;
        // If the whole figure cannot be judged, some of its panels may be.
        if panels.iter().any(|(_, known)| matches!(known, Known::Judged(_))) {
            all.extend(panels);
        } else {
            all.push((one.clone(), known));
        }
    }
    Ok(all)
}

fn known(selection: &Selection, study: &StudyArguments, options: &mut RunOptions) -> Result<Known, Failure> {
    Ok(match judged_by_kept(selection, options)? {
        Ok(result) => Known::Judged(Box::new(result)),
        Err(Lack::Runs(missing)) => Known::Runs(missing),
        Err(_) => page(study, selection).map_or(Known::Never, Known::Page),
    })
}

impl Known {
    /// The verdict of a panel, if it is known.
    fn verdict(&self, entry: &PanelEntry) -> Option<String> {
        match self {
            Known::Judged(result) => entry.standing(result).map(|standing| standing.to_string()),
            Known::Page(page) => verdict_in(page, entry).map(|verdict| verdict.word().to_owned()),
            Known::Runs(_) | Known::Never => None,
        }
    }

    fn line(&self, selection: &Selection) -> String {
        let panels = selection.entries().map(|entry| {
            let verdict = self.verdict(entry).unwrap_or_else(|| "unknown".to_owned());
            format!("{} {verdict}", entry.id)
        });
        match self {
            Known::Runs(missing) => {
                format!("{missing} runs are missing: anabranch figures run {}", selection.name())
            }
            Known::Never => format!("not run yet: anabranch figures run {}", selection.name()),
            Known::Judged(_) | Known::Page(_) => match panels.collect::<Vec<_>>().join(", ") {
                panels if panels.is_empty() => "in the report".to_owned(),
                panels => panels,
            },
        }
    }

    fn document(&self, selection: &Selection) -> Option<Value> {
        match self {
            Known::Judged(result) => Some(document::figure(selection, result, &[])),
            Known::Page(page) => {
                let panel = |entry: &PanelEntry| json!({ "id": entry.id, "verdict": verdict_in(page, entry).map(Verdict::word) });
                Some(
                    json!({ "figure": selection.figure().id, "panels": selection.entries().map(panel).collect::<Vec<_>>() }),
                )
            }
            Known::Runs(_) | Known::Never => None,
        }
    }

    fn missing(&self, selection: &Selection) -> Option<Value> {
        match self {
            Known::Runs(missing) => Some(json!({ "figure": selection.figure().id, "runs": missing })),
            Known::Never => Some(json!({ "figure": selection.figure().id, "runs": null })),
            Known::Judged(_) | Known::Page(_) => None,
        }
    }
}

/// The verdicts of all figures, the missing runs, and the page of each figure.
fn markdown(known: &[(Selection, Known)], study: &StudyArguments) -> String {
    let mut text = format!(
        "# Figures, {} scale\n\n| panel | shows | verdict |\n|---|---|---|\n",
        scale_name(study.scale)
    );
    for (selection, known) in known {
        for entry in selection.entries() {
            let verdict = known.verdict(entry).unwrap_or_else(|| "not run".to_owned());
            let _ = writeln!(text, "| {} | {} | {verdict} |", entry.id, entry.title);
        }
    }
    text.push('\n');
    for (selection, known) in known.iter().filter(|(selection, known)| known.missing(selection).is_some()) {
        let _ = writeln!(text, "- {}: {}", selection.name(), known.line(selection));
    }
    for (_, known) in known {
        match known {
            Known::Judged(result) => {
                let _ = write!(text, "\n{}", one_level_down(&pages::figure(result, study.scale)));
            }
            Known::Page(page) => {
                let _ = write!(text, "\n{}", one_level_down(page));
            }
            Known::Runs(_) | Known::Never => {}
        }
    }
    text
}

/// The page of a figure as a part of the report: each heading is one level lower.
fn one_level_down(page: &str) -> String {
    let heading = |line: &str| if line.starts_with('#') { "#" } else { "" };
    page.lines().map(|line| format!("{}{line}\n", heading(line))).collect()
}
