//! The transfer of files from one sender, whichever end dialled.

use anabranch_net::Clock;
use anabranch_net::monitor::{DataDirection, PathMonitor};
use anabranch_transfer::{Destination, ReceiveFilesError, Transfer, hex};
use serde_json::Value;

use crate::arguments::RecvArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::links::charges;
use crate::notice;
use crate::peer::Connected;
use crate::report::{Outcome, shortened};
use crate::transfer::{
    FileCounts, Observed, Progress, ProgressView, TransferDocument, follow, not_received, table,
    there_already, watched, why_slower,
};

/// The result of an association with a sender.
pub(super) enum ReceiveOutcome {
    /// The peer left without offering a file, perhaps for this reason.
    Nothing(Option<Failure>),
    /// The sender left, or no longer answered, before the end.
    Broken {
        /// The outcome until then.
        outcome: Outcome,
        /// True if a part is kept that the sender need not send again.
        is_something_kept: bool,
        /// True if data arrived.
        has_moved: bool,
    },
    /// A transfer that ended in another way.
    Transfer(Outcome),
}

/// The part of a transfer that is the same for every sender.
pub(super) struct ReceiveRun<'a> {
    /// The arguments of the command.
    pub arguments: &'a RecvArguments,
    /// The settings, for the document.
    pub resolved: Value,
    /// Where the files go.
    pub destination: Destination,
}

impl ReceiveRun<'_> {
    /// Follows `files` from `sender` until the transfer ends.
    pub(super) async fn follow(
        &self,
        sender: &Connected,
        files: Transfer<'_, ReceiveFilesError>,
        interrupt: &mut Interrupt,
    ) -> ReceiveOutcome {
        let Connected { association, peer, .. } = sender;
        let ReceiveRun { arguments, resolved, destination } = self;
        let (clock, observed) = (Clock::start(), Observed::begin());
        let progress = Progress::new(clock);
        let mut monitor = PathMonitor::new(clock, DataDirection::Receiving);
        let mut view = ProgressView::new(arguments.output);
        let work = async { follow(files, &progress).await.map_err(|error| not_received(peer, error)) };
        let failure = watched(association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
        if has_left(failure.as_ref())
            && progress.tally() == FileCounts::default()
            && progress.current().is_none()
        {
            return ReceiveOutcome::Nothing(failure);
        }
        let mut summary = summary(&monitor, &progress, destination, observed);
        if matches!(destination, Destination::Output(_)) && !arguments.output.quiet {
            // Standard output is the file's alone.
            notice::show(std::mem::take(&mut summary).trim_end());
        }
        let is_broken = matches!(failure, Some(Failure::PeerGone(_)));
        let document = Some(TransferDocument::new(&monitor, &progress, resolved.clone()).into());
        let outcome = Outcome { document, summary, failure, ..Outcome::default() };
        let is_something_kept = progress.is_something_kept();
        if is_broken {
            ReceiveOutcome::Broken { outcome, is_something_kept, has_moved: !progress.bytes().is_zero() }
        } else {
            ReceiveOutcome::Transfer(outcome)
        }
    }
}

/// True if the peer ended the association, with or without a reason.
fn has_left(failure: Option<&Failure>) -> bool {
    matches!(
        failure,
        None | Some(Failure::PeerGone(_) | Failure::Busy(_) | Failure::Refused(_) | Failure::Garbage { .. })
    )
}

fn summary(
    monitor: &PathMonitor,
    progress: &Progress,
    destination: &Destination,
    observed: Observed,
) -> String {
    let took = progress.duration();
    let done = progress.done();
    let stored = done.iter().filter(|file| file.verdict.is_verified());
    let lines: Vec<String> = stored
        .map(|file| {
            let digest = file.digest.as_ref().map(hex).unwrap_or_default();
            format!("{}  {}  SHA-256 {digest}", destination.shown(&file.name), file.size.rounded())
        })
        .collect();
    let files: String = shortened(&lines, "files").map(|line| line + "\n").collect();
    let rate = progress.bytes().rate_over(took).unwrap_or_default();
    let bytes = progress.bytes().rounded();
    let seconds = took.as_secs_f64();
    let there = there_already(progress);
    let charges = charges(monitor.links());
    let why = why_slower(monitor, took, observed, None);
    format!(
        "{}\n{charges}{files}{bytes} received in {seconds:.1} s, {rate}{there}\n{why}",
        table(monitor, took)
    )
}
