//! `anabranch plan`: plans a window limit for each path in a shared receive buffer.

mod drawing;
mod table;
mod written;

use std::path::{Path, PathBuf};

use anabranch_observe::{CannotWrite, plan, timed_plan};
use anabranch_planner::PlanError;
use anabranch_sim::predict::{Inexpressible, ModelFlow, PlanReport};

use crate::arguments::{MethodName, PlanArguments};
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report::Outcome;
use crate::scenario::{Loaded, load, refuse_replaced};

/// Runs the command.
///
/// # Errors
/// The scenario is invalid or cannot be planned for, the method finds no solution, a file cannot be written, or Ctrl-C.
pub(crate) async fn run(arguments: &PlanArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    check(arguments)?;
    refuse_replaced("--plot", arguments.plot.as_deref(), &[&arguments.scenario])?;
    let loaded = load(&arguments.scenario, &arguments.settings, interrupt).await?;
    let name = &loaded.scenario.flows[ModelFlow::first_index(&loaded.scenario)].name;
    let no_plan = |why: Inexpressible| Failure::NotForModels { flow: name.clone(), why: why.to_string() };
    let flow = ModelFlow::first(&loaded.scenario).map_err(no_plan)?;
    let question = arguments.question();
    let report = interrupt.or_done(move || PlanReport::of(flow, question, since_start)).await?;
    let report = report.map_err(|error| match error {
        PlanError::BufferTooSmall { .. } => {
            Failure::Scenario(loaded.complaint(name, "receive_buffer", &error.to_string()))
        }
        other => other.into(),
    })?;
    let report = match &arguments.plot {
        Some(path) => draw(path, &loaded, report, interrupt).await?,
        None => report,
    };
    let summary = table::plan(&loaded.scenario, &report);
    let body = if arguments.timing.timing { timed_plan } else { plan };
    let document = Some(body(&loaded.scenario, &report).about(loaded.sha256.clone()));
    let Some(path) = &arguments.write else {
        return Ok(Outcome { document, summary, failure: None, ..Outcome::default() });
    };
    let text = written::with_limits(&loaded, &report.flow.name, &report.best.limits)?;
    if path.as_os_str() != "-" {
        write(path, &text)?;
        return Ok(Outcome { document, summary, failure: None, ..Outcome::default() });
    }
    if !arguments.output.quiet {
        notice::show(summary.trim_end());
    }
    // The file on standard output is the result, even with --quiet.
    crate::report::print_line(text.trim_end());
    Ok(Outcome::default())
}

/// Checks the arguments beyond their syntax.
fn check(arguments: &PlanArguments) -> Result<(), Failure> {
    let refuse = |what: &str| Err(Failure::Arguments(what.to_owned()));
    if arguments.step.is_some() && arguments.method != MethodName::Step {
        return refuse("--step requires --method step");
    }
    let is_svg = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if let Some(path) = arguments.plot.as_ref().filter(|path| !is_svg(path)) {
        let name = path.with_extension("svg");
        let what =
            format!("--plot writes SVG, which {} is not: try --plot {}", path.display(), name.display());
        return refuse(&what);
    }
    if arguments.output.is_json() && arguments.write.as_deref() == Some(Path::new("-")) {
        return refuse("--write - and --json would both go to standard output: write to a file");
    }
    Ok(())
}

async fn draw(
    path: &Path,
    loaded: &Loaded,
    plan: PlanReport,
    interrupt: &mut Interrupt,
) -> Result<PlanReport, Failure> {
    let title = loaded.scenario.title.clone();
    let work = move || drawing::draw(&title, &plan).map(|drawn| (plan, drawn));
    let (plan, drawn) = interrupt.or_done(work).await??;
    write(path, &drawn)?;
    Ok(plan)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    anabranch_files::write(path, text).map_err(|source| CannotWrite { path: path.to_owned(), source }.into())
}
