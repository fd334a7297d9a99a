//! `status --watch`: the state again and again, in place on a terminal.

use std::io::IsTerminal as _;

use anabranch_base::Duration;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::{MissedTickBehavior, interval};

use super::ask::{self, Asked};
use super::{absent, document, summary};
use crate::arguments::StatusArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::{self, Outcome, wrapped};

/// Shows the state until Ctrl-C, beginning with what was `asked`.
///
/// # Errors
/// Ctrl-C.
pub(super) async fn run(
    mut asked: Asked,
    arguments: &StatusArguments,
    every: Duration,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let mut screen = Screen::new(arguments.json);
    let mut ticks = interval(every.into());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks.tick().await;
    loop {
        screen.show(&asked, arguments.pid);
        let next = async {
            ticks.tick().await;
            ask::all(arguments.pid).await
        };
        asked = tokio::select! {
            next = next => next,
            () = interrupt.pressed() => {
                screen.finish();
                return Err(Failure::Interrupted);
            }
        };
    }
}

enum Screen {
    Json,
    /// Lines of a terminal that are rewritten.
    Lines(ProgressBar),
    /// One block behind the other.
    Blocks {
        is_first: bool,
    },
}

impl Screen {
    fn new(is_json: bool) -> Screen {
        if is_json {
            Screen::Json
        } else if std::io::stdout().is_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
            let style =
                ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            Screen::Lines(bar.with_style(style))
        } else {
            Screen::Blocks { is_first: true }
        }
    }

    fn show(&mut self, asked: &Asked, pid: Option<u32>) {
        if let Screen::Json = self {
            return report::print_line(&document(asked).value(None).to_string());
        }
        let text = if asked.answers.is_empty() { absent(pid) } else { summary(&asked.answers) };
        let text = wrapped(text.trim_end());
        match self {
            Screen::Lines(lines) => lines.set_message(text),
            Screen::Blocks { is_first } => {
                let gap = if std::mem::take(is_first) { "" } else { "\n" };
                report::print_line(&format!("{gap}{text}"));
            }
            Screen::Json => {}
        }
    }

    /// Leaves the last lines on the terminal.
    fn finish(&self) {
        if let Screen::Lines(lines) = self {
            lines.abandon();
        }
    }
}
