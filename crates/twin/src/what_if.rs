//! The gains of changes of one thing: the twin as it is and with each change, with the same seeds.

use anabranch_base::Duration;
use anabranch_diagnose::Estimated;
use anabranch_scenario::Scenario;
use serde::Serialize;

use crate::candidates::candidates;
use crate::change::{Change, ChangedEnd};
use crate::effort::{Effort, Observer};
use crate::error::TwinError;
use crate::race::Race;
use crate::trial::{Measured, trial, with_echoes};
use crate::twin::Twin;

/// The results of a scenario over its seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The goodput in bits a second; of both directions together, if both send.
    pub goodput_bps: Estimated,
    /// The median delay there and back of a small message beside the data, in seconds.
    pub echo_s: Option<Estimated>,
}

/// A change, and what it brings in the twin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhatIf {
    /// The change.
    pub change: Change,
    /// The words of the command line that make it, [`Change::arguments`].
    pub set: String,
    /// The end that makes it.
    pub end: ChangedEnd,
    /// The results with it.
    pub outcome: Outcome,
    /// The goodput with it less that without it, with the same seeds.
    pub gain_bps: Estimated,
    /// The delay of an echo with it less that without it; less is better.
    pub echo_change_s: Option<Estimated>,
    /// True if the gain is more than noise: its interval is above zero, and it is at least 3 % of the goodput.
    pub is_gain: bool,
}

/// The results of changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhatIfs {
    /// The twin as it is.
    pub baseline: Outcome,
    /// The changes, those with the largest gain first.
    pub changes: Vec<WhatIf>,
    /// The changes for which the time did not suffice.
    pub untried: Vec<Change>,
    /// The simulated seconds of a run after its warm-up.
    pub time_s: f64,
    /// The number of runs.
    pub runs: usize,
}

/// Simulates the twin as it is and with one thing changed at a time, the promising changes with more seeds. `None` if the
/// time did not suffice for two runs of the twin as it is, or the simulations were cancelled before.
///
/// # Errors
/// The twin cannot be simulated.
pub fn what_ifs(twin: &Twin, effort: &Effort, observer: &Observer<'_>) -> Result<Option<WhatIfs>, TwinError> {
    let begin = (effort.clock)();
    let end = begin + effort.budget;
    let mut changes = Vec::new();
    let mut scenarios = vec![twin.scenario().clone()];
    for change in candidates(twin) {
        // A change that the settings refuse, or that changes nothing, is none.
        if let Ok(Some(scenario)) = change.applied(twin.scenario()) {
            changes.push(change);
            scenarios.push(scenario);
        }
    }
    let planned = planned(changes.len());
    let Some((warmup, time)) = times(twin, effort, observer, planned, end)? else { return Ok(None) };
    let scenarios = scenarios.iter().map(|scenario| with_echoes(scenario, warmup, time)).collect();
    let mut race = Race::new(scenarios, effort, observer, end);
    race.planned = planned;
    let mut chosen: Vec<usize> = (1..=changes.len()).collect();
    race.run(&chosen, 0..FIRST_SEEDS);
    for (number, (keep, seeds)) in STAGES.into_iter().enumerate() {
        chosen = promising(&race, &chosen, keep);
        let from = if number == 0 { FIRST_SEEDS } else { STAGES[number - 1].1 };
        race.run(&chosen, from..seeds);
    }
    (observer.on_progress)(1.0);
    Ok(result(&race, &changes, time))
}

/// The times of warm-up and measurement for which the budget suffices, by a short run; `None` if the time is over.
fn times(
    twin: &Twin,
    effort: &Effort,
    observer: &Observer<'_>,
    planned: usize,
    end: Duration,
) -> Result<Option<(Duration, Duration)>, TwinError> {
    let settings = &twin.scenario().run;
    let warmup = seconds((twin.longest_s() * ROUND_TRIPS).max(LEAST_WARMUP_S)).min(settings.warmup);
    let wanted = settings.time.map_or(warmup, |time| time.saturating_sub(settings.warmup));
    let begin = (effort.clock)();
    let is_over = || (effort.clock)() >= end || (observer.is_cancelled)();
    let pilot: Scenario = with_echoes(twin.scenario(), Duration::ZERO, PILOT);
    if trial(&pilot, effort.seed, &is_over)?.is_none() {
        return Ok(None);
    }
    let took = (effort.clock)().saturating_sub(begin).as_secs_f64() / PILOT.as_secs_f64();
    let left = end.saturating_sub((effort.clock)()).as_secs_f64() * effort.threads() as f64 * USED;
    let possible = left / planned as f64 / took.max(1e-6) - warmup.as_secs_f64();
    let time = wanted.min(seconds(possible.clamp(LEAST_TIME_S, MOST_TIME_S)));
    Ok(Some((warmup, time.max(Duration::from_secs(1)))))
}

/// The number of runs for `changes`.
fn planned(changes: usize) -> usize {
    let first = FIRST_SEEDS as usize * (changes + 1);
    let mut before = FIRST_SEEDS;
    STAGES.iter().fold(first, |runs, (keep, seeds)| {
        let more = (seeds - before) as usize;
        before = *seeds;
        runs + more * (keep.min(&changes) + 1)
    })
}

/// The `keep` most promising of `chosen`: most of them by goodput, the others by the delay of an echo. A change that can
/// no longer be a gain of either does not go on.
fn promising(race: &Race<'_>, chosen: &[usize], keep: usize) -> Vec<usize> {
    let gain = |scenario: &usize| race.difference(*scenario, goodput);
    let value = |scenario: &usize| gain(scenario).map_or(f64::NEG_INFINITY, |gain| gain.value);
    let echo = |scenario: &usize| race.difference(*scenario, |run| run.echo_s).map_or(0.0, |echo| echo.value);
    let whole = race.mean(0, goodput).map_or(0.0, |goodput| goodput.value);
    let delay = race.mean(0, |run| run.echo_s).map_or(0.0, |echo| echo.value);
    let mut by_gain = chosen.to_vec();
    by_gain.retain(|scenario| gain(scenario).is_none_or(|gain| gain.high >= whole * LEAST_GAIN));
    by_gain.sort_by(|one, other| value(other).total_cmp(&value(one)));
    by_gain.truncate(keep - keep / 4);
    let mut by_echo = chosen.to_vec();
    by_echo.retain(|scenario| {
        !by_gain.contains(scenario)
            && value(scenario) > -whole * TOLERATED
            && echo(scenario) < -delay * LEAST_GAIN
    });
    by_echo.sort_by(|one, other| echo(one).total_cmp(&echo(other)));
    by_gain.extend(by_echo.into_iter().take(keep / 4));
    by_gain
}

fn result(race: &Race<'_>, changes: &[Change], time: Duration) -> Option<WhatIfs> {
    let outcome = |scenario: usize| {
        let goodput_bps = race.mean(scenario, goodput)?;
        Some(Outcome { goodput_bps, echo_s: race.mean(scenario, |run| run.echo_s) })
    };
    let baseline = outcome(0)?;
    let (mut found, mut untried) = (Vec::new(), Vec::new());
    for (change, scenario) in changes.iter().zip(1..) {
        let Some((outcome, gain_bps)) = outcome(scenario).zip(race.difference(scenario, goodput)) else {
            untried.push(change.clone());
            continue;
        };
        found.push(WhatIf {
            set: change.arguments(),
            end: change.end(),
            outcome,
            gain_bps,
            echo_change_s: race.difference(scenario, |run| run.echo_s),
            is_gain: gain_bps.low > 0.0 && gain_bps.value >= baseline.goodput_bps.value * LEAST_GAIN,
            change: change.clone(),
        });
    }
    found.sort_by(|one, other| other.gain_bps.value.total_cmp(&one.gain_bps.value));
    Some(WhatIfs { baseline, changes: found, untried, time_s: time.as_secs_f64(), runs: race.runs() })
}

// The signature is that of other values of a run.
#[expect(clippy::unnecessary_wraps)]
fn goodput(run: &Measured) -> Option<f64> {
    Some(run.goodput_bps)
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_nanos((seconds.clamp(0.0, MOST_TIME_S) * 1e9) as u64)
}

/// The seeds with which every change runs.
const FIRST_SEEDS: u64 = 2;

/// The number of changes that go on, and the seeds to which they go in all.
const STAGES: [(usize, u64); 2] = [(8, 4), (4, 8)];

/// The least gain that counts, as a share of the goodput.
const LEAST_GAIN: f64 = 0.03;

/// The goodput that a shorter delay may cost.
const TOLERATED: f64 = 0.05;

/// The simulated time of the run that shows the cost of others.
const PILOT: Duration = Duration::from_secs(3);

/// The share of the time left that is planned for.
const USED: f64 = 0.75;

/// The round trips with full queues after which windows have settled.
const ROUND_TRIPS: f64 = 20.0;

const LEAST_WARMUP_S: f64 = 2.0;
const LEAST_TIME_S: f64 = 4.0;
const MOST_TIME_S: f64 = 3_600.0;
