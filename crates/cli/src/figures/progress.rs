//! The progress of the runs of figures.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anabranch_base::Duration;
use anabranch_studies::grid::RunWatch;
use serde_json::json;

use crate::clock::since_start;
use crate::meter::{Progress, rounded_time};

/// The counts that the threads with the runs report.
#[derive(Debug, Default)]
pub(super) struct FigureWatch {
    figure: Mutex<String>,
    runs: AtomicU64,
    done: AtomicU64,
    /// The time at which the runs of the figure began, in nanoseconds.
    begun: AtomicU64,
    is_interrupted: AtomicBool,
}

impl FigureWatch {
    /// Notes that the figure with this name begins.
    pub(crate) fn on_figure(&self, name: String) {
        *self.figure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = name;
        self.begin(0);
    }

    /// Requests that no further run begins.
    pub(super) fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Relaxed);
    }

    /// The progress.
    pub(super) fn progress(&self) -> Progress {
        let (runs, done) = (self.runs.load(Ordering::Relaxed), self.done.load(Ordering::Relaxed));
        let elapsed = since_start().saturating_sub(Duration::from_nanos(self.begun.load(Ordering::Relaxed)));
        let figure = self.figure();
        Progress {
            done,
            all: Some(runs.max(1)),
            words: words(&figure, runs, done, elapsed),
            document: json!({ "figure": figure, "runs": runs, "finished_runs": done }),
        }
    }

    fn figure(&self) -> String {
        self.figure.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl RunWatch for FigureWatch {
    fn begin(&self, runs: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.begun.store(since_start().as_nanos(), Ordering::Relaxed);
        self.runs.store(runs, Ordering::Relaxed);
    }

    fn on_run(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

/// `IY-F5: 40 of 2520 runs, about 12 min left`.
fn words(figure: &str, runs: u64, done: u64, elapsed: Duration) -> String {
    if figure.is_empty() {
        return "reading what is kept".to_owned();
    }
    if runs == 0 {
        return format!("{figure}: models and kept runs");
    }
    let left = match done {
        0 => String::new(),
        done => format!(", about {} left", rounded_time(elapsed * runs.saturating_sub(done) / done)),
    };
    format!("{figure}: {done} of {runs} runs{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_once_a_run_has_ended() {
        let told = |done, seconds| words("IY-F5", 100, done, Duration::from_secs(seconds));
        assert_eq!(told(0, 3), "IY-F5: 0 of 100 runs");
        assert_eq!(told(50, 30), "IY-F5: 50 of 100 runs, about 30 s left");
        assert_eq!(told(10, 60), "IY-F5: 10 of 100 runs, about 9 min left");
        assert_eq!(told(1, 360), "IY-F5: 1 of 100 runs, about 9.9 h left");
        assert_eq!(words("YE-F30", 0, 0, Duration::ZERO), "YE-F30: models and kept runs");
    }
}
