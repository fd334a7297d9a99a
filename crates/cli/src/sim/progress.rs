//! The progress of a simulation.

use anabranch_base::Duration;
use anabranch_scenario::Scenario;
use anabranch_sim::{Stop, Watcher};
use serde_json::json;

use crate::meter::Progress;

/// The whole of the runs of a scenario, in so far as it is known.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// The simulated time of all runs.
    simulated: Option<Duration>,
    /// Their number.
    runs: Option<u64>,
}

impl Whole {
    /// The runs of a scenario.
    pub(super) fn of(scenario: &Scenario, stop: Stop) -> Whole {
        let runs = match stop {
            Stop::After(runs) => Some(runs),
            Stop::Until { .. } => None,
        };
        Whole { simulated: scenario.run.time.zip(runs).map(|(time, runs)| time * runs), runs }
    }

    /// Returns the progress by `watcher`.
    pub(super) fn progress(self, watcher: &Watcher) -> Progress {
        let simulated = watcher.simulated();
        let share = self.simulated.map(|all| simulated.as_secs_f64() / all.as_secs_f64());
        Progress {
            done: simulated.as_millis(),
            all: self.simulated.map(|all| all.as_millis().max(1)),
            words: self.words(watcher),
            document: json!({
                "simulated_s": simulated.as_secs_f64(),
                "finished_runs": watcher.finished(),
                "share": share,
            }),
        }
    }

    /// `3 runs done, 42.0 of 300.0 s simulated`.
    fn words(self, watcher: &Watcher) -> String {
        let simulated = watcher.simulated().as_secs_f64();
        let all = self.simulated.map_or(String::new(), |all| format!(" of {:.1}", all.as_secs_f64()));
        let runs = match (watcher.finished(), self.runs) {
            (_, Some(1)) => String::new(),
            (done, Some(all)) => format!("{done} of {all} runs done, "),
            (done, None) => format!("{done} runs done, "),
        };
        format!("{runs}{simulated:.1}{all} s simulated")
    }
}

/// A bar with the time left: simulated time passes evenly enough to estimate it.
pub(crate) const BAR: &str = "[{bar:16}] {percent:>3} %  {msg}  {eta} left";
