//! `bench --each`: a test of each path alone, one of all together, and the diagnosis.

use std::time::Duration;

use anabranch_bench::{AloneEntry, BenchDocument, Measured};
use anabranch_diagnose::{Alone, Diagnosis};
use anabranch_net::monitor::path_name;
use anabranch_net::{Association, PathState};
use anabranch_observe::Body;
use tokio::time::{sleep, timeout};

use super::client::{self, measure};
use super::route::{BenchRoute, OnePath};
use super::table::{self, shown_rate};
use crate::arguments::BenchArguments;
use crate::closing::INTERRUPTED;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::labels::Labels;
use crate::notice;
use crate::report::{self, Outcome};

/// Runs all the tests.
///
/// # Errors
/// What failed before anything was measured.
pub(super) async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let route = BenchRoute::find(arguments, interrupt).await?;
    let resolved = client::resolved(arguments, &route);
    let paths = tested(find_paths(&route, interrupt).await?, arguments);
    let labels = Labels::now();
    let mut alone = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        tell(
            arguments,
            &format!("{} alone (test {} of {})", labels.name(&path.name), index + 1, paths.len() + 1),
        );
        let over = alone_over(&route, path, arguments);
        alone.push(test_alone(path, &labels.name(&path.name), &over, arguments, interrupt).await?);
        rest(interrupt).await?;
    }
    tell(arguments, &format!("all together (test {0} of {0})", paths.len() + 1));
    let (measured, failure) = measure(&route, arguments, Some("together".to_owned()), interrupt).await?;
    let judged: Vec<Alone> = alone.iter().map(|entry| entry.alone.clone()).collect();
    let verdict = client::diagnosed(&measured, &route, &judged);
    let summary = summary(&measured, &judged, &verdict);
    let document = BenchDocument::of(&measured, resolved).judged(verdict).beside(alone);
    Ok(Outcome { document: Some(Body::of(&document)), summary, failure, ..Outcome::default() })
}

/// Finds the paths on which the ends agree, after each was verified or had time for it.
async fn find_paths(route: &BenchRoute, interrupt: &mut Interrupt) -> Result<Vec<OnePath>, Failure> {
    let paths =
        route.dial(interrupt, async |server, interrupt| wait_for_paths(&server.association, interrupt).await);
    let paths = paths.await?;
    rest(interrupt).await?;
    Ok(paths)
}

async fn wait_for_paths(
    association: &Association,
    interrupt: &mut Interrupt,
) -> Result<Vec<OnePath>, Failure> {
    tokio::select! {
        () = verified(association) => {}
        () = interrupt.pressed() => {
            association.abort(INTERRUPTED);
            return Err(Failure::Interrupted);
        }
    }
    let mut reports = association.paths();
    reports.retain(|path| path.sample.state != PathState::Removed);
    let paths = reports.iter().map(|path| OnePath {
        name: path_name(&path.addresses),
        local: path.addresses.local.ip(),
        remote: path.addresses.remote,
    });
    let paths = paths.collect();
    let _ = timeout(CLOSING, association.close()).await;
    Ok(paths)
}

/// Waits until every path is verified, at most [`PATIENCE`].
async fn verified(association: &Association) {
    let is_open = || association.paths().iter().any(|path| path.sample.state == PathState::Unconfirmed);
    let waiting = async {
        while is_open() {
            sleep(INTERVAL).await;
        }
    };
    let _ = timeout(PATIENCE, waiting).await;
}

/// Selects the paths that are tested alone: each path if this end sends. If the server sends, one path of each local link,
/// because the server cannot be told to keep paths idle.
fn tested(paths: Vec<OnePath>, arguments: &BenchArguments) -> Vec<OnePath> {
    let mut seen = Vec::new();
    let is_tested = |path: &OnePath| {
        let is_new = !seen.contains(&path.local);
        seen.push(path.local);
        is_new || !arguments.reverse
    };
    paths.into_iter().filter(is_tested).collect()
}

/// The route to the server over one path. If this end sends, the other paths exist and stay idle.
fn alone_over(route: &BenchRoute, path: &OnePath, arguments: &BenchArguments) -> BenchRoute {
    if arguments.reverse { route.single(path) } else { route.only(path) }
}

/// The entry of a test of one path.
fn entry(path: &OnePath, measured: &Measured, arguments: &BenchArguments) -> AloneEntry {
    if arguments.reverse {
        AloneEntry::of_link(&path.name, measured)
    } else {
        AloneEntry::of(&path.name, measured)
    }
}

/// Tests one path alone; its name in messages is `label`. A path that fails has an entry with the failure.
async fn test_alone(
    path: &OnePath,
    label: &str,
    route: &BenchRoute,
    arguments: &BenchArguments,
    interrupt: &mut Interrupt,
) -> Result<AloneEntry, Failure> {
    let name = path.name.clone();
    let failed = |failure: Failure| {
        if !arguments.output.quiet {
            notice::tell(&format!("{label} alone: {failure}"));
        }
        AloneEntry::failed(&name, failure.document())
    };
    match measure(route, arguments, Some(name.clone()), interrupt).await {
        Err(Failure::Interrupted) | Ok((_, Some(Failure::Interrupted))) => Err(Failure::Interrupted),
        // This failure is of the whole test, not of the path.
        Err(failure @ (Failure::Arguments(_) | Failure::Refused(_) | Failure::Garbage { .. })) => {
            Err(failure)
        }
        Err(failure) | Ok((_, Some(failure))) => Ok(failed(failure)),
        Ok((measured, None)) => {
            let entry = entry(path, &measured, arguments);
            if entry.is_dead() {
                return Ok(failed(Failure::PeerGone(DEAD.to_owned())));
            }
            tell(arguments, &format!("{label} alone: {}\n", shown_rate(entry.alone.goodput_bps)));
            Ok(entry)
        }
    }
}

/// Waits until the packets of one test have left the queues.
async fn rest(interrupt: &mut Interrupt) -> Result<(), Failure> {
    tokio::select! {
        () = sleep(REST) => Ok(()),
        () = interrupt.pressed() => Err(Failure::Interrupted),
    }
}

/// Prints the progress.
fn tell(arguments: &BenchArguments, what: &str) {
    match (arguments.output.quiet, arguments.output.is_json()) {
        (true, _) => {}
        (false, true) => notice::show(what.trim_end()),
        (false, false) => report::print_line(what),
    }
}

fn summary(measured: &Measured, alone: &[Alone], verdict: &Diagnosis) -> String {
    format!("{}\n{}", table::summary(measured), table::verdict(verdict, alone, measured))
}

/// The failure of a path that carried nothing.
const DEAD: &str = "no answer: this path carried nothing";
const INTERVAL: Duration = Duration::from_millis(20);
/// The time for paths to be verified.
const PATIENCE: Duration = Duration::from_secs(3);
const CLOSING: Duration = Duration::from_secs(2);
/// More than the usual delay of queues.
const REST: Duration = Duration::from_secs(1);
