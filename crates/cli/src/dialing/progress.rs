//! Opens an association, and shows the pairs of addresses that are tried and the errors that the network reports for them.

use std::fmt;
use std::io::IsTerminal;
use std::net::SocketAddr;

use anabranch_base::Duration;
use anabranch_net::{Association, Clock, Endpoint, Opening, PathAddresses, Undelivered};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::{MissedTickBehavior, interval};

use crate::arguments::Output;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice::{self, fitted};
use crate::peer::Peer;

/// Opens an association with `peer` at one address of each of the hosts `to`, and shows the progress.
///
/// # Errors
/// The peer does not answer or refuses, or Ctrl-C.
pub(super) async fn connect(
    endpoint: &Endpoint,
    to: &[Vec<SocketAddr>],
    peer: &Peer,
    output: Output,
    interrupt: &mut Interrupt,
) -> Result<Association, Failure> {
    let opening = endpoint.open_hosts(to).map_err(|error| peer.not_opened(error))?;
    let mut view = ConnectingView::new(output, peer);
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let opened = opening.opened();
    tokio::pin!(opened);
    let result = loop {
        tokio::select! {
            opened = &mut opened => break opened.map_err(|error| peer.not_opened(error)),
            _ = ticks.tick() => {
                let attempts = attempts(&opening);
                if view.is_hopeless(&attempts) {
                    view.latest.clone_from(&attempts);
                    break Err(peer.not_reached(attempts.iter().map(ToString::to_string).collect()));
                }
                view.show(attempts);
            }
            () = interrupt.pressed() => break Err(Failure::Interrupted),
        }
    };
    view.finish(matches!(result, Err(Failure::NoAnswer { .. })));
    result
}

/// A pair of addresses that is tried, and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Attempt {
    pair: PathAddresses,
    /// The latest error that the network reported for it.
    trouble: Option<String>,
}

fn attempts(opening: &Opening) -> Vec<Attempt> {
    let undelivered = opening.undelivered();
    let attempt = |pair| Attempt { pair, trouble: trouble(&pair, &undelivered) };
    opening.tried().into_iter().map(attempt).collect()
}

/// The latest error for a pair, in the kernel's words, with an explanation if they need one.
fn trouble(pair: &PathAddresses, undelivered: &[Undelivered]) -> Option<String> {
    let is_about = |error: &&Undelivered| {
        let local = error.local.ip();
        error.remote == pair.remote && (local == pair.local.ip() || local.is_unspecified())
    };
    let latest = undelivered.iter().rev().find(is_about)?;
    Some(if latest.is_port_closed {
        format!("port closed, nothing listens there ({})", latest.error)
    } else {
        latest.error.clone()
    })
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PathAddresses { local, remote } = self.pair;
        if !local.ip().is_unspecified() {
            write!(f, "{} → ", local.ip())?;
        }
        write!(f, "{remote}: {}", self.trouble.as_deref().unwrap_or("no answer yet"))
    }
}

/// The view on standard error.
struct ConnectingView {
    screen: Screen,
    since: Clock,
    latest: Vec<Attempt>,
    /// The time since which every pair is refused.
    refused_since: Option<Duration>,
}

enum Screen {
    Nothing,
    /// On a terminal.
    Spinner(ProgressBar),
    /// Elsewhere: a line for each change, and every few seconds.
    Lines {
        shown: Vec<Attempt>,
        next: Duration,
    },
}

impl ConnectingView {
    fn new(output: Output, peer: &Peer) -> ConnectingView {
        let screen = if output.quiet {
            Screen::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} connecting to {prefix}, {elapsed}\n{msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_prefix(peer.to_string());
            Screen::Spinner(bar)
        } else {
            Screen::Lines { shown: Vec::new(), next: FIRST_LINE }
        };
        ConnectingView { screen, since: Clock::start(), latest: Vec::new(), refused_since: None }
    }

    /// Returns true if the network has refused every pair for [`PATIENCE`]. An error may be forged, and a port may open
    /// later: the attempt continues while one pair has no error, and during the first seconds.
    fn is_hopeless(&mut self, attempts: &[Attempt]) -> bool {
        let elapsed = self.since.elapsed();
        let is_refused = !attempts.is_empty() && attempts.iter().all(|attempt| attempt.trouble.is_some());
        let since = *self.refused_since.get_or_insert(elapsed);
        if !is_refused {
            self.refused_since = None;
        }
        is_refused && elapsed.saturating_sub(since) >= PATIENCE
    }

    fn show(&mut self, attempts: Vec<Attempt>) {
        let elapsed = self.since.elapsed();
        match &mut self.screen {
            Screen::Nothing => {}
            Screen::Spinner(bar) => {
                let lines: Vec<String> =
                    attempts.iter().map(|attempt| fitted(&attempt.to_string(), "  ")).collect();
                bar.set_message(lines.join("\n"));
                bar.tick();
            }
            Screen::Lines { shown, next } => {
                let is_due = elapsed >= *next;
                let is_news = elapsed >= FIRST_LINE && *shown != attempts;
                if is_due {
                    *next = elapsed + PAUSE;
                }
                let seconds = elapsed.as_secs_f64();
                for attempt in
                    attempts.iter().filter(|attempt| is_due || (is_news && !shown.contains(attempt)))
                {
                    notice::tell(&format!("connecting, {seconds:.0} s: {attempt}"));
                }
                if is_due || is_news {
                    shown.clone_from(&attempts);
                }
            }
        }
        self.latest = attempts;
    }

    /// Removes the spinner, and prints the errors of the pairs if the attempt failed.
    fn finish(self, has_failed: bool) {
        let Screen::Spinner(bar) = &self.screen else { return };
        bar.finish_and_clear();
        for attempt in self.latest.iter().filter(|attempt| has_failed && attempt.trouble.is_some()) {
            notice::tell(&attempt.to_string());
        }
    }
}

const INTERVAL: std::time::Duration = std::time::Duration::from_millis(100);
/// Before this time, no line is printed.
const FIRST_LINE: Duration = Duration::from_secs(1);
/// The time for which every pair must be refused until the attempt ends.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time between two lines without a change.
const PAUSE: Duration = Duration::from_secs(5);
