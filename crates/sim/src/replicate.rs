//! Independent replications of a scenario on all cores, until there are enough.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use anabranch_base::Duration;
use anabranch_scenario::Scenario;

use crate::enough::{Stop, Sufficiency};
use crate::measure::{Estimate, Summary};
use crate::observe::Watch;
use crate::result::{FlowResult, RunResult};
use crate::run::{Run, RunProgress};
use crate::unfit::BuildError;

/// Which replications to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The seed of the first one; the others have the next seeds.
    pub seed: u64,
    /// The number of replications.
    pub stop: Stop,
    /// The number of threads, of which more than there are runs or [`MOST_THREADS`] are not started; `None` for as many as
    /// there are cores. The results do not depend on it.
    pub threads: Option<NonZeroUsize>,
}

/// The progress of the replications, for an observer in another thread, which may also cancel them.
#[derive(Debug)]
pub struct Watcher {
    clock: fn() -> Duration,
    simulated: AtomicU64,
    finished: AtomicU64,
    is_called_off: AtomicBool,
}

/// The results of the replications of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Replications {
    /// The results in the order of their seeds.
    pub runs: Vec<RunResult>,
    /// The time each run took, by the watcher's clock.
    pub wall: Vec<Duration>,
    /// True if they were cancelled before there were enough.
    pub is_cut_short: bool,
}

/// A replication that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The result, as far as it came.
    pub result: RunResult,
    /// The time it took, by the watcher's clock.
    pub wall: Duration,
    /// True if it ended before it was cancelled.
    pub is_whole: bool,
}

/// A flow over all replications.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSummary {
    /// The name.
    pub name: String,
    /// The goodput in bits a second.
    pub goodput_bps: Estimate,
    /// The time its transfer took, in seconds, in the runs that completed it; `None` if no run did.
    pub completion_s: Option<Estimate>,
}

impl Stop {
    /// The number of replications start after the first `done`, on `threads` threads. They never exceed the number that
    /// was requested.
    fn batch(self, done: u64, threads: u64) -> u64 {
        match self {
            Stop::After(wanted) => wanted.saturating_sub(done),
            Stop::Until { most, .. } => {
                let missing = self.least().saturating_sub(done);
                missing.max(threads).min(most.saturating_sub(done)).max(1)
            }
        }
    }
}

impl Watcher {
    /// A watcher with a `clock` that gives how long the program has been running: the simulator itself does not read
    /// a clock.
    pub fn new(clock: fn() -> Duration) -> Watcher {
        Watcher {
            clock,
            simulated: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            is_called_off: AtomicBool::new(false),
        }
    }

    /// The simulated time of all replications so far.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.simulated.load(Ordering::Relaxed))
    }

    /// The number of completed replications.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// A run that the program drives itself has advanced by `simulated`.
    pub fn on_advance(&self, simulated: Duration) {
        self.simulated.fetch_add(simulated.as_nanos(), Ordering::Relaxed);
    }

    /// Cancels the replications: they end as soon as they can.
    pub fn call_off(&self) {
        self.is_called_off.store(true, Ordering::Relaxed);
    }

    /// Returns true if the replications were cancelled.
    pub fn is_called_off(&self) -> bool {
        self.is_called_off.load(Ordering::Relaxed)
    }
}

/// Runs a scenario with seeds `seed`, `seed + 1`, … until there are enough runs. The result does not depend on the
/// number of threads, because seeds are taken and evaluated in order.
///
/// If it is cancelled, it returns the runs that were finished, or else the first run as far as it came.
///
/// # Errors
/// The scenario cannot be run, or there are fewer seeds from the plan's on than runs.
pub fn replicate(scenario: &Scenario, plan: Plan, watcher: &Watcher) -> Result<Replications, BuildError> {
    plan.stop.check_seeds(plan.seed)?;
    // Checks that the scenario can be run before any thread starts.
    Run::new(scenario, plan.seed, Watch::default())?;
    let threads = plan.threads.or(thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get).min(MOST_THREADS);
    let mut done: Vec<Ended> = Vec::new();
    let mut judge = Sufficiency::new(plan.stop);
    loop {
        if let Some(enough) = judge.enough() {
            done.truncate(usize::try_from(enough).unwrap_or(usize::MAX));
            return Ok(Replications::of(done));
        }
        let known = done.len();
        let first = known as u64;
        let count = plan.stop.batch(first, threads as u64);
        done.extend(batch(first..first + count, threads, scenario, plan.seed, watcher)?);
        if watcher.is_called_off() {
            return Ok(Replications::of(done));
        }
        done[known..].iter().for_each(|ended| judge.on_result(&ended.result));
    }
}

/// Runs `indices`, in their order, on as many of the `threads` as the system allows; this one works too. Each thread takes
/// the next one, so that what is complete when the runs are cancelled is, but for the last few, an unbroken beginning.
fn batch(
    indices: Range<u64>,
    threads: usize,
    scenario: &Scenario,
    seed: u64,
    watcher: &Watcher,
) -> Result<Vec<Ended>, BuildError> {
    let next = AtomicU64::new(indices.start);
    let work = || -> Result<Vec<(u64, Ended)>, BuildError> {
        let mut ended = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= indices.end {
                return Ok(ended);
            }
            let run = run_once(scenario, seed + index, watcher)?;
            // Cancelled between two runs, the next one says so: it ends where it begins.
            let is_whole = run.is_whole;
            ended.push((index, run));
            if !is_whole {
                return Ok(ended);
            }
        }
    };
    let threads = threads.min(usize::try_from(indices.end - indices.start).unwrap_or(threads));
    let of_threads = thread::scope(|scope| {
        let start = |_| thread::Builder::new().name("runs".to_owned()).spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let own = work();
        let joined =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.chain([own]).collect::<Vec<_>>()
    });
    let mut ended: Vec<(u64, Ended)> = Vec::new();
    for of_thread in of_threads {
        ended.extend(of_thread?);
    }
    ended.sort_unstable_by_key(|(index, _)| *index);
    Ok(ended.into_iter().map(|(_, run)| run).collect())
}

impl Replications {
    /// The complete runs before the first incomplete one; also that one, if there is no complete run.
    fn of(mut ended: Vec<Ended>) -> Replications {
        let whole = ended.iter().take_while(|run| run.is_whole).count();
        let is_cut_short = whole < ended.len();
        ended.truncate(whole.max(1));
        let (runs, wall) = ended.into_iter().map(|run| (run.result, run.wall)).unzip();
        Replications { runs, wall, is_cut_short }
    }
}

/// The summary of each flow over all runs, in the scenario's order.
pub fn summarise(runs: &[RunResult]) -> Vec<FlowSummary> {
    let Some(first) = runs.first() else { return Vec::new() };
    let summary = |(index, flow): (usize, &FlowResult)| {
        let of_flow = runs.iter().filter_map(|run| run.flows.get(index));
        let completions = of_flow.clone().filter_map(|flow| flow.completion).map(Duration::as_secs_f64);
        Some(FlowSummary {
            name: flow.name.clone(),
            goodput_bps: of_flow.map(|flow| flow.goodput_bps).collect::<Summary>().estimate()?,
            completion_s: completions.collect::<Summary>().estimate(),
        })
    };
    first.flows.iter().enumerate().filter_map(summary).collect()
}

/// One replication, which ends early if it is cancelled.
///
/// # Errors
/// The scenario cannot be run.
pub fn run_once(scenario: &Scenario, seed: u64, watcher: &Watcher) -> Result<Ended, BuildError> {
    let begun = (watcher.clock)();
    let mut run = Run::new(scenario, seed, Watch::default())?;
    let mut progress = RunProgress::Running;
    while progress == RunProgress::Running && !watcher.is_called_off() {
        let before = run.now();
        progress = run.advance(SLICE);
        watcher.on_advance(run.now().since(before));
    }
    watcher.finished.fetch_add(1, Ordering::Relaxed);
    let is_whole = progress == RunProgress::Ended;
    let result = run.finish();
    Ok(Ended { result, wall: (watcher.clock)().saturating_sub(begun), is_whole })
}

/// No more threads work on runs: a number above is a slip, and takes the machine's memory.
pub const MOST_THREADS: usize = 1024;

/// The interval at which a run checks for cancellation.
const SLICE: Duration = Duration::from_millis(250);
