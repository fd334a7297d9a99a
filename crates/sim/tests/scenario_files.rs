//! Every shipped scenario runs, gives the same result twice, and balances its counters.

mod worlds;

use std::path::{Path, PathBuf};

use anabranch_planner::live;
use anabranch_scenario::{Scenario, Source};
use anabranch_sim::result::{PathCounters, PathResult, SackCounters};
use anabranch_sim::{Plan, Run, RunResult, Stop, Watch, Watcher, replicate};
use worlds::{balance, run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn shipped() -> Vec<(String, Scenario)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("scenarios/ is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let beside =
            |file: &str| std::fs::read_to_string(folder().join(file)).map_err(|error| error.to_string());
        let scenario = Scenario::parse(&Source::new(name.clone(), text), &beside, &[], &live::registry());
        (name, scenario.unwrap_or_else(|error| panic!("{error}")))
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_shipped_scenario_runs_and_delivers() {
    let shipped = shipped();
    assert!(shipped.len() >= 8, "only {} files", shipped.len());
    for (name, scenario) in shipped {
        let result = run(&scenario, scenario.run.seed);
        for flow in &result.flows {
            assert!(flow.delivered.get() > 0, "{name}: {} delivered nothing: {flow:#?}", flow.name);
            assert_eq!(flow.failure, None, "{name}: {}", flow.name);
        }
    }
}

/// One line a scenario: a change of behaviour is a readable diff, and the last column changes with any number of the
/// result. Run it with `--release`, too: the optimiser must not change a digit.
#[test]
fn every_shipped_scenario_has_the_recorded_result() {
    let mut table = format!(
        "{:<24} {:>9} {:>9} {:>12}  fingerprint\n",
        "scenario, seed", "events", "crossings", "delivered"
    );
    for (name, scenario) in shipped() {
        for seed in [1, 2] {
            let result = run(&scenario, seed);
            let name = Path::new(&name).file_stem().expect("a file").to_string_lossy().into_owned();
            let delivered: u64 = result.flows.iter().map(|flow| flow.delivered.get()).sum();
            table += &format!(
                "{:<24} {:>9} {:>9} {delivered:>12}  {:016x}\n",
                format!("{name}, {seed}"),
                result.events,
                result.packets,
                fingerprint(&result),
            );
        }
    }
    insta::assert_snapshot!(table);
}

/// FNV-1a of everything in a result, as it is written for debugging: every digit of every number. A run without a mesh has
/// the fingerprint that it had before there were meshes, and a counter that is added later is not in it.
fn fingerprint(result: &RunResult) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut text = format!("{result:?}").replace(", stations: []", "");
    for flow in &result.flows {
        if let Some(sacks) = &flow.sacks {
            text = text.replace(&format!("{sacks:?}"), &recorded_sacks(sacks));
        }
        for path in &flow.paths {
            let counters = format!("counters: {:?}, lost_packets: {},", path.counters, path.lost_packets);
            text = text.replace(&counters, &recorded_counters(path));
        }
    }
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The counters in a fingerprint.
fn recorded_counters(path: &PathResult) -> String {
    let PathCounters { sent_packets, sent_bytes, retransmitted_chunks, .. } = path.counters;
    let PathCounters { fast_retransmits, timeouts, suspicions, .. } = path.counters;
    let PathCounters { sent_echoes, received_echoes, sent_cwrs, ecn_cuts, loss_probes, .. } = path.counters;
    format!(
        "sent_packets: {sent_packets}, sent_bytes: {sent_bytes:?}, retransmitted_chunks: {retransmitted_chunks}, \
         lost_packets: {}, fast_retransmits: {fast_retransmits}, timeouts: {timeouts}, suspicions: {suspicions}, \
         marks: MarkResult {{ ecne_sent: {sent_echoes}, ecne_received: {received_echoes}, cwr_sent: {sent_cwrs}, \
         ecn_cuts: {ecn_cuts}, probes_sent: {loss_probes} }},",
        path.lost_packets
    )
}

/// The counters of SACKs in a fingerprint.
fn recorded_sacks(sacks: &SackCounters) -> String {
    let SackCounters { sent, sent_by_timer, received, received_for_several_paths, .. } = sacks;
    format!(
        "SackResult {{ sent: {sent}, sent_by_timer: {sent_by_timer}, received: {received}, \
         received_for_several_paths: {received_for_several_paths} }}"
    )
}

/// Observation changes nothing.
#[test]
fn a_run_that_is_observed_has_the_same_result() {
    for (name, scenario) in shipped() {
        let unwatched = run(&scenario, 5);
        let mut watched = Run::new(&scenario, 5, Watch::ALL).expect("it can be run");
        let mut seen = 0;
        let mut last = anabranch_base::Time::ZERO;
        loop {
            let progress = watched.advance(anabranch_base::Duration::from_millis(70));
            for observation in watched.take_observations() {
                seen += 1;
                assert!(observation.at <= watched.now(), "{name}: seen before it happened");
                last = last.max(observation.at);
            }
            if progress == anabranch_sim::RunProgress::Ended {
                break;
            }
        }
        assert!(seen > 0 && last <= watched.now(), "{name}");
        let result = watched.finish();
        balance(&result);
        assert_eq!(result, unwatched, "{name}");
    }
}

#[test]
fn replications_do_not_depend_on_the_number_of_threads() {
    for (name, scenario) in shipped().into_iter().rev().take(3) {
        let results = |threads: usize, stop: Stop| {
            let plan = Plan { seed: 3, stop, threads: std::num::NonZeroUsize::new(threads) };
            let watcher = Watcher::new(|| anabranch_base::Duration::ZERO);
            replicate(&scenario, plan, &watcher).expect("it can be run").runs
        };
        let until = Stop::Until { error: 0.2, least: 3, most: 6 };
        assert_eq!(results(1, Stop::After(3)), results(2, Stop::After(3)), "{name}");
        assert_eq!(results(1, until), results(3, until), "{name}");
    }
}

#[test]
fn no_more_replications_run_than_are_asked_for() {
    let (_, scenario) = shipped().into_iter().next().expect("a scenario is shipped");
    for (stop, most) in [(Stop::After(1), 1), (Stop::Until { error: 0.0, least: 2, most: 3 }, 3)] {
        let plan = Plan { seed: 3, stop, threads: std::num::NonZeroUsize::new(8) };
        let watcher = Watcher::new(|| anabranch_base::Duration::ZERO);
        let runs = replicate(&scenario, plan, &watcher).expect("it can be run").runs;
        assert_eq!((runs.len() as u64, watcher.finished()), (most, most), "{stop:?}");
    }
}
