//! Runs of several scenarios with the same seeds, on all cores, until they are done or the time is over.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anabranch_base::Duration;
use anabranch_diagnose::Estimated;
use anabranch_scenario::Scenario;
use anabranch_sim::Summary;

use crate::effort::{Effort, Observer};
use crate::trial::{Measured, trial};

/// Scenarios, the first of which is what the others are compared with, and what their runs measured.
pub(crate) struct Race<'r> {
    scenarios: Vec<Scenario>,
    /// For each scenario the measurements, each with the number of its seed.
    measured: Vec<Vec<(u64, Measured)>>,
    effort: &'r Effort,
    observer: &'r Observer<'r>,
    /// The clock's time at which no more is measured.
    end: Duration,
    done: AtomicUsize,
    /// The number of runs that are expected in all.
    pub planned: usize,
}

impl<'r> Race<'r> {
    pub(crate) fn new(
        scenarios: Vec<Scenario>,
        effort: &'r Effort,
        observer: &'r Observer<'r>,
        end: Duration,
    ) -> Race<'r> {
        let measured = scenarios.iter().map(|_| Vec::new()).collect();
        Race { scenarios, measured, effort, observer, end, done: AtomicUsize::new(0), planned: 1 }
    }

    /// Runs the scenarios `chosen` and the first with the seeds `numbers`, each that has not run yet: all with one
    /// seed before the next.
    pub(crate) fn run(&mut self, chosen: &[usize], numbers: std::ops::Range<u64>) {
        let all = || std::iter::once(0).chain(chosen.iter().copied());
        let tasks: Vec<(usize, u64)> =
            numbers.flat_map(|number| all().map(move |one| (one, number))).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.is_over() {
                    break;
                }
                found.extend(self.trial(*task).map(|measured| (*task, measured)));
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                (self.observer.on_progress)((done as f64 / self.planned.max(1) as f64).min(1.0));
            }
            found
        };
        let threads = self.effort.threads().min(tasks.len());
        let mut found = thread::scope(|scope| {
            let start = |_| thread::Builder::new().name("what-ifs".to_owned()).spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads).map_while(start).collect();
            let mut found = work();
            for other in others {
                found.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            found
        });
        found.sort_unstable_by_key(|(task, _)| *task);
        for ((scenario, number), measured) in found {
            self.measured[scenario].push((number, measured));
        }
    }

    /// Returns true if the time is over or somebody cancelled.
    pub(crate) fn is_over(&self) -> bool {
        (self.effort.clock)() >= self.end || (self.observer.is_cancelled)()
    }

    /// The number of complete runs.
    pub(crate) fn runs(&self) -> usize {
        self.measured.iter().map(Vec::len).sum()
    }

    /// The mean of `value` over the runs of a scenario.
    pub(crate) fn mean(
        &self,
        scenario: usize,
        value: impl Fn(&Measured) -> Option<f64>,
    ) -> Option<Estimated> {
        estimated(self.measured[scenario].iter().filter_map(|(_, measured)| value(measured)))
    }

    /// The mean of the differences of `value` between a scenario and the first with the same seed.
    pub(crate) fn difference(
        &self,
        scenario: usize,
        value: impl Fn(&Measured) -> Option<f64>,
    ) -> Option<Estimated> {
        let first = |number: u64| self.measured[0].iter().find(|(other, _)| *other == number);
        let pairs = self.measured[scenario].iter().filter_map(|(number, measured)| {
            let (_, before) = first(*number)?;
            Some(value(measured)? - value(before)?)
        });
        estimated(pairs)
    }

    fn trial(&self, (scenario, number): (usize, u64)) -> Option<Measured> {
        // A scenario that cannot be run has no runs.
        trial(&self.scenarios[scenario], self.effort.seed + number, &|| self.is_over()).ok().flatten()
    }
}

/// The mean of at least two values with its interval.
fn estimated(values: impl Iterator<Item = f64>) -> Option<Estimated> {
    let estimate = values.collect::<Summary>().estimate()?;
    let half = estimate.ci95?;
    Some(Estimated {
        value: estimate.mean,
        low: estimate.mean - half,
        high: estimate.mean + half,
        samples: estimate.n as u64,
    })
}
