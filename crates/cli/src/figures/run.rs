//! `figures run`: runs figures one after another, and writes each when it is done.

use std::fs;
use std::sync::Arc;

use anabranch_observe::{Body, CannotWrite};
use anabranch_studies::figures::selection::Selection;
use anabranch_studies::figures::session::{self, Judged, Members, WriteError};
use anabranch_studies::figures::{RunOptions, document};
use serde_json::{Value, json};

use super::progress::FigureWatch;
use super::{figures, folder, options, page_name, scale_name};
use crate::arguments::{RunArguments, StudyArguments};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::meter::{Meter, SHARE};
use crate::report::Outcome;
use crate::threads;

/// The finished figures, and the failure that ended the work early.
#[derive(Default)]
struct Done {
    documents: Vec<Value>,
    lines: Vec<String>,
    failure: Option<Failure>,
}

/// Runs the command.
///
/// # Errors
/// The folder cannot be used.
pub(super) async fn run(arguments: &RunArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let watch = Arc::new(FigureWatch::default());
    let mut options = options(&arguments.study, watch.clone())?;
    let work = {
        let (arguments, watch) = (arguments.clone(), watch.clone());
        threads::spawn(move || run_all(&arguments, &mut options, &watch))?
    };
    let meter = Meter::new(arguments.output, SHARE);
    let Done { documents, lines, failure } =
        meter.over(work, interrupt, || watch.progress(), || watch.interrupt()).await?;
    let study = &arguments.study;
    let body = json!({ "out": study.dir.display().to_string(), "scale": scale_name(study.scale), "figures": documents });
    let more = match &failure {
        Some(Failure::Interrupted) => "\nStopped. The same command continues with the runs that are kept.\n",
        _ => "",
    };
    let text = format!("{}\nPages and curves are in {}.\n{more}", lines.concat(), folder(study).display());
    Ok(Outcome { document: Some(Body::of(&body)), summary: text, failure, ..Outcome::default() })
}

/// Runs each figure, until one fails or Ctrl-C.
fn run_all(arguments: &RunArguments, options: &mut RunOptions, watch: &FigureWatch) -> Done {
    let mut done = Done::default();
    for selection in figures(&arguments.ids) {
        watch.on_figure(selection.name());
        let members = if arguments.sensitivity { Members::Named(&[]) } else { Members::None };
        let judged = session::judged(&selection, options, members).map_err(Failure::from);
        match judged.and_then(|judged| written(&selection, &judged, arguments)) {
            Ok((document, line)) => {
                done.documents.push(document);
                done.lines.push(line);
            }
            Err(failure) => {
                done.failure = Some(failure);
                break;
            }
        }
    }
    done
}

/// Writes a figure's page and curves. Returns its document and its line of the summary.
fn written(
    selection: &Selection,
    judged: &Judged,
    arguments: &RunArguments,
) -> Result<(Value, String), Failure> {
    let study = &arguments.study;
    let folder = folder(study);
    let result = &judged.headline;
    let mut files = session::write_curves(result, &folder).map_err(cannot_write)?;
    if arguments.draw {
        files.extend(session::write_drawings(result, &folder).map_err(cannot_write)?);
    }
    let page = folder.join(page_name(selection));
    anabranch_files::write(&page, judged.page(study.scale))
        .map_err(|source| CannotWrite { path: page.clone(), source })?;
    files.push(page);
    let verdict = result.standing("").map_or("report only".to_owned(), |standing| standing.to_string());
    let line = format!("{:<10} {verdict}: {}\n", selection.name(), result.figure.title);
    Ok((document::figure(selection, result, &files), line))
}

fn cannot_write(error: WriteError) -> Failure {
    CannotWrite { path: error.path, source: error.error }.into()
}

/// The page of a figure, if it was written.
pub(super) fn page(study: &StudyArguments, selection: &Selection) -> Option<String> {
    fs::read_to_string(folder(study).join(page_name(selection))).ok()
}
