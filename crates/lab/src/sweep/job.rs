//! The runs of one scenario of a sweep: the seeds still to be handed out, and the judgement of whether there are
//! enough.

use std::collections::BTreeSet;
use std::ops::Range;

use anabranch_base::Duration;
use anabranch_sim::{Stop, Sufficiency};

use super::key::ScenarioKey;

/// The runs of one scenario, counted from 0 in the order of their seeds.
#[derive(Debug)]
pub(super) struct Job {
    pub key: ScenarioKey,
    /// The first point that has it.
    pub point: usize,
    /// Judges its runs.
    judge: Sufficiency,
    /// The first run never handed out.
    next: u64,
    /// Runs handed out and given back.
    back: BTreeSet<u64>,
    wall: Duration,
    timed: u64,
}

impl Job {
    /// A job without runs.
    pub(super) fn new(key: ScenarioKey, point: usize, stop: Stop) -> Job {
        Job {
            key,
            point,
            judge: Sufficiency::new(stop),
            next: 0,
            back: BTreeSet::new(),
            wall: Duration::ZERO,
            timed: 0,
        }
    }

    /// The next at most `most` consecutive runs to be made, without those that are `done`.
    pub(super) fn take(&mut self, most: u64, done: impl Fn(u64) -> bool) -> Option<Range<u64>> {
        let first = self.first_open(&done)?;
        let wanted = self.judge.expected();
        let mut end = first;
        while end < first.saturating_add(most) && end < wanted && !done(end) {
            if end < self.next && !self.back.remove(&end) {
                break;
            }
            end += 1;
        }
        self.next = self.next.max(end);
        Some(first..end)
    }

    /// Takes back runs that were handed out and not made.
    pub(super) fn give_back(&mut self, runs: impl IntoIterator<Item = u64>) {
        self.back.extend(runs);
    }

    /// Adds the time of `runs` runs together.
    pub(crate) fn on_timed(&mut self, runs: u64, wall: Duration) {
        self.timed += runs;
        self.wall += wall;
    }

    /// The run after those judged; `None` if there are enough.
    pub(super) fn awaited(&self) -> Option<u64> {
        self.judge.enough().is_none().then(|| self.judge.runs())
    }

    /// Judges the run [`Job::awaited`].
    pub(super) fn on_run(&mut self, goodputs: &[f64]) {
        self.judge.on_run(goodputs.iter().copied());
    }

    /// Returns true if there are enough runs.
    pub(super) fn is_complete(&self) -> bool {
        self.judge.enough().is_some()
    }

    /// The runs that count, in the order of their seeds: enough, or all so far without a gap.
    pub(super) fn counted(&self) -> u64 {
        self.judge.enough().unwrap_or(self.judge.runs())
    }

    /// The expected number of runs.
    pub(super) fn expected(&self) -> u64 {
        self.judge.expected()
    }

    /// The mean time of its runs; `None` before the first.
    pub(super) fn wall(&self) -> Option<Duration> {
        (self.timed > 0).then(|| self.wall / self.timed)
    }

    /// The first run to hand out.
    fn first_open(&mut self, done: &impl Fn(u64) -> bool) -> Option<u64> {
        if self.is_complete() {
            return None;
        }
        let wanted = self.judge.expected();
        if let Some(first) = self.back.iter().copied().find(|run| *run < wanted && !done(*run)) {
            return Some(first);
        }
        while self.next < wanted && done(self.next) {
            self.next += 1;
        }
        (self.next < wanted).then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(stop: Stop) -> Job {
        Job::new(ScenarioKey::parse(&"0".repeat(32)).expect("a key"), 0, stop)
    }

    const NONE: fn(u64) -> bool = |_| false;

    #[test]
    fn runs_are_handed_out_once_without_those_that_are_done() {
        let mut job = job(Stop::After(10));
        assert_eq!(job.take(3, NONE), Some(0..3));
        assert_eq!(job.take(100, |run| run == 5), Some(3..5));
        assert_eq!(job.take(100, |run| run == 5), Some(6..10));
        assert_eq!(job.take(100, NONE), None);
    }

    #[test]
    fn what_was_given_back_is_handed_out_again_first() {
        let mut job = job(Stop::After(10));
        assert_eq!(job.take(6, NONE), Some(0..6));
        job.give_back(2..4);
        assert_eq!(job.take(100, NONE), Some(2..4));
        assert_eq!(job.take(100, NONE), Some(6..10));
    }

    #[test]
    fn until_a_mean_is_precise_runs_are_handed_out_as_far_as_they_are_expected() {
        let mut job = job(Stop::Until { error: 0.5, least: 5, most: 100 });
        assert_eq!(job.take(100, NONE), Some(0..5));
        assert_eq!(job.take(100, NONE), None, "the first ones tell how many it takes");
        [1.0, 9.0, 1.0, 9.0, 1.0].iter().for_each(|goodput| job.on_run(&[*goodput]));
        let more = job.take(100, NONE).expect("more runs");
        assert!(more.start == 5 && more.end > 6, "{more:?}");
        for goodput in [5.0; 80] {
            job.on_run(&[goodput]);
        }
        assert!(job.is_complete() && job.take(100, NONE).is_none());
        assert!(job.counted() < 85, "enough in the order of seeds");
    }

    #[test]
    fn the_time_of_runs_is_their_mean() {
        let mut job = job(Stop::After(10));
        assert_eq!(job.wall(), None);
        job.on_timed(3, Duration::from_secs(6));
        assert_eq!(job.wall(), Some(Duration::from_secs(2)));
    }
}
