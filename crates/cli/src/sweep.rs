//! `anabranch sweep`: a grid of scenarios, each run several times, as a table.

mod document;
mod dry_run;
mod progress;
mod table;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_base::Duration;
use anabranch_lab::sweep::{Axis, Combination, PointSummary, Progress, Written, run_here};
use anabranch_lab::{Design, Sweep, SweepError};
use anabranch_scenario::{Scenario, Source};
use anabranch_sim::Watcher;
use anabranch_transfer::hex;
use sha2::{Digest as _, Sha256};

use crate::arguments::SweepArguments;
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::meter::{Meter, SHARE};
use crate::policies;
use crate::report::Outcome;
use crate::scenario::read;
use crate::sim::check;
use crate::threads;

/// The result of a sweep.
struct Swept {
    axes: Vec<Axis>,
    points: usize,
    /// The first points, for people.
    summaries: Vec<PointSummary>,
    progress: Progress,
    damaged: u64,
    written: Written,
    is_complete: bool,
    seed: u64,
    /// The scenario of the first point.
    scenario: Scenario,
    wall: Duration,
}

/// Runs the command.
///
/// # Errors
/// The scenario, an axis or the folder is wrong, or a row cannot be kept.
pub(crate) async fn run(arguments: &SweepArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    check(arguments.until, arguments.runs)?;
    let (bytes, origin) = read(&arguments.scenario, interrupt).await?;
    let sha256 = hex(&Sha256::digest(&bytes).into());
    let source = Source::from_bytes(origin.source.clone(), &bytes)?;
    let design = design(
        arguments,
        Design {
            text: source.text,
            origin,
            changes: Vec::new(),
            axes: Vec::new(),
            combination: if arguments.zip { Combination::Zip } else { Combination::Product },
            until: arguments.until.map(|share| share.0),
            registry: policies::registry(),
        },
    )?;
    let threads =
        arguments.threads.or(std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let Some(folder) = arguments.out.clone().filter(|_| !arguments.dry_run) else {
        return dry_run::run(arguments, design, threads, sha256, interrupt).await;
    };
    let watcher = Arc::new(Watcher::new(since_start));
    let far = Arc::new(Mutex::new(None));
    let work = {
        let (watcher, far) = (watcher.clone(), far.clone());
        threads::spawn(move || carry_out(design, &folder, threads, &watcher, &far))?
    };
    let far = || progress::progress(*far.lock().unwrap_or_else(PoisonError::into_inner), threads);
    let meter = Meter::new(arguments.output, SHARE);
    let swept = meter.over(work, interrupt, far, || watcher.call_off()).await??;
    Ok(Outcome {
        document: Some(document::swept(&swept, arguments.timing).about(sha256)),
        summary: table::swept(&swept),
        failure: (!swept.is_complete).then_some(Failure::Interrupted),
        ..Outcome::default()
    })
}

/// Lists of values are axes; one value is a change of every point.
fn design(arguments: &SweepArguments, mut design: Design) -> Result<Design, Failure> {
    for text in &arguments.settings {
        let axis = Axis::parse(text).map_err(SweepError::from)?;
        match axis.values() {
            [value] => design.changes.push(format!("{}={value}", axis.key())),
            _ => design.axes.push(axis),
        }
    }
    design.changes.extend(arguments.seed.map(|seed| format!("run.seed={seed}")));
    design.changes.extend(arguments.runs.map(|runs| format!("run.runs={runs}")));
    Ok(design)
}

/// The runs that are missing, then the table of all that there are.
fn carry_out(
    design: Design,
    folder: &Path,
    threads: NonZeroUsize,
    watcher: &Watcher,
    shown: &Mutex<Option<Progress>>,
) -> Result<Swept, SweepError> {
    let begun = since_start();
    let mut sweep = Sweep::open(design, Some(folder))?;
    let tell = |progress| *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    tell(sweep.progress());
    run_here(&mut sweep, threads, watcher, tell)?;
    let mut summaries = Vec::new();
    let written = sweep.write_table(|point| {
        if summaries.len() < table::MOST_POINTS {
            summaries.push(point.clone());
        }
    })?;
    Ok(Swept {
        axes: sweep.grid().axes().to_vec(),
        points: sweep.points(),
        summaries,
        progress: sweep.progress(),
        damaged: sweep.damaged(),
        written,
        is_complete: sweep.is_complete(),
        seed: sweep.seed(),
        scenario: sweep.first_scenario().clone(),
        wall: since_start().saturating_sub(begun),
    })
}

impl Swept {
    /// Returns the warnings beside the results.
    fn warnings(&self) -> Vec<String> {
        let damaged = (self.damaged > 0).then(|| {
            format!(
                "{} lines of the journal were cut off or damaged; their runs were made again",
                self.damaged
            )
        });
        self.written.warning().into_iter().chain(damaged).collect()
    }
}
