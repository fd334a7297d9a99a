//! Shows the progress of a long command: a bar on a terminal, a line every five seconds elsewhere, an object every second
//! for scripts.

use std::io::IsTerminal as _;

use anabranch_base::Duration;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::arguments::Output;
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report;
use crate::threads::Work;

/// The progress of a command.
pub(crate) struct Progress {
    /// The done part of [`all`](Progress::all).
    pub done: u64,
    /// The whole; `None` if it is unknown.
    pub all: Option<u64>,
    /// The progress in words.
    pub words: String,
    /// The object for scripts.
    pub document: Value,
}

/// A display of progress.
pub(crate) struct Meter {
    shown: Shown,
    /// The time at which the next line is due.
    next_line: Duration,
}

/// The display.
enum Shown {
    Nothing,
    /// A bar with its template.
    Bar(ProgressBar, &'static str),
    /// Lines of text, if standard error is not a terminal.
    Lines,
    /// Lines of JSON.
    Json,
}

impl Meter {
    /// The meter that `output` requests. `bar` is the template of a bar, which may show more than the words.
    pub(crate) fn new(output: Output, bar: &'static str) -> Meter {
        let (shown, next_line) = match (output.json_lines, output.quiet, std::io::stderr().is_terminal()) {
            (true, _, _) => (Shown::Json, SECOND),
            (false, true, _) => (Shown::Nothing, SECOND),
            (false, false, true) => (Shown::Bar(ProgressBar::new_spinner(), bar), SECOND),
            (false, false, false) => (Shown::Lines, PERIOD),
        };
        Meter { shown, next_line }
    }

    /// Waits for work on another thread, and shows its progress. Each press of Ctrl-C calls `cancel`. Returns the result.
    ///
    /// # Errors
    /// The work panicked.
    pub(crate) async fn over<T>(
        mut self,
        work: Work<T>,
        interrupt: &mut Interrupt,
        progress: impl Fn() -> Progress,
        cancel: impl Fn(),
    ) -> Result<T, Failure> {
        let work = work.ended();
        tokio::pin!(work);
        let mut ticks = tokio::time::interval(TICK);
        let done = loop {
            tokio::select! {
                done = &mut work => break done.map_err(Failure::from),
                _ = ticks.tick() => self.show(&progress),
                () = interrupt.pressed() => cancel(),
            }
        };
        if let Shown::Bar(bar, _) = &self.shown {
            bar.finish_and_clear();
        }
        done
    }

    fn show(&mut self, progress: impl FnOnce() -> Progress) {
        let now = since_start();
        let is_due = now >= self.next_line;
        match &self.shown {
            Shown::Bar(bar, template) => draw(bar, template, progress()),
            Shown::Lines if is_due => {
                self.next_line = now + PERIOD;
                notice::tell(&format!("{:.0} s: {}", now.as_secs_f64(), progress().words));
            }
            Shown::Json if is_due => {
                self.next_line = now + SECOND;
                report::print_line(&progress().document.to_string());
            }
            Shown::Nothing | Shown::Lines | Shown::Json => {}
        }
    }
}

/// Draws a bar, or a spinner if the whole is unknown.
fn draw(bar: &ProgressBar, template: &str, progress: Progress) {
    let Progress { done, all, words, .. } = progress;
    bar.set_message(words);
    if bar.length() != all {
        let template = if all.is_some() { template } else { SPINNER };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        all.map_or_else(|| bar.unset_length(), |all| bar.set_length(all));
    }
    bar.set_position(done);
}

/// A rounded time in one unit.
pub(crate) fn rounded_time(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        ..1.0 => "a second".to_owned(),
        ..100.0 => format!("{seconds:.0} s"),
        ..6_000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// A bar that shows the share and a message.
pub(crate) const SHARE: &str = "[{bar:16}] {percent:>3} %  {msg}";
const SPINNER: &str = "{spinner} {msg}";
/// The interval at which a bar moves.
const TICK: std::time::Duration = std::time::Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
/// The interval of lines of text.
const PERIOD: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_rounded_in_one_unit() {
        let told = [0, 7, 150, 7_200].map(|seconds| rounded_time(Duration::from_secs(seconds)));
        assert_eq!(told, ["a second", "7 s", "2 min", "2.0 h"]);
    }

    #[test]
    fn a_bar_is_a_spinner_until_it_is_known_how_much_there_is_to_do() {
        let bar = ProgressBar::hidden();
        let progress = |done, all| Progress { done, all, words: String::new(), document: Value::Null };
        draw(&bar, SHARE, progress(0, None));
        assert_eq!((bar.position(), bar.length()), (0, None));
        draw(&bar, SHARE, progress(3, Some(8)));
        assert_eq!((bar.position(), bar.length()), (3, Some(8)));
    }
}
