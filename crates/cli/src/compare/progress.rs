//! The progress of a comparison: a bar on a terminal, else a line every few seconds.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use crate::arguments::Output;
use crate::clock::since_start;
use crate::notice;

/// The steps of a comparison.
pub(super) struct Steps {
    bar: ProgressBar,
    tells_lines: bool,
}

impl Steps {
    /// Begins with `count` steps to do.
    pub(super) fn new(output: Output, count: u64) -> Steps {
        let is_silent = output.quiet || output.json_lines;
        let target = if is_silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{spinner} [{bar:24}] {msg}  {elapsed}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(Some(count), target).with_style(style);
        Steps { bar, tells_lines: !is_silent && !std::io::stderr().is_terminal() }
    }

    /// Begins the next step.
    pub(super) fn begin(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Moves the bar. The caller does this because a host may not allow a thread for it.
    pub(super) fn tick(&self) {
        self.bar.tick();
    }

    /// Counts a step as done.
    pub(super) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Prints the progress if no bar shows it.
    pub(super) fn tell(&self) {
        if self.tells_lines {
            let step = self.bar.position() + 1;
            let all = self.bar.length().unwrap_or(step);
            let seconds = since_start().as_secs_f64();
            notice::tell(&format!("{seconds:.0} s: step {step} of {all}, {}", self.bar.message()));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The times at which [`Steps::tell`] is due.
pub(crate) fn pulse() -> Interval {
    let mut pulse = interval_at(tokio::time::Instant::now() + PERIOD, PERIOD);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Skip);
    pulse
}

const PERIOD: std::time::Duration = std::time::Duration::from_secs(5);
