//! `anabranch figures`: reproduces the papers' figures. The crate `studies` has the figures and judges them.

mod list;
mod progress;
mod report;
mod run;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anabranch_studies::figures::selection::{Selection, selection};
use anabranch_studies::figures::{FIGURES, RunOptions};
use anabranch_studies::kept_runs::{KeptRuns, by_recorded_results};
use anabranch_studies::scale::StudyScale;

use crate::arguments::{ALL, FiguresArguments, FiguresCommand, StudyArguments};
use crate::failure::{Failure, LabFailure};
use crate::interrupt::Interrupt;
use crate::report::Outcome;
use progress::FigureWatch;

/// Runs the command.
///
/// # Errors
/// A folder cannot be read or written, a figure cannot be run, or Ctrl-C before there is a result.
pub(crate) async fn run(arguments: &FiguresArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    match &arguments.command {
        FiguresCommand::List(_) => Ok(list::list()),
        FiguresCommand::Run(arguments) => run::run(arguments, interrupt).await,
        FiguresCommand::Report(arguments) => report::report(arguments, interrupt).await,
    }
}

/// The figures and panels with these names, each once, in the order of the catalogue; every figure if none is given.
fn figures(ids: &[String]) -> Vec<Selection> {
    if ids.is_empty() || ids.iter().any(|id| id.eq_ignore_ascii_case(ALL)) {
        return FIGURES.iter().map(|figure| Selection::whole(figure)).collect();
    }
    // The arguments accept only known names.
    selection(ids.iter().map(String::as_str)).unwrap_or_default()
}

/// Returns the options of the runs, with the kept runs.
fn options(study: &StudyArguments, watch: Arc<FigureWatch>) -> Result<RunOptions, Failure> {
    let kept = KeptRuns::in_folder(&study.dir, &by_recorded_results())
        .map_err(|error| LabFailure::Figure(error.into()))?;
    Ok(RunOptions { scale: study.scale, at_most: study.seeds, kept: kept.watched_by(watch) })
}

/// The folder for pages and curves of a scale.
fn folder(study: &StudyArguments) -> PathBuf {
    study.dir.join(scale_name(study.scale))
}

fn scale_name(scale: StudyScale) -> &'static str {
    match scale {
        StudyScale::Quick => "quick",
        StudyScale::Full => "full",
    }
}

/// The file name of a page: `iy-f4.md`, or `iy-f5a-iy-f5b.md` for panels.
fn page_name(selection: &Selection) -> String {
    format!("{}.md", selection.name().to_lowercase().replace(' ', "-"))
}

/// The names in alphabetical order, for messages.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}
