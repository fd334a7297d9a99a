//! `sweep --dry-run`: how many runs a sweep has and how long they take, from moments of a few of them.

use std::num::NonZeroUsize;
use std::path::Path;

use anabranch_base::Duration;
use anabranch_lab::sweep::{Axis, Progress, estimate};
use anabranch_lab::{Design, Sweep, SweepError};
use anabranch_observe::{Body, resolved};
use anabranch_scenario::Scenario;
use serde_json::json;

use super::document::{axis, with};
use crate::arguments::SweepArguments;
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::meter::rounded_time;
use crate::report::Outcome;

/// The size of a sweep.
struct Outlook {
    axes: Vec<Axis>,
    points: usize,
    progress: Progress,
    /// The work of all runs, on one processor.
    work: Duration,
    scenario: Scenario,
}

/// Runs the command. It writes nothing; what the folder has already counts.
///
/// # Errors
/// The scenario or an axis is wrong, or the folder is in use.
pub(super) async fn run(
    arguments: &SweepArguments,
    design: Design,
    threads: NonZeroUsize,
    sha256: String,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let is_until = design.until.is_some();
    let folder = arguments.out.clone().filter(|folder| folder.join(anabranch_lab::sweep::JOURNAL).exists());
    let outlook = interrupt.or_done(move || inspect(design, folder.as_deref())).await??;
    let wall = Duration::from_nanos(outlook.work.as_nanos() / threads.get() as u64);
    let at_least = if is_until { "at least " } else { "" };
    let (points, runs) = (outlook.points, outlook.progress.expected);
    let there = match outlook.progress.done {
        0 => String::new(),
        done => format!(" ({done} of them are there already)"),
    };
    let (points_word, threads_word) =
        (plural(points as u64, "point"), plural(threads.get() as u64, "thread"));
    let runs_word = plural(runs, "run");
    let summary = format!(
        "{points} {points_word}, {at_least}{runs} {runs_word}{there}: {at_least}about {} on {threads} {threads_word}.\n",
        rounded_time(wall)
    );
    let document = json!({
        "title": outlook.scenario.title,
        "axes": outlook.axes.iter().map(axis).collect::<Vec<_>>(),
        "points": points,
        "expected_runs": runs,
        "reused_runs": outlook.progress.reused,
    });
    let estimated = arguments.timing.timing.then(|| ("estimated_s", json!(wall.as_secs_f64())));
    let document = with(document, estimated.into_iter().chain([("resolved", resolved(&outlook.scenario))]));
    Ok(Outcome {
        document: Some(Body::of(&document).about(sha256)),
        summary,
        failure: None,
        ..Outcome::default()
    })
}

fn inspect(design: Design, folder: Option<&Path>) -> Result<Outlook, SweepError> {
    let sweep = Sweep::open(design, folder)?;
    Ok(Outlook {
        axes: sweep.grid().axes().to_vec(),
        points: sweep.points(),
        progress: sweep.progress(),
        work: estimate(&sweep, BUDGET, since_start)?.unwrap_or_default(),
        scenario: sweep.first_scenario().clone(),
    })
}

/// A word for so many.
fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// So long runs are tried.
const BUDGET: Duration = Duration::from_millis(1_500);
