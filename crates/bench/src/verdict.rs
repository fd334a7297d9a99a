//! Names the bottleneck of a test and advises on it, judged from its measurements: each path's rate alone and with
//! the others, the time in each limited state, the retransmissions. It measures nothing.

mod advice;
mod evidence;
mod losses;
mod remedy;

use crate::path_entry::PathEntry;
use serde::Serialize;

use anabranch_net::Config;

use crate::measured::{Measured, Role};
use crate::protocol::EndReport;
use evidence::Evidence;

pub use remedy::{Remedy, RemedyWords};

/// The measurements of a test that the verdict needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSummary {
    /// The goodput in bits a second.
    pub goodput_bps: f64,
    /// The requested rate in bits a second; `None` for unlimited.
    pub offered_bps: Option<f64>,
    /// The messages that were due but that the transport never accepted.
    pub unsent_messages: u64,
    /// The limit to which the receiver's buffer may grow.
    pub receive_buffer_bytes: Option<u64>,
    /// The size of the sender's buffer, if this end sends.
    pub send_buffer_bytes: Option<u64>,
    /// The name of the scheduler, if this end sends.
    pub scheduler: Option<String>,
    /// The name of the congestion control, if this end sends.
    pub congestion_control: Option<String>,
    /// The processor cores used by the busier end.
    pub cpu_share: f64,
    /// The entry of each path.
    pub paths: Vec<PathEntry>,
}

/// The result of one path tested alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alone {
    /// The name of the path.
    pub name: String,
    /// The goodput in bits a second; 0 if the path did not work alone.
    pub goodput_bps: f64,
    /// The entry of the path.
    pub path: PathEntry,
}

impl TestSummary {
    /// The summary of the test's first direction. `config` is that of this end, the client.
    pub fn of(measured: &Measured, config: &Config) -> TestSummary {
        let (first, _) = measured.directions();
        let is_ours = Role::sending(first.direction) == Role::Client;
        let busy =
            |report: Option<&EndReport>| report.map_or(0.0, |report| share(report.cpu_s, report.seconds));
        TestSummary {
            goodput_bps: first.goodput_bps(),
            offered_bps: measured.ask.rate.map(|rate| rate.bits_per_second() as f64),
            unsent_messages: first.unsent_messages(),
            receive_buffer_bytes: first.receiver.map(|report| report.receive_buffer_limit_bytes),
            send_buffer_bytes: is_ours.then(|| config.send_buffer.get()),
            scheduler: is_ours.then(|| config.scheduler.clone()),
            congestion_control: is_ours.then(|| config.congestion_control.clone()),
            cpu_share: busy(first.sender).max(busy(first.receiver)),
            paths: first.paths,
        }
    }
}

fn share(taken: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { taken / seconds } else { 0.0 }
}

impl Alone {
    /// Returns true if the path carried nothing.
    pub fn is_dead(&self) -> bool {
        self.goodput_bps <= 0.0
    }
}

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
enum Bottleneck {
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
/// program; [`Remedy`]'s own `Display` is for programs without options.
pub fn judge(run: &TestSummary, alone: &[Alone], words: RemedyWords) -> Diagnosis {
    let evidence = Evidence::of(run, alone);
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

/// For a transfer without tests of each path alone: the advice if losses limit windows of `paths` without a standing
/// queue, else `None`. `congestion_control` is the sender's.
pub fn losses_of(paths: &[PathEntry], congestion_control: &str, words: RemedyWords) -> Option<String> {
    losses::advice(&losses::held_by_losses(paths, Some(congestion_control)), words)
}

/// The first bottleneck that explains the result, from the most certain to the remaining one.
fn cause(evidence: &Evidence<'_>) -> Bottleneck {
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
const NOTEWORTHY: f64 = 0.08;
/// A result of at least this part of the sum is complete: two tests on the same link differ by as much.
const ALL_OF_IT: f64 = 0.95;
/// One task drives an association: this part of a core counts as full.
const FULL_CORE: f64 = 0.9;

#[cfg(test)]
mod tests;
