//! The transfer of files to one receiver, whichever end dialled.

use anabranch_net::monitor::{DataDirection, PathMonitor};
use anabranch_net::{Clock, Config};
use anabranch_transfer::{SendFilesError, Sources, Transfer};
use serde_json::Value;

use crate::arguments::SendArguments;
use crate::interrupt::Interrupt;
use crate::links::charges;
use crate::peer::Connected;
use crate::report::{Outcome, shortened};
use crate::transfer::{
    FileCounts, Observed, Progress, ProgressView, TransferDocument, follow, not_sent, table, there_already,
    watched, why_slower,
};

/// The part of a transfer that is the same for every receiver.
pub(super) struct SendRun<'a> {
    /// The arguments of the command.
    pub arguments: &'a SendArguments,
    /// The settings, for the document.
    pub resolved: Value,
    /// The settings that this end sends with.
    pub config: &'a Config,
}

/// The result of a transfer.
pub(super) struct Sent {
    /// The outcome, as it is reported.
    pub outcome: Outcome,
    /// True if the receiver took any file, or began to.
    pub is_begun: bool,
    /// True if data were sent.
    pub has_moved: bool,
}

impl SendRun<'_> {
    /// Follows `files` to `receiver` until the transfer ends.
    pub(super) async fn follow(
        &self,
        receiver: &Connected,
        left_out: Vec<String>,
        files: Transfer<'_, SendFilesError>,
        interrupt: &mut Interrupt,
    ) -> Sent {
        let Connected { association, peer, .. } = receiver;
        let (clock, observed) = (Clock::start(), Observed::begin());
        let progress = Progress::new(clock);
        let mut monitor = PathMonitor::new(clock, DataDirection::Sending);
        let mut view = ProgressView::new(self.arguments.output);
        progress.leave_out(left_out);
        let work =
            async { follow(files, &progress).await.map_err(|error| not_sent(association, peer, error)) };
        let failure = watched(association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
        let is_begun = progress.current().is_some() || progress.tally() != FileCounts::default();
        let document = Some(TransferDocument::new(&monitor, &progress, self.resolved.clone()).into());
        let summary = self.summary(&monitor, &progress, observed);
        let outcome = Outcome { document, summary, failure, ..Outcome::default() };
        Sent { outcome, is_begun, has_moved: !progress.bytes().is_zero() }
    }

    fn summary(&self, monitor: &PathMonitor, progress: &Progress, observed: Observed) -> String {
        let took = progress.duration();
        let rate = progress.bytes().rate_over(took).unwrap_or_default();
        let files = match progress.tally().verified {
            1 => "1 file is".to_owned(),
            stored => format!("{stored} files are"),
        };
        let left_out: String = shortened(&progress.left_out(), "left out").map(|line| line + "\n").collect();
        let why = why_slower(monitor, took, observed, Some(self.config));
        format!(
            "{}\n{}{left_out}{} sent in {:.1} s, {rate}{}; {files} stored at the receiver with a verified SHA-256\n{why}",
            table(monitor, took),
            charges(monitor.links()),
            progress.bytes().rounded(),
            took.as_secs_f64(),
            there_already(progress)
        )
    }
}

/// Describes the sources that are left out.
pub(super) fn left_out(sources: &Sources) -> Vec<String> {
    sources.left_out.iter().map(ToString::to_string).collect()
}
