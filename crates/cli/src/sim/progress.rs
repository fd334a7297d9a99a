//! The progress of a simulation: a bar on a terminal, one object per second for scripts.

use std::io::IsTerminal;

use anabranch_base::Duration;
use anabranch_scenario::Scenario;
use anabranch_sim::{Stop, Watcher};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::arguments::Output;
use crate::clock::since_start;
use crate::report;

/// Shows how far it is.
pub struct ProgressMeter {
    shown: Shown,
    /// When the next line is due, where lines are wanted.
    next_line: Duration,
    /// The simulated time of all runs, where that is known.
    simulated: Option<Duration>,
    /// The number of runs, where that is known.
    runs: Option<u64>,
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
    /// A meter of the runs of a scenario.
    pub fn new(output: Output, scenario: &Scenario, stop: Stop) -> ProgressMeter {
        let runs = match stop {
            Stop::After(runs) => Some(runs),
            Stop::Until { .. } => None,
        };
        let simulated = scenario.run.time.zip(runs).map(|(time, runs)| time * runs);
        let (shown, next_line) = match (output.json_lines, output.quiet, std::io::stderr().is_terminal()) {
            (true, _, _) => (Shown::Json, SECOND),
            (false, true, _) => (Shown::Nothing, SECOND),
            (false, false, true) => (Shown::Bar(bar(simulated)), SECOND),
            (false, false, false) => (Shown::Lines, PERIOD),
        };
        ProgressMeter { shown, next_line, simulated, runs }
    }

    /// Shows how far `watcher` says it is.
    pub fn show(&mut self, watcher: &Watcher) {
        let simulated = watcher.simulated();
        if let Shown::Bar(bar) = &self.shown {
            bar.set_position(simulated.as_millis());
            bar.set_message(self.words(watcher));
        }
        let now = since_start();
        if now < self.next_line {
            return;
        }
        match self.shown {
            Shown::Nothing | Shown::Bar(_) => {}
            Shown::Lines => {
                self.next_line = now + PERIOD;
                eprintln!("{:.0} s: {}", now.as_secs_f64(), self.words(watcher));
            }
            Shown::Json => {
                self.next_line = now + SECOND;
                let line = json!({
                    "simulated_s": simulated.as_secs_f64(),
                    "finished_runs": watcher.finished(),
                    "share": self.simulated.map(|all| simulated.as_secs_f64() / all.as_secs_f64()),
                });
                report::print_line(&line.to_string());
            }
        }
    }

    /// `3 runs done, 42.0 of 300.0 s simulated`.
    fn words(&self, watcher: &Watcher) -> String {
        let simulated = watcher.simulated().as_secs_f64();
        let all = self.simulated.map_or(String::new(), |all| format!(" of {:.1}", all.as_secs_f64()));
        let runs = match (watcher.finished(), self.runs) {
            (_, Some(1)) => String::new(),
            (done, Some(all)) => format!("{done} of {all} runs done, "),
            (done, None) => format!("{done} runs done, "),
        };
        format!("{runs}{simulated:.1}{all} s simulated")
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn bar(simulated: Option<Duration>) -> ProgressBar {
    let (bar, template) = match simulated {
        Some(all) => {
            (ProgressBar::new(all.as_millis().max(1)), "[{bar:16}] {percent:>3} %  {msg}  {eta} left")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> "))
}

const SECOND: Duration = Duration::from_secs(1);
/// Lines for people come this often: nobody reads more.
const PERIOD: Duration = Duration::from_secs(5);
