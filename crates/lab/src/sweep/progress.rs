//! The progress of a sweep, and the time left.

use anabranch_base::Duration;

use super::Sweep;
use super::job::Job;

/// The progress of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The runs done and kept.
    pub done: u64,
    /// The expected number of runs; with a precision to reach, later estimates are better.
    pub expected: u64,
    /// The runs present when the sweep was opened.
    pub reused: u64,
    /// The work left, on one processor; `None` before a run was timed.
    pub left: Option<Duration>,
}

impl Sweep {
    /// The current progress.
    pub fn progress(&self) -> Progress {
        let mean = self.mean_wall();
        let left = |job: &Job| {
            let runs = job.expected().saturating_sub(job.counted());
            job.wall().or(mean).map(|wall| wall * runs)
        };
        let open = self.jobs.iter().filter(|job| !job.is_complete());
        Progress {
            done: self.done(),
            expected: self.jobs.iter().map(Job::expected).sum(),
            reused: self.reused,
            left: open.map(left).try_fold(Duration::ZERO, |sum, left| Some(sum + left?)),
        }
    }
}
