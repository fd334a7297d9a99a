//! How far the runs of figures are: a bar on a terminal, elsewhere a line each five seconds.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anabranch_base::Duration;
use anabranch_studies::grid::RunWatch;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::arguments::Output;
use crate::clock::since_start;
use crate::report;

/// What the threads that run figures say.
#[derive(Debug, Default)]
pub struct FigureWatch {
    figure: Mutex<String>,
    runs: AtomicU64,
    done: AtomicU64,
    /// When the runs of the figure began, in nanoseconds.
    begun: AtomicU64,
    is_interrupted: AtomicBool,
}

impl FigureWatch {
    /// The figure with this name begins.
    pub fn on_figure(&self, name: String) {
        *self.figure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = name;
        self.begin(0);
    }

    /// No more runs are wanted.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Relaxed);
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

/// Shows it.
pub struct FigureMeter {
    shown: Shown,
    next_line: Duration,
}

enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines,
    Json,
}

impl FigureMeter {
    /// A meter as the output wants it.
    pub fn new(output: Output) -> FigureMeter {
        let shown = match (output.json_lines, output.quiet, std::io::stderr().is_terminal()) {
            (true, _, _) => Shown::Json,
            (false, true, _) => Shown::Nothing,
            (false, false, true) => Shown::Bar(bar()),
            (false, false, false) => Shown::Lines,
        };
        FigureMeter { shown, next_line: PERIOD }
    }

    /// Shows how far `watch` says it is.
    pub fn show(&mut self, watch: &FigureWatch) {
        let (runs, done) = (watch.runs.load(Ordering::Relaxed), watch.done.load(Ordering::Relaxed));
        let spent = since_start().saturating_sub(Duration::from_nanos(watch.begun.load(Ordering::Relaxed)));
        let words = words(&watch.figure(), runs, done, spent);
        if let Shown::Bar(bar) = &self.shown {
            bar.set_length(runs.max(1));
            bar.set_position(done);
            bar.set_message(words.clone());
        }
        if since_start() < self.next_line {
            return;
        }
        self.next_line = since_start() + PERIOD;
        match self.shown {
            Shown::Nothing | Shown::Bar(_) => {}
            Shown::Lines => eprintln!("{:.0} s: {words}", since_start().as_secs_f64()),
            Shown::Json => {
                let line = json!({ "figure": watch.figure(), "runs": runs, "finished_runs": done });
                report::print_line(&line.to_string());
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// `IY-F5: 40 of 2520 runs, 12 min to go`.
fn words(figure: &str, runs: u64, done: u64, spent: Duration) -> String {
    if runs == 0 {
        return format!("{figure}: models and kept runs");
    }
    let left = spent.as_secs_f64() * runs.saturating_sub(done) as f64 / done.max(1) as f64;
    let to_go = match left {
        _ if done == 0 => String::new(),
        left if left < 90.0 => format!(", {left:.0} s to go"),
        left if left < 5_400.0 => format!(", {:.0} min to go", left / 60.0),
        left => format!(", {:.1} h to go", left / 3_600.0),
    };
    format!("{figure}: {done} of {runs} runs{to_go}")
}

fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("[{bar:16}] {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style.progress_chars("=> "))
}

const PERIOD: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_go_is_told_in_the_unit_that_fits() {
        let told = |done, seconds| words("IY-F5", 100, done, Duration::from_secs(seconds));
        assert_eq!(told(0, 3), "IY-F5: 0 of 100 runs");
        assert_eq!(told(50, 30), "IY-F5: 50 of 100 runs, 30 s to go");
        assert_eq!(told(10, 60), "IY-F5: 10 of 100 runs, 9 min to go");
        assert_eq!(told(1, 360), "IY-F5: 1 of 100 runs, 9.9 h to go");
        assert_eq!(words("YE-F30", 0, 0, Duration::ZERO), "YE-F30: models and kept runs");
    }
}
