//! The gains of changes: the simulator runs the measured links with one thing changed at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anabranch_base::Duration;
use anabranch_diagnose::LinkEstimate;
use anabranch_diagnose::recording::Recording;
use anabranch_net::Config;
use anabranch_scenario::model::Direction;
use anabranch_sctp::config::Growth;
use anabranch_twin::{
    ChangedEnd, Effort, NetworkFile, Observer, Twin, TwinChoices, WhatIf, WhatIfs, what_ifs,
};

use super::progress::View;
use crate::arguments::DoctorArguments;
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::policies;
use crate::report::{head, lay_out_narrow};
use crate::threads;

/// The simulated links, with the changes that were tried on them each way.
#[derive(Debug)]
pub(super) struct Simulated {
    /// The scenario of the links.
    pub file: NetworkFile,
    /// The changes each way; none where there was no time for them.
    pub directions: Vec<SimulatedDirection>,
}

/// The changes that were tried in one direction.
#[derive(Debug)]
pub(super) struct SimulatedDirection {
    /// True for data from this end to the other.
    pub is_forward: bool,
    /// Their results.
    pub changes: WhatIfs,
}

impl Simulated {
    /// The change of this end's settings for data to the other end that raises the goodput most, if any does.
    pub(super) fn best_there(&self) -> Option<&WhatIf> {
        let there = self.directions.iter().find(|direction| direction.is_forward)?;
        let is_ours =
            |change: &&WhatIf| change.end == ChangedEnd::Sender && !change.change.settings().is_empty();
        there.changes.changes.iter().filter(|change| change.is_gain).find(is_ours)
    }

    /// The changes that bring something, the best of each way first.
    pub(super) fn table(&self) -> String {
        let rows: Vec<Vec<String>> = self.directions.iter().flat_map(SimulatedDirection::rows).collect();
        if self.directions.is_empty() {
            return String::new();
        }
        if rows.is_empty() {
            return "\nin the simulator no change of one setting brings 3 % more\n".to_owned();
        }
        let head = head(["change", "at", "for data", "carries", "gain", "echo"]);
        let table = lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 3, &["echo"]);
        format!("\nsimulated, with one thing changed at a time:\n\n{table}")
    }
}

impl SimulatedDirection {
    fn rows(&self) -> Vec<Vec<String>> {
        let useful = self.changes.changes.iter().filter(|change| change.is_gain).take(MOST);
        useful.map(|change| self.row(change)).collect()
    }

    fn row(&self, change: &WhatIf) -> Vec<String> {
        let goodput = change.outcome.goodput_bps;
        let half = (goodput.high - goodput.low) / 2.0;
        let echo = change.outcome.echo_s.map_or("-".to_owned(), |echo| format!("{:.0} ms", echo.value * 1e3));
        vec![
            change.set.clone(),
            self.place(change.end).to_owned(),
            if self.is_forward { "there" } else { "back" }.to_owned(),
            format!("{} ± {} Mbit/s", mbps(goodput.value), mbps(half)),
            format!("+{}", mbps(change.gain_bps.value)),
            echo,
        ]
    }

    /// The end that makes a change.
    fn place(&self, end: ChangedEnd) -> &'static str {
        match (end, self.is_forward) {
            (ChangedEnd::Both, _) => "both",
            (ChangedEnd::Sender, true) | (ChangedEnd::Receiver, false) => "here",
            (ChangedEnd::Sender, false) | (ChangedEnd::Receiver, true) => "there",
        }
    }
}

/// Runs the simulations; `None` where the links cannot be simulated.
///
/// # Errors
/// Ctrl-C.
pub(super) async fn run(
    recording: &Recording,
    links: &[LinkEstimate],
    arguments: &DoctorArguments,
    config: &Config,
    view: &mut View,
    interrupt: &mut Interrupt,
) -> Result<Option<Simulated>, Failure> {
    let twin = |direction| Twin::of(links, &choices(direction, recording, arguments, config)).ok();
    let Some(forward) = twin(Direction::Forward) else { return Ok(None) };
    let mut simulated = Simulated { file: forward.file().clone(), directions: Vec::new() };
    for (is_forward, twin) in [(true, Some(forward)), (false, twin(Direction::Reverse))] {
        let Some(twin) = twin else { continue };
        let changes = tried(twin, is_forward, view, interrupt).await?;
        simulated.directions.extend(changes.map(|changes| SimulatedDirection { is_forward, changes }));
    }
    Ok(Some(simulated))
}

async fn tried(
    twin: Twin,
    is_forward: bool,
    view: &mut View,
    interrupt: &mut Interrupt,
) -> Result<Option<WhatIfs>, Failure> {
    let (share, is_cancelled) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let (told, cancelled) = (share.clone(), is_cancelled.clone());
    let work = threads::spawn(move || {
        let on_progress = |done: f64| told.store((done * 1e3) as u64, Ordering::Relaxed);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let observer = Observer { on_progress: &on_progress, is_cancelled: &is_cancelled };
        what_ifs(&twin, &Effort { budget: BUDGET, ..Effort::new(since_start) }, &observer)
    })?;
    let ended = work.ended();
    tokio::pin!(ended);
    let mut ticks = tokio::time::interval(TICK);
    let what = if is_forward { "simulating changes, there" } else { "simulating changes, back" };
    loop {
        tokio::select! {
            done = &mut ended => return Ok(done?.ok().flatten()),
            _ = ticks.tick() => view.step(what, share.load(Ordering::Relaxed) as f64 / 1e3),
            () = interrupt.pressed() => {
                is_cancelled.store(true, Ordering::Relaxed);
                return Err(Failure::Interrupted);
            }
        }
    }
}

/// The links as a scenario with these settings. The buffers are those of the ends that use them.
fn choices(
    direction: Direction,
    recording: &Recording,
    arguments: &DoctorArguments,
    config: &Config,
) -> TwinChoices {
    let stem = arguments.write.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy());
    let mut config = Config { test_packets: false, ..config.clone() };
    let there = &recording.there;
    match direction {
        Direction::Reverse if !there.send_buffer.is_zero() => config.send_buffer = there.send_buffer,
        Direction::Forward if !there.receive_buffer_limit.is_zero() => {
            config.receive_buffer = config.receive_buffer.min(there.receive_buffer_limit);
            let growth = Growth::to(there.receive_buffer_limit);
            config.receive_growth = (growth.limit > config.receive_buffer).then_some(growth);
        }
        _ => {}
    }
    let mut choices = TwinChoices { direction, ..TwinChoices::new(config) };
    choices.registry = policies::registry();
    if let Some(stem) = stem {
        choices.stem = stem.into_owned();
    }
    choices
}

/// `17.8`.
fn mbps(bps: f64) -> String {
    let mbps = bps / 1e6;
    if mbps.abs() < 9.95 { format!("{mbps:.2}") } else { format!("{mbps:.1}") }
}

/// The most changes that are shown of each way.
const MOST: usize = 3;
/// The time for the changes of one way.
const BUDGET: Duration = Duration::from_secs(8);
const TICK: std::time::Duration = std::time::Duration::from_millis(100);
