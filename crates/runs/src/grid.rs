//! Runs many scenarios, each with many seeds, on all cores.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anabranch_base::Duration;
use anabranch_planner::live;
use anabranch_scenario::{NoFiles, Scenario, Source};
use anabranch_sim::observe::Observation;
use anabranch_sim::{Run, RunProgress, RunResult, Watch};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::printing::tell;
use crate::processors::on_all;

/// One scenario with the seeds to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridPoint {
    /// The scenario file's text.
    pub scenario: String,
    /// The seed of each replication.
    pub seeds: Range<u64>,
}

/// The reason why a grid was not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// A point whose text is not a scenario, or cannot be run: a mistake in the study.
    #[error("{what}\nin the scenario\n{scenario}")]
    Wrong {
        /// The reason.
        what: String,
        /// The point's text.
        scenario: String,
    },
    /// The watch cancelled the runs.
    #[error("interrupted")]
    Interrupted,
    /// No thread could be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Observes the runs of a grid, and may cancel them. Called by any thread.
pub trait RunWatch: Send + Sync + std::fmt::Debug {
    /// Reports that this many runs begin.
    fn begin(&self, runs: u64);

    /// Reports that one of them has ended.
    fn on_run(&self);

    /// Returns true to cancel: runs in progress end early, and are lost.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Values read during a run, beside its result.
pub trait RunGauge: Send {
    /// The observations it needs.
    const WATCH: Watch;

    /// A gauge for a run of `scenario`.
    ///
    /// # Errors
    /// The reason why a scenario cannot be gauged, in words.
    fn new(scenario: &Scenario) -> Result<Self, String>
    where
        Self: Sized;

    /// Handles an observation.
    fn see(&mut self, observation: &Observation);
}

/// Reads only the result.
impl RunGauge for () {
    const WATCH: Watch =
        Watch { paths: false, queues: false, waits: false, packets: false, deliveries: false, frames: false };

    fn new(_: &Scenario) -> Result<(), String> {
        Ok(())
    }

    fn see(&mut self, _: &Observation) {}
}

/// Runs every point with each of its seeds, and shows the progress. The results are in the order of the points and of
/// their seeds, and do not depend on the number of cores.
///
/// # Errors
/// The first point that cannot be run.
pub fn run(points: &[GridPoint]) -> Result<Vec<Vec<RunResult>>, GridError> {
    run_each(points, |_, run| Ok(run))
}

/// Like [`run`], but keeps only the value of `keep` for each run. `keep` is called as soon as a run ends, by any thread
/// and in any order.
///
/// # Errors
/// The first point that cannot be run, or the first error of `keep`.
pub(crate) fn run_each<T, E>(
    points: &[GridPoint],
    keep: impl Fn(&GridPoint, RunResult) -> Result<T, E> + Sync,
) -> Result<Vec<Vec<T>>, E>
where
    T: Send,
    E: From<GridError> + Send,
{
    run_watched(points, &ProgressLines::default(), |point, run, ()| keep(point, run))
}

/// Like [`run_each`], observed by `watch`, with a gauge for each run.
///
/// # Errors
/// As for [`run_each`], or a cancellation by the watch.
pub(crate) fn run_watched<G, T, E>(
    points: &[GridPoint],
    watch: &dyn RunWatch,
    keep: impl Fn(&GridPoint, RunResult, G) -> Result<T, E> + Sync,
) -> Result<Vec<Vec<T>>, E>
where
    G: RunGauge,
    T: Send,
    E: From<GridError> + Send,
{
    let scenarios = points.iter().map(parse).collect::<Result<Vec<Scenario>, GridError>>()?;
    let jobs: Vec<(usize, u64)> = points
        .iter()
        .enumerate()
        .flat_map(|(index, point)| point.seeds.clone().map(move |seed| (index, seed)))
        .collect();
    watch.begin(jobs.len() as u64);
    let make = |&(index, seed): &(usize, u64)| {
        let (point, scenario) = (&points[index], &scenarios[index]);
        let mut gauge = G::new(scenario).map_err(|error| fault(point, &error))?;
        let mut run = Run::new(scenario, seed, G::WATCH).map_err(|error| fault(point, &error))?;
        loop {
            let progress = run.advance(SLICE);
            run.take_observations().iter().for_each(|observation| gauge.see(observation));
            if watch.is_interrupted() {
                return Err(GridError::Interrupted.into());
            }
            if progress == RunProgress::Ended {
                break;
            }
        }
        let kept = keep(point, run.finish(), gauge);
        watch.on_run();
        kept
    };
    let all = || jobs.par_iter().with_max_len(1).map(make).collect::<Result<Vec<T>, E>>();
    let results = on_all(all).map_err(GridError::from)??;
    let mut results = results.into_iter();
    Ok(points.iter().map(|point| results.by_ref().take(point.seeds.clone().count()).collect()).collect())
}

/// The scenario of a point.
///
/// # Errors
/// An invalid text.
pub fn parse(point: &GridPoint) -> Result<Scenario, GridError> {
    let source = Source::new("study.toml", point.scenario.as_str());
    Scenario::parse(&source, &NoFiles, &[], &live::registry()).map_err(|error| fault(point, &error))
}

/// The error for a point.
pub fn fault(point: &GridPoint, what: &dyn std::fmt::Display) -> GridError {
    GridError::Wrong { what: what.to_string(), scenario: point.scenario.clone() }
}

/// Shows nothing, for runs of a process that works for another one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl RunWatch for Unwatched {
    fn begin(&self, _: u64) {}

    fn on_run(&self) {}
}

/// Shows progress: a bar on a terminal; elsewhere, as in a log, a line about every minute.
#[derive(Debug, Default)]
pub struct ProgressLines(Mutex<Option<Shown>>);

/// The grid being shown.
#[derive(Debug)]
struct Shown {
    bar: ProgressBar,
    /// The number of minutes reported so far.
    reported: u64,
}

impl RunWatch for ProgressLines {
    fn begin(&self, runs: u64) {
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} to go");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        *self.lock() = Some(Shown { bar: ProgressBar::new(runs).with_style(style), reported: 0 });
    }

    fn on_run(&self) {
        let mut shown = self.lock();
        let Some(Shown { bar, reported: minutes }) = shown.as_mut() else { return };
        bar.inc(1);
        // Without a terminal the bar is hidden, and still counts and keeps time.
        let seconds = bar.elapsed().as_secs();
        if seconds / 60 > *minutes && bar.is_hidden() {
            *minutes = seconds / 60;
            tell(&progress_line(bar.position(), bar.length().unwrap_or_default(), seconds));
        }
    }
}

impl ProgressLines {
    /// The state stays consistent if a thread panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Option<Shown>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The simulated time after which a run checks for cancellation and drops its observations.
const SLICE: Duration = Duration::from_secs(2);

/// The line about `done` runs of `all` after this many seconds, with at least one run done.
fn progress_line(done: u64, all: u64, seconds: u64) -> String {
    let left = seconds as f64 * (all - done) as f64 / done as f64;
    format!("{done} of {all} runs, {:.0} min to go", left / 60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UDP: &str = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nloss = 0.5\n[[flow]]\n\
        protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"100 kbit/s\", message = \"100 B\" }\n";

    #[test]
    fn results_stand_in_the_order_of_points_and_seeds() {
        let point = |seeds| GridPoint { scenario: UDP.to_owned(), seeds };
        let results = run(&[point(5..8), point(1..2)]).expect("it can be run");
        let seeds: Vec<Vec<u64>> =
            results.iter().map(|runs| runs.iter().map(|run| run.seed).collect()).collect();
        assert_eq!(seeds, [vec![5, 6, 7], vec![1]]);
    }

    #[test]
    fn what_is_kept_of_a_run_stands_where_the_run_would() {
        let points = [GridPoint { scenario: UDP.to_owned(), seeds: 5..8 }];
        let seeds = run_each(&points, |_, run| Ok::<u64, GridError>(run.seed)).expect("it can be run");
        assert_eq!(seeds, [vec![5, 6, 7]]);
        let refused = run_each(&points, |point, run| match run.seed {
            6 => Err(fault(point, &"not this one")),
            seed => Ok(seed),
        });
        assert!(refused.expect_err("one is refused").to_string().starts_with("not this one"));
    }

    #[test]
    fn a_log_says_how_many_minutes_are_to_go() {
        assert_eq!(progress_line(50, 150, 600), "50 of 150 runs, 20 min to go");
        assert_eq!(progress_line(150, 150, 600), "150 of 150 runs, 0 min to go");
    }

    #[test]
    fn a_mistake_in_a_study_is_shown_with_its_scenario() {
        let error =
            run(&[GridPoint { scenario: "[[links]]".to_owned(), seeds: 1..2 }]).expect_err("no scenario");
        assert!(error.to_string().contains("[[links]]"), "{error}");
    }
}
