//! `anabranch sim`: runs a scenario in the simulator.

mod profiles;
mod progress;
mod tables;

use std::sync::Arc;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_observe::{About, MOST_WRITTEN, Selection, Sinks, results, timed_results};
use anabranch_scenario::Scenario;
use anabranch_sim::result::RunResult;
use anabranch_sim::{Plan, Replications, Run, RunProgress, Stop, Watcher, replicate};

use crate::arguments::{Percentage, SimArguments};
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::meter::Meter;
use crate::notice::tell;
use crate::report::Outcome;
use crate::scenario::{Loaded, load, refuse_replaced};
use crate::threads;
use progress::{BAR, Whole};

pub(crate) use tables::{goodput, tables};

/// Runs the command.
///
/// # Errors
/// The scenario is wrong, or a record cannot be written.
pub(crate) async fn run(arguments: &SimArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    #[cfg(not(feature = "full"))]
    if arguments.report.is_some() {
        return Err(crate::absent::refusal("sim --report"));
    }
    check(arguments.until, arguments.runs)?;
    refuse_replaced("--report", arguments.report.as_deref(), &[&arguments.scenario])?;
    let loaded = load(&arguments.scenario, &arguments.changes(), interrupt).await?;
    let plan = plan(arguments, &loaded.scenario);
    let watcher = Arc::new(Watcher::new(since_start));
    let work = {
        let (watcher, loaded, selection) = (watcher.clone(), loaded.clone(), selection(arguments));
        threads::spawn(move || simulate(&loaded, plan, &selection, &watcher))?
    };
    let whole = Whole::of(&loaded.scenario, plan.stop);
    let progress = || whole.progress(&watcher);
    let meter = Meter::new(arguments.output, BAR);
    let replications = meter.over(work, interrupt, progress, || watcher.call_off()).await??;
    let document = if arguments.timing.timing { timed_results } else { results };
    let failure = replications.is_cut_short.then_some(Failure::Interrupted);
    Ok(Outcome {
        document: Some(document(&loaded.scenario, plan.seed, &replications).about(loaded.sha256.clone())),
        summary: format!("{}{}", tables(&loaded.scenario, &replications), stopped(plan, &replications)),
        failure,
        ..Outcome::default()
    })
}

/// Describes the progress of an interrupted command; the runs that ended are kept.
fn stopped(plan: Plan, replications: &Replications) -> String {
    let wanted = match plan.stop {
        Stop::After(runs) => format!("of {runs} runs"),
        Stop::Until { .. } => "runs, before the mean was as exact as --until wants".to_owned(),
    };
    match (replications.is_cut_short, replications.runs.as_slice()) {
        (false, _) | (true, []) => String::new(),
        (true, [only]) => {
            format!(
                "\nStopped in the first runs: this is the first, {:.1} s of it.\n",
                only.time.as_secs_f64()
            )
        }
        (true, runs) => format!("\nStopped after {} {wanted}.\n", runs.len()),
    }
}

/// Checks the arguments beyond their syntax.
///
/// # Errors
/// Too few runs for an interval.
pub(crate) fn check(until: Option<Percentage>, runs: Option<u64>) -> Result<(), Failure> {
    match (until, runs) {
        (Some(_), Some(runs)) if runs < Stop::LEAST => Err(Failure::Arguments(format!(
            "--until needs at least {} runs for its interval, and --runs {runs} is the least number of runs: leave it \
             out, or use a larger number",
            Stop::LEAST
        ))),
        _ => Ok(()),
    }
}

fn plan(arguments: &SimArguments, scenario: &Scenario) -> Plan {
    let stop = match arguments.until {
        Some(share) => {
            Stop::Until { error: share.0, least: scenario.run.runs.max(Stop::LEAST), most: Stop::MOST }
        }
        None => Stop::After(scenario.run.runs),
    };
    Plan { seed: scenario.run.seed, stop, threads: arguments.threads }
}

/// The replications. The page is about the first one: it runs by itself, and its page tells of all.
fn simulate(
    loaded: &Loaded,
    plan: Plan,
    selection: &Selection,
    watcher: &Watcher,
) -> Result<Replications, Failure> {
    if *selection == Selection::default() {
        return Ok(replicate(&loaded.scenario, plan, watcher)?);
    }
    let command = command_line(std::env::args());
    let about = About {
        scenario: &loaded.scenario,
        name: &loaded.name,
        seed: plan.seed,
        command: &command,
        source: Some(&loaded.text),
    };
    let mut sinks = Sinks::open(selection, about)?;
    let first = watch(loaded, plan.seed, selection, watcher, &mut sinks)?;
    if plan.stop == Stop::After(1) || first.is_cut_short {
        finish(sinks, &first, &[])?;
        return Ok(first);
    }
    let all = replicate(&loaded.scenario, plan, watcher)?;
    finish(sinks, &first, &all.runs)?;
    Ok(all)
}

fn finish(sinks: Sinks<'_>, first: &Replications, all: &[RunResult]) -> Result<(), Failure> {
    if let Some(result) = first.runs.first() {
        let ends_at = sinks.ends_at();
        sinks.finish_among(result, all)?;
        if let Some(at) = ends_at {
            let most = ByteCount::new(MOST_WRITTEN);
            tell(&format!(
                "warning: the captures and tables end at {} of simulated time: they have {most}, the most that a run writes \
                 (a shorter run: --set 'run.time=10 s')",
                at.since(Time::ZERO)
            ));
        }
    }
    Ok(())
}

/// One run with everything recorded that is wanted.
fn watch(
    loaded: &Loaded,
    seed: u64,
    selection: &Selection,
    watcher: &Watcher,
    sinks: &mut Sinks<'_>,
) -> Result<Replications, Failure> {
    let begun = since_start();
    let mut run = Run::new(&loaded.scenario, seed, selection.watch())?;
    let mut progress = RunProgress::Running;
    while progress == RunProgress::Running && !watcher.is_called_off() {
        let before = run.now();
        progress = run.advance(SLICE);
        watcher.on_advance(run.now().since(before));
        sinks.take(&run.take_observations())?;
    }
    let is_cut_short = progress == RunProgress::Running;
    let result = run.finish();
    Ok(Replications { runs: vec![result], wall: vec![since_start().saturating_sub(begun)], is_cut_short })
}

fn selection(arguments: &SimArguments) -> Selection {
    Selection {
        pcap: arguments.pcap.clone(),
        trace: arguments.trace.clone(),
        report: arguments.report.clone(),
    }
}

/// The command as a shell takes it.
fn command_line(words: impl Iterator<Item = String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = |word: String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    // Wherever the program lies, it is called by its name.
    std::iter::once("anabranch".to_owned()).chain(words.skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

/// The amount of simulated time that is looked at together: bounds the memory of what was seen.
const SLICE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_where_a_shell_would_take_it_apart() {
        let words = ["target/debug/anabranch", "sim", "a b.toml", "--set", "run.time=10 s", "it's"];
        let line = command_line(words.into_iter().map(str::to_owned));
        assert_eq!(line, r"anabranch sim 'a b.toml' --set 'run.time=10 s' 'it'\''s'");
    }
}
