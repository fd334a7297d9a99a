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
    bar: Option<ProgressBar>,
    /// When the next line is due, where lines are wanted.
    next_line: Option<Duration>,
    /// The simulated time of all runs, where that is known.
    simulated: Option<Duration>,
}

impl ProgressMeter {
    /// A meter of the runs of a scenario.
    pub fn new(output: Output, scenario: &Scenario, stop: Stop) -> ProgressMeter {
        let runs = match stop {
            Stop::After(runs) => Some(runs),
            Stop::Until { .. } => None,
        };
        let simulated = scenario.run.time.zip(runs).map(|(time, runs)| time * runs);
        let wants_bar = !output.quiet && !output.json_lines && std::io::stderr().is_terminal();
        ProgressMeter {
            bar: wants_bar.then(|| bar(simulated)),
            next_line: output.json_lines.then_some(SECOND),
            simulated,
        }
    }

    /// Shows how far `watcher` says it is.
    pub fn show(&mut self, watcher: &Watcher) {
        if let Some(bar) = &self.bar {
            let shown = watcher.simulated().as_millis();
            bar.set_position(shown);
            bar.set_message(format!("{} runs, {:.1} s simulated", watcher.finished(), shown as f64 / 1e3));
        }
        let now = since_start();
        if let Some(next) = self.next_line.as_mut().filter(|next| **next <= now) {
            *next = now + SECOND;
            let share = self.simulated.map(|all| watcher.simulated().as_secs_f64() / all.as_secs_f64());
            let line = json!({
                "wall_s": now.as_secs_f64(),
                "simulated_s": watcher.simulated().as_secs_f64(),
                "finished_runs": watcher.finished(),
                "share": share,
            });
            report::print_line(&line.to_string());
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(simulated: Option<Duration>) -> ProgressBar {
    let (bar, template) = match simulated {
        Some(all) => {
            (ProgressBar::new(all.as_millis().max(1)), "[{bar:40}] {percent:>3} %  {msg}  {eta} left")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> "))
}

const SECOND: Duration = Duration::from_secs(1);
