//! `anabranch plan`: plans a window limit for each path in a shared receive buffer.

mod document;
mod drawing;
mod table;
mod written;

use std::path::{Path, PathBuf};

use anabranch_base::Duration;
use anabranch_models::{PathParameters, Renewal, WindowModel};
use anabranch_observe::CannotWrite;
use anabranch_planner::{
    Allocation, Certificate, Method, Misplan, PlanError, Problem, StepSet, Worth, hull, sensitivity, worth,
};
use anabranch_sim::predict::{Inexpressible, ModelFlow};

use crate::arguments::{MethodName, PlanArguments, WindowModelName};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::predict::markov;
use crate::report::Outcome;
use crate::scenario::{Loaded, load};
use anabranch_net::Clock;

/// A plan, and what is to be known of it.
#[derive(Debug)]
struct PlanReport {
    flow: ModelFlow,
    problem: Problem,
    best: Allocation,
    /// How long the curves and the choice among them took.
    took: Duration,
    certificate: Certificate,
    /// `None` where it was too much work.
    worth: Option<Worth>,
    /// Empty where it was too much work.
    misplans: Vec<Misplan>,
    notes: Vec<String>,
    model: Box<dyn WindowModel + Send + Sync>,
}

/// Runs the command.
///
/// # Errors
/// The scenario is wrong or not one that can be planned for, the method has no answer, a file cannot be written, or
/// Ctrl-C.
pub async fn run(arguments: &PlanArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    check(arguments)?;
    let loaded = load(&arguments.scenario, &arguments.settings)?;
    let name = &loaded.scenario.flows[ModelFlow::first_index(&loaded.scenario)].name;
    let no_plan = |why: Inexpressible| Failure::NotForModels { flow: name.clone(), why: why.to_string() };
    let flow = ModelFlow::first(&loaded.scenario).map_err(no_plan)?;
    let (model, method) = (model(arguments), method(arguments));
    let plan = interrupt.or_done(move || plan(flow, model, method)).await?;
    let plan = plan.map_err(|error| match error {
        PlanError::BufferTooSmall { .. } => {
            Failure::Scenario(loaded.complaint(name, "receive_buffer", &error.to_string()))
        }
        other => other.into(),
    })?;
    let plan = match &arguments.plot {
        Some(path) => draw(path, &loaded, plan, interrupt).await?,
        None => plan,
    };
    let summary = table::plan(&loaded.scenario, &plan, arguments);
    let document = Some(document::plan(&loaded, &plan, arguments));
    let Some(path) = &arguments.write else { return Ok(Outcome { document, summary, failure: None }) };
    let text = written::with_limits(&loaded, &plan.flow.name, &plan.best.limits)?;
    if path.as_os_str() != "-" {
        write(path, &text)?;
        return Ok(Outcome { document, summary, failure: None });
    }
    if !arguments.output.quiet {
        eprintln!("{}", summary.trim_end());
    }
    // The file on standard output is the result, also with --quiet.
    crate::report::print_line(text.trim_end());
    Ok(Outcome::default())
}

/// What no parser of arguments sees.
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

fn model(arguments: &PlanArguments) -> Box<dyn WindowModel + Send + Sync> {
    match arguments.model {
        WindowModelName::Markov => Box::new(markov(arguments.loss_model)),
        WindowModelName::Renewal => Box::new(Renewal::default()),
    }
}

fn method(arguments: &PlanArguments) -> Method {
    match arguments.method {
        MethodName::Exact => Method::Exact,
        MethodName::BruteForce => Method::BruteForce,
        MethodName::Hull => Method::Hull,
        MethodName::Step => Method::Step { step: arguments.step.unwrap_or(1), set: StepSet::default() },
    }
}

fn plan(
    flow: ModelFlow,
    model: Box<dyn WindowModel + Send + Sync>,
    method: Method,
) -> Result<PlanReport, PlanError> {
    let paths = flow.parameters();
    let clock = Clock::start();
    let problem = flow.problem(model.as_ref())?;
    let best = method.solve(&problem)?;
    let took = clock.elapsed();
    let mut notes = flow.notes.clone();
    let misplans = misplans(&problem, &paths, model.as_ref()).unwrap_or_else(|why| {
        notes.push(format!("the cost of errors in the parameters of a path is not computed: {why}"));
        Vec::new()
    });
    let worth = worth(&paths, flow.receive_buffer, model.as_ref());
    notes.extend(
        worth.as_ref().err().map(|why| format!("the gain of a larger receive buffer is not computed: {why}")),
    );
    let worth = worth.ok();
    Ok(PlanReport { certificate: hull(&problem), flow, problem, best, took, worth, misplans, notes, model })
}

/// What mistakes cost, or why that was not computed.
fn misplans(
    problem: &Problem,
    paths: &[PathParameters],
    model: &dyn WindowModel,
) -> Result<Vec<Misplan>, String> {
    let points: usize = problem.curves().iter().map(Vec::len).sum();
    match paths.len() {
        many if many > MOST_PATHS => Err(format!("the plan has {many} paths, more than {MOST_PATHS}")),
        paths if points.saturating_mul(paths) > MOST_POINTS => {
            Err("the paths are too long and too fast".to_owned())
        }
        _ => sensitivity(paths, problem.buffer(), model).map_err(|why| why.to_string()),
    }
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
    std::fs::write(path, text).map_err(|source| CannotWrite { path: path.to_owned(), source }.into())
}

impl PlanReport {
    /// Which part of the upper bound the limits may miss.
    fn gap(&self) -> f64 {
        let bound = self.certificate.upper_bound;
        if bound > 0.0 { (1.0 - self.best.throughput / bound).max(0.0) } else { 0.0 }
    }

    /// What a path carries at its limit, in packets/s.
    fn carried(&self, path: usize) -> f64 {
        let limit = self.best.limits.get(path).copied().unwrap_or_default() as usize;
        let curve = self.problem.curves().get(path);
        curve.and_then(|curve| curve.get(limit.checked_sub(1)?)).copied().unwrap_or_default()
    }
}

/// For more paths, four plans for each are more than anyone waits for or reads.
const MOST_PATHS: usize = 16;

/// For more points of curves, times paths, it would take seconds.
const MOST_POINTS: usize = 2_000_000;
