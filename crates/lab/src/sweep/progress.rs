//! How far a sweep is, and how long the rest takes.

use anabranch_base::Duration;

use super::Sweep;
use super::job::Job;

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The runs that are done and kept.
    pub done: u64,
    /// How many there will be, as far as it is known: with a precision to reach, the estimate of a later moment is better.
    pub expected: u64,
    /// The runs that were there when it was opened.
    pub reused: u64,
    /// The work that is left, on one processor; `None` before a run was timed.
    pub left: Option<Duration>,
}

impl Sweep {
    /// How far it is.
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
