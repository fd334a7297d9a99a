//! What held a test back and what to do about it, judged from what it measured: each path's rate alone and with the
//! others, where its time went, what was resent. It measures nothing.

mod advice;
mod evidence;
mod losses;

use crate::path_entry::PathEntry;
use serde::Serialize;

use anabranch_net::Config;

use crate::measured::{Measured, Role};
use crate::protocol::EndReport;
use evidence::Evidence;

pub use advice::{Remedy, RemedyWords};

/// A test, as far as the verdict asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSummary {
    /// What arrived, bits a second.
    pub goodput_bps: f64,
    /// The rate to be sent; `None` for unlimited.
    pub offered_bps: Option<f64>,
    /// Messages that were due and never taken.
    pub unsent_messages: u64,
    /// How far the receiver's buffer may grow.
    pub receive_buffer_bytes: Option<u64>,
    /// The amount the sender's buffer holds.
    pub send_buffer_bytes: Option<u64>,
    /// Which path carries new data, by name; where the sender is here.
    pub scheduler: Option<String>,
    /// How windows grow, by name; where the sender is here.
    pub congestion_control: Option<String>,
    /// The processor's cores that the busier end filled.
    pub cpu_share: f64,
    /// What each path did.
    pub paths: Vec<PathEntry>,
}

/// What a path carried while the others rested.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alone {
    /// What it is called.
    pub name: String,
    /// What arrived, bits a second; nothing where it did not work alone.
    pub goodput_bps: f64,
    /// What it did.
    pub path: PathEntry,
}

impl TestSummary {
    /// What `measured` says of the test's first direction. `config` is that of this end, the client.
    pub fn of(measured: &Measured, config: &Config) -> TestSummary {
        let (first, _) = measured.ways();
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
    /// Returns true if nothing went by it.
    pub fn is_dead(&self) -> bool {
        self.goodput_bps <= 0.0
    }
}

/// The judgement. Keys in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// What the best path carries alone.
    pub best_alone_bps: Option<f64>,
    /// What all would carry if none disturbed another.
    pub sum_alone_bps: Option<f64>,
    /// What they carried together, as a part of that.
    pub share_of_sum: Option<f64>,
    /// What held them back.
    pub limited_by: &'static str,
    /// What to do about it.
    pub advice: String,
}

/// What may hold a test back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bottleneck {
    /// The links are full.
    Nothing,
    /// There was not more to send.
    Application,
    /// A path carried no data for a while.
    Outage,
    /// The receiver had no room.
    ReceiveBuffer,
    /// The sender had no room, and its paths ran dry.
    SendBuffer,
    /// An end could not keep up.
    Processor,
    /// Paths were not used though they might have been.
    Scheduler,
    /// The paths have a link in common.
    SharedLink,
    /// Losses kept windows small while no queue stood.
    Losses,
    /// Losses in full queues, or too little time, kept windows small.
    CongestionWindow,
}

/// Judges `run`, with what is known of each path alone. `words` says remedies as the program's users ask for them;
/// [`Remedy`]'s own words are for programs without options.
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

/// For a transfer of which no path was measured alone: that losses hold windows of `paths` while no queue stands, and what to
/// set. `None` where they do not. `congestion_control` is the sender's.
pub fn losses_of(paths: &[PathEntry], congestion_control: &str, words: RemedyWords) -> Option<String> {
    losses::advice(&losses::held_by_losses(paths, Some(congestion_control)), words)
}

/// The first that explains it, from what is seen for certain to what is left over.
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
        // What losses allow of each path alone, they allow of all together.
        return if is_lossy { Bottleneck::Losses } else { Bottleneck::Nothing };
    }
    if evidence.is_gap_an_outage() {
        return Bottleneck::Outage;
    }
    if held(evidence.receive_window) {
        return Bottleneck::ReceiveBuffer;
    }
    let is_busy = evidence.run.cpu_share >= FULL_CORE;
    // At a rate the application itself lets paths run dry, while nothing is due.
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
    // A link that is full has a queue.
    if evidence.share_a_link() && !evidence.is_each_held_by_losses() {
        return Bottleneck::SharedLink;
    }
    if is_lossy {
        return Bottleneck::Losses;
    }
    // With each path alone, what is missing of the sum is known, and was explained by none of these.
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

/// A part of the time, weighed by what the paths carry, from which on it is a reason.
const NOTEWORTHY: f64 = 0.08;
/// A part of the sum that is all of it: two tests on the same link differ by as much.
const ALL_OF_IT: f64 = 0.95;
/// One task drives an association: when its core is full, it is.
const FULL_CORE: f64 = 0.9;

#[cfg(test)]
mod tests;
