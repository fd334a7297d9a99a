//! The progress of an examination: a bar on a terminal, a line for each phase elsewhere.

use std::io::IsTerminal as _;

use anabranch_base::Duration;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::Output;
use crate::notice;

/// The view on standard error.
pub(super) struct View {
    bar: Option<ProgressBar>,
    is_quiet: bool,
    said: String,
    total: Duration,
}

impl View {
    /// The view that `output` requests.
    pub(super) fn new(output: Output) -> View {
        let is_bar = !output.quiet && std::io::stderr().is_terminal();
        let bar = is_bar.then(|| {
            let bar = ProgressBar::with_draw_target(Some(1_000), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("[{bar:16}] {percent:>3} %  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        View { bar, is_quiet: output.quiet, said: String::new(), total: Duration::ZERO }
    }

    /// Shows the progress of the test packets. The total time is said first, and again when it grows.
    pub(super) fn measuring(&mut self, progress: &anabranch_probe::Progress) {
        let seconds = |span: Duration| span.as_secs_f64().ceil();
        if progress.total > std::mem::replace(&mut self.total, progress.total) {
            let why =
                if progress.is_longer { "longer, because of a deep queue or rare losses: " } else { "" };
            self.tell(&format!("measuring, {why}{:.0} s", seconds(progress.total)));
        }
        let lane = progress.lane.map_or(String::new(), |lane| format!(", link {}", lane + 1));
        let direction = match progress.is_forward {
            Some(true) => " there",
            Some(false) => " back",
            None => "",
        };
        let done = 1.0 - progress.left.as_secs_f64() / progress.total.as_secs_f64().max(1e-9);
        self.show(&format!("{}{lane}{direction}", progress.phase), done, Some(seconds(progress.left)));
    }

    /// Shows a later step, of which `done` is the finished share.
    pub(super) fn step(&mut self, what: &str, done: f64) {
        self.show(what, done, None);
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, what: &str, done: f64, left: Option<f64>) {
        if let Some(bar) = &self.bar {
            bar.set_position((done.clamp(0.0, 1.0) * 1e3) as u64);
            let left = left.map_or(String::new(), |left| format!("  {left:.0} s left"));
            bar.set_message(format!("{what}{left}"));
        } else if !self.is_quiet && self.said != what {
            what.clone_into(&mut self.said);
            notice::tell(what);
        }
    }

    fn tell(&self, line: &str) {
        match &self.bar {
            _ if self.is_quiet => {}
            Some(bar) => bar.suspend(|| notice::tell(line)),
            None => notice::tell(line),
        }
    }
}
