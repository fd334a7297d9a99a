//! Names the bottleneck of a test and advises on it, judged from its measurements: each path's rate alone and with
//! the others, the time in each limited state, the retransmissions. It measures nothing.

pub(crate) mod advice;
pub(crate) mod losses;
pub(crate) mod weighed;

use serde::Serialize;

use crate::remedy::RemedyWords;
use crate::transfer::{Alone, Transfer};
use weighed::Weighed;

/// The verdict. Keys in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The goodput of the best path alone.
    pub best_alone_bps: Option<f64>,
    /// The sum of the goodputs of each path alone.
    pub sum_alone_bps: Option<f64>,
    /// The goodput of the test as a part of that sum.
    pub share_of_sum: Option<f64>,
    /// The bottleneck.
    pub limited_by: &'static str,
    /// The advice.
    pub advice: String,
}

/// The bottleneck of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bottleneck {
    /// The links are full.
    Nothing,
    /// The application offered no more data.
    Application,
    /// A path carried no data for a while.
    Outage,
    /// The receive window was closed.
    ReceiveBuffer,
    /// The send buffer was full of data in flight, and the paths ran dry.
    SendBuffer,
    /// An end used a whole processor core.
    Processor,
    /// The scheduler left usable paths idle.
    Scheduler,
    /// The paths have a link in common.
    SharedLink,
    /// Losses kept windows small without a standing queue.
    Losses,
    /// Losses at full queues, or a short test, kept windows small.
    CongestionWindow,
}

/// Judges `run`, with the results of each path alone if there are any. `words` words remedies in the options of the
/// program; [`Remedy`](crate::Remedy)'s own `Display` is for programs without options.
pub fn judge(run: &Transfer, alone: &[Alone], words: RemedyWords) -> Diagnosis {
    let evidence = Weighed::of(run, alone);
    let cause = cause(&evidence);
    let best = alone.iter().map(|path| path.goodput_bps).reduce(f64::max);
    Diagnosis {
        best_alone_bps: best,
        sum_alone_bps: evidence.sum_alone,
        share_of_sum: evidence.share_of_sum(),
        limited_by: cause.word(),
        advice: advice::on(cause, &evidence, words),
    }
}

/// The first bottleneck that explains the result, from the most certain to the remaining one.
pub(crate) fn cause(evidence: &Weighed<'_>) -> Bottleneck {
    let held = |share: f64| share >= NOTEWORTHY;
    if evidence.is_rate_kept() {
        return Bottleneck::Application;
    }
    if evidence.dead().next().is_some() {
        return Bottleneck::Outage;
    }
    let is_lossy = !evidence.held_by_losses().is_empty();
    if evidence.share_of_sum().is_some_and(|share| share >= ALL_OF_IT) {
        // Losses that limit each path alone limit all together.
        return if is_lossy { Bottleneck::Losses } else { Bottleneck::Nothing };
    }
    if evidence.is_gap_an_outage() {
        return Bottleneck::Outage;
    }
    if held(evidence.receive_window) {
        return Bottleneck::ReceiveBuffer;
    }
    let is_busy = evidence.run.cpu_share >= FULL_CORE;
    // At a fixed rate the paths run dry while no message is due.
    let is_all_offered = evidence.run.offered_bps.is_none();
    if held(evidence.application) && is_all_offered && !is_busy {
        return Bottleneck::SendBuffer;
    }
    if is_busy {
        return Bottleneck::Processor;
    }
    if held(evidence.scheduler) {
        return Bottleneck::Scheduler;
    }
    // A full link has a queue.
    if evidence.share_a_link() && !evidence.is_each_held_by_losses() {
        return Bottleneck::SharedLink;
    }
    if is_lossy {
        return Bottleneck::Losses;
    }
    // With tests of each path alone the missing part of the sum is known, and no cause above explained it.
    let is_all_carried =
        evidence.sum_alone.is_none() && (evidence.has_standing_queues() || evidence.fill_without_queue());
    if is_all_carried { Bottleneck::Nothing } else { Bottleneck::CongestionWindow }
}

impl Bottleneck {
    fn word(self) -> &'static str {
        match self {
            Bottleneck::Nothing => "nothing",
            Bottleneck::Application => "application",
            Bottleneck::Outage => "outage",
            Bottleneck::ReceiveBuffer => "receive buffer",
            Bottleneck::SendBuffer => "send buffer",
            Bottleneck::Processor => "processor",
            Bottleneck::Scheduler => "scheduler",
            Bottleneck::SharedLink => "shared link",
            Bottleneck::Losses => "losses",
            Bottleneck::CongestionWindow => "congestion window",
        }
    }
}

/// The smallest weighted part of the time that counts as a bottleneck.
pub(crate) const NOTEWORTHY: f64 = 0.08;
/// A result of at least this part of the sum is complete: two tests on the same link differ by as much.
const ALL_OF_IT: f64 = 0.95;
/// One task drives an association: this part of a core counts as full.
pub(crate) const FULL_CORE: f64 = 0.9;

#[cfg(test)]
mod tests;
