//! The progress of a sweep: a bar on a terminal, a line now and then on a pipe, objects for scripts.

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;

use anabranch_base::Duration;
use anabranch_lab::sweep::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::table::spoken;
use crate::arguments::Output;
use crate::clock::since_start;
use crate::report;

/// Shows how far a sweep is.
pub struct ProgressMeter {
    shown: Shown,
    threads: u64,
    next_line: Duration,
}

/// How it is shown.
enum Shown {
    Nothing,
    Bar(ProgressBar),
    /// Lines of text, where standard error is no terminal.
    Lines,
    /// Lines of JSON.
    Json,
}

impl ProgressMeter {
    /// A meter of a sweep on so many threads.
    pub fn new(output: Output, threads: NonZeroUsize) -> ProgressMeter {
        let (shown, next_line) = match (output.json_lines, output.quiet, std::io::stderr().is_terminal()) {
            (true, _, _) => (Shown::Json, SECOND),
            (false, true, _) => (Shown::Nothing, SECOND),
            (false, false, true) => (Shown::Bar(bar()), SECOND),
            (false, false, false) => (Shown::Lines, PERIOD),
        };
        ProgressMeter { shown, threads: threads.get() as u64, next_line }
    }

    /// Shows how far it is; `None` while the points are read.
    pub fn show(&mut self, progress: Option<Progress>) {
        let words = progress.map_or("reading the points".to_owned(), |progress| self.words(&progress));
        if let Shown::Bar(bar) = &self.shown {
            let progress = progress.unwrap_or_default();
            bar.set_length(progress.expected.max(1));
            bar.set_position(progress.done);
            bar.set_message(words);
            return;
        }
        let now = since_start();
        if now < self.next_line {
            return;
        }
        match self.shown {
            Shown::Nothing | Shown::Bar(_) => {}
            Shown::Lines => {
                self.next_line = now + PERIOD;
                eprintln!("{:.0} s: {words}", now.as_secs_f64());
            }
            Shown::Json => {
                self.next_line = now + SECOND;
                let progress = progress.unwrap_or_default();
                let line = json!({
                    "done_runs": progress.done,
                    "expected_runs": progress.expected,
                    "left_s": self.left(&progress).map(Duration::as_secs_f64),
                });
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

    fn words(&self, progress: &Progress) -> String {
        let left = self.left(progress).map_or(String::new(), |left| format!(", about {} left", spoken(left)));
        format!("{} of {} runs done{left}", progress.done, progress.expected)
    }

    fn left(&self, progress: &Progress) -> Option<Duration> {
        progress.left.map(|work| work / self.threads)
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("[{bar:16}] {percent:>3} %  {msg}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style.progress_chars("=> "))
}

const SECOND: Duration = Duration::from_secs(1);
/// Lines for people come this often: nobody reads more.
const PERIOD: Duration = Duration::from_secs(5);
