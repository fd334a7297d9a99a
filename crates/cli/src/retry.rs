//! Tries a transfer again after an interruption, until it is done, its limit is reached, or Ctrl-C.
//!
//! The caller's [`Attempts`] has the work: it connects and continues the transfer.

mod course;
mod curable;

use std::future::{Future, pending};

use anabranch_net::{Clock, InterfaceMonitor};
use serde_json::json;

use crate::arguments::{Output, RetryLimit};
use crate::failure::{Failure, printable};
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report::Outcome;
use course::{Course, Next, random};

/// Work that can be tried again.
pub(crate) trait Attempts: Send {
    /// Makes one attempt, to its end.
    fn attempt(&mut self, interrupt: &mut Interrupt) -> impl Future<Output = Attempt> + Send;
}

/// The result of one attempt.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The outcome, with its failure, or the failure before there was anything to report.
    pub outcome: Result<Outcome, Failure>,
    /// True if the peer answered.
    pub has_connected: bool,
    /// True if data arrived that need not be sent again.
    pub has_moved: bool,
    /// True if the work cannot be repeated: a pipe can be read only once.
    pub is_last: bool,
}

impl Attempt {
    /// An attempt that failed before the peer answered.
    pub(crate) fn failed(failure: Failure) -> Attempt {
        Attempt { outcome: Err(failure), has_connected: false, has_moved: false, is_last: false }
    }

    fn failure(&self) -> Option<&Failure> {
        self.outcome.as_ref().map_or_else(Some, |outcome| outcome.failure.as_ref())
    }
}

/// Makes attempts within the limit; without one, a single attempt.
///
/// # Errors
/// The failure of the last attempt, if none had an outcome.
pub(crate) async fn within(
    limit: Option<RetryLimit>,
    output: Output,
    mut work: impl Attempts,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let Some(limit) = limit else { return work.attempt(interrupt).await.outcome };
    let (clock, mut course, mut latest) = (Clock::start(), Course::new(limit), None);
    loop {
        let attempt = work.attempt(interrupt).await;
        let next = course.on_attempt(&attempt, clock.elapsed(), random());
        if let (Next::Attempt(pause), Some(failure)) = (&next, attempt.failure()) {
            tell(failure, *pause, course.attempts() + 1, output);
        }
        let failure = match attempt.outcome {
            Ok(outcome) if next == Next::Ended => return Ok(counted(outcome, &course)),
            Ok(outcome) => latest.insert(outcome).failure.take(),
            Err(failure) => Some(failure),
        };
        let Next::Attempt(pause) = next else {
            return Ok(counted(Outcome { failure, ..latest.unwrap_or_default() }, &course));
        };
        tokio::select! {
            () = tokio::time::sleep(pause.into()) => {}
            () = interface_appears() => {}
            () = interrupt.pressed() => {
                let failure = Some(Failure::Interrupted);
                return Ok(counted(Outcome { failure, ..latest.unwrap_or_default() }, &course));
            }
        }
    }
}

/// Says what happened and when the next attempt begins, on one line.
fn tell(failure: &Failure, pause: anabranch_base::Duration, number: u32, output: Output) {
    if !output.quiet {
        let why = printable(&failure.to_string()).replace('\n', "; ");
        notice::tell(&format!("{why}; trying again in {:.1} s (attempt {number})", pause.as_secs_f64()));
    }
}

/// The outcome with the number of attempts.
fn counted(outcome: Outcome, course: &Course) -> Outcome {
    let attempts = course.attempts();
    let document = outcome.document.unwrap_or_default().with("attempts", json!(attempts));
    let mut summary = outcome.summary;
    if attempts > 1 && !summary.is_empty() {
        summary = format!("{}\n{attempts} attempts\n", summary.trim_end());
    }
    Outcome { document: Some(document), summary, ..outcome }
}

/// Waits until an interface or an address appears.
async fn interface_appears() {
    let Ok(mut monitor) = InterfaceMonitor::begin() else { return pending().await };
    loop {
        let before = monitor.known().to_vec();
        if monitor.changed().await.iter().any(|one| !before.contains(one)) {
            return;
        }
    }
}
