//! AppStripe beside the single associations of which it consists (M-CMT-8).

use crate::worlds::{balance, only, run, scenario};
use anabranch_base::{Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::observe::{DeliverySeen, PathSeen, Seen};
use anabranch_sim::result::FlowResult;
use anabranch_sim::{Observation, Run, RunProgress, RunResult, Watch};

const TRANSFER: u64 = 2_000_000;

/// A scenario of these links, each in the middle of its own table, and these flows.
fn world(links: &[(&str, &str)], flows: &str) -> Scenario {
    let link = |(name, settings): &(&str, &str)| format!("[[link]]\nname = \"{name}\"\n{settings}\n");
    scenario(&format!("{}{flows}", links.iter().map(link).collect::<String>()))
}

/// A flow of this name over these paths, carried so.
fn flow(name: &str, paths: &str, multipath: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\npaths = [{paths}]\ntransfer = \"{TRANSFER} B\"\n\
         [flow.sctp]\nmultipath = \"{multipath}\"\n"
    )
}

/// The result of a run, and all its observations.
fn watched(scenario: &Scenario, seed: u64) -> (RunResult, Vec<Observation>) {
    let mut run = Run::new(scenario, seed, Watch::ALL).expect("it can be run");
    let mut seen = Vec::new();
    while run.advance(Duration::from_secs(1)) == RunProgress::Running {
        seen.append(&mut run.take_observations());
    }
    seen.append(&mut run.take_observations());
    let result = run.finish();
    balance(&result);
    (result, seen)
}

fn deliveries(seen: &[Observation]) -> impl Iterator<Item = (Time, &DeliverySeen)> {
    seen.iter().filter_map(|observation| match &observation.what {
        Seen::Delivery(delivery) => Some((observation.at, delivery)),
        _ => None,
    })
}

/// The earliest moment at which all flows together have delivered the transfer: step 2 of M-CMT-8, from the traces of
/// independent flows.
fn moment_of_the_sum(seen: &[Observation]) -> Duration {
    let mut sum = 0;
    let enough = |(at, delivery): (Time, &DeliverySeen)| {
        sum += delivery.bytes.get();
        (sum >= TRANSFER).then(|| at.since(Time::ZERO))
    };
    deliveries(seen).find_map(enough).expect("they deliver more than the transfer")
}

/// Both associations of AppStripe, and beside them two separate flows with the whole transfer each.
fn both(links: &[(&str, &str)]) -> (FlowResult, Duration) {
    let striped = run(&world(links, &flow("main", "\"a\", \"b\"", "appstripe")), 3);
    let alone = flow("first", "\"a\"", "off") + &flow("second", "\"b\"", "off");
    let (_, seen) = watched(&world(links, &alone), 3);
    (only(&striped).clone(), moment_of_the_sum(&seen))
}

const FAST: &str = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"";
const LOSSY: &str = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nloss = 0.01";
const SLOW: &str = "rate = \"1 Mbit/s\"\ndelay = \"100 ms\"";

#[test]
fn over_one_path_it_is_the_association_on_it_to_the_nanosecond() {
    let links = [("a", LOSSY)];
    let result = |multipath: &str, seed: u64| run(&world(&links, &flow("main", "\"a\"", multipath)), seed);
    for seed in [1, 2, 3] {
        let striped = result("appstripe", seed);
        assert!(only(&striped).completion.is_some());
        assert_eq!(striped, result("off", seed), "seed {seed}");
    }
}

#[test]
fn two_equal_paths_complete_when_the_sum_of_two_separate_flows_does() {
    let (striped, expected) = both(&[("a", FAST), ("b", FAST)]);
    assert_eq!(striped.completion, Some(expected));
    assert_eq!(striped.delivered.get(), TRANSFER);
    let rates: Vec<f64> = striped.paths.iter().map(|path| path.goodput_bps).collect();
    assert_eq!(rates[0], rates[1]);
}

#[test]
fn paths_with_losses_of_their_own_complete_when_the_sum_does() {
    let (striped, expected) = both(&[("a", LOSSY), ("b", LOSSY)]);
    assert_eq!(striped.completion, Some(expected));
    assert!(striped.paths.iter().all(|path| path.counters.fast_retransmits > 0), "{:#?}", striped.paths);
}

#[test]
fn what_a_slow_path_brings_late_does_not_matter_once_the_sum_is_there() {
    let (striped, expected) = both(&[("a", FAST), ("b", SLOW)]);
    assert_eq!(striped.completion, Some(expected));
    // Alone the slow path would take sixteen seconds.
    assert!(expected < Duration::from_secs(3), "{expected:?}");
    assert!(striped.paths[1].goodput_bps > 0.0);
}

#[test]
fn a_path_that_carries_nothing_leaves_the_association_on_the_other() {
    // It takes longer than the attempts to open an association on the other path.
    let (thin, dead) = ("rate = \"50 kbit/s\"", "rate = \"10 Mbit/s\"\nloss = 1.0");
    let links = [("a", thin), ("b", dead)];
    let striped = run(&world(&links, &flow("main", "\"a\", \"b\"", "appstripe")), 1);
    let alone = run(&world(&links, &flow("main", "\"a\"", "off")), 1);
    assert_eq!(only(&striped).completion, only(&alone).completion);
    assert!(only(&alone).completion > Some(Duration::from_secs(300)));
    assert_eq!(only(&striped).failure, None);
    assert_eq!(only(&striped).paths[0].counters.sent_bytes, only(&alone).paths[0].counters.sent_bytes);
}

#[test]
fn without_a_transfer_the_goodput_is_the_sum_of_the_paths() {
    let text = "run = { time = \"20 s\", warmup = \"2 s\" }\n[[link]]\nname = \"a\"\nrate = \"10 Mbit/s\"\n\
                delay = \"20 ms\"\n[[link]]\nname = \"b\"\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
                [flow.sctp]\nmultipath = \"appstripe\"\n";
    let result = run(&scenario(text), 1);
    let flow = only(&result);
    let sum: f64 = flow.paths.iter().map(|path| path.goodput_bps).sum();
    // What arrived on a path and waits for a lost chunk counts there, and is not delivered yet.
    assert!((flow.goodput_bps / sum - 1.0).abs() < 0.01, "{} beside {sum}", flow.goodput_bps);
    assert!(flow.goodput_bps > 11e6, "{}", flow.goodput_bps);
    assert_eq!((flow.completion, result.time), (None, Duration::from_secs(20)));
}

#[test]
fn a_complete_flow_leaves_the_links_to_the_others() {
    let links = [("a", FAST), ("b", FAST)];
    let striped = flow("main", "\"a\", \"b\"", "appstripe");
    let late = flow("late", "\"a\"", "off").replace("[flow.sctp]", "start = \"10 s\"\n[flow.sctp]");
    let beside = run(&world(&links, &(striped + &late)), 1);
    let alone = run(&world(&links, &late), 1);
    assert!(beside.flows[0].completion < Some(Duration::from_secs(10)));
    assert_eq!(beside.flows[1].completion, alone.flows[0].completion);
    for path in &beside.flows[0].paths {
        let shares =
            [path.app_limited, path.cwnd_limited, path.rwnd_limited, path.scheduler_limited, path.down];
        let sum = shares.iter().fold(Duration::ZERO, |sum, share| sum + *share);
        assert_eq!(sum, beside.time, "{path:#?}");
    }
}

#[test]
fn the_way_back_is_as_the_way_there() {
    let completion = |direction: &str| {
        let flow = flow("main", "\"a\", \"b\"", "appstripe");
        let flow = flow.replace("[flow.sctp]", &format!("direction = \"{direction}\"\n[flow.sctp]"));
        let result = run(&world(&[("a", FAST), ("b", SLOW)], &flow), 1);
        assert_eq!(only(&result).delivered.get(), TRANSFER);
        only(&result).completion.expect("there is nothing in its way")
    };
    // The first host opens the associations, and hears that they are open half a round trip after the second.
    let (there, back) = (completion("forward"), completion("reverse"));
    assert!(there.as_secs_f64() / back.as_secs_f64() < 1.1 && back <= there, "{there:?}, {back:?}");
}

#[test]
fn each_copy_of_its_paths_has_its_own() {
    let text = format!(
        "[[link]]\nname = \"a\"\nprivate = true\n{FAST}\n[[link]]\nname = \"b\"\nprivate = true\n{SLOW}\n\
         [[path]]\nname = \"left\"\nlinks = [\"a\"]\ncopies = 3\n\
         [[path]]\nname = \"right\"\nlinks = [\"b\"]\ncopies = 3\n{}",
        flow("main", "\"left\", \"right\"", "appstripe"),
    );
    let result = run(&scenario(&text), 1);
    let (_, expected) = both(&[("a", FAST), ("b", SLOW)]);
    let names: Vec<&str> = result.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["main-1", "main-2", "main-3"]);
    assert!(result.flows.iter().all(|flow| flow.completion == Some(expected)), "{:#?}", result.flows);
    let paths: Vec<&str> = result.flows[1].paths.iter().map(|path| path.name.as_str()).collect();
    assert_eq!(paths, ["left-2", "right-2"]);
}

#[test]
fn observers_see_one_flow_with_a_window_on_each_path() {
    let striped = world(&[("a", FAST), ("b", SLOW)], &flow("main", "\"a\", \"b\"", "appstripe"));
    let (result, seen) = watched(&striped, 1);
    let windows = |path: usize| {
        let of_path = |seen: &PathSeen| (seen.flow, seen.path) == (0, path) && seen.cwnd.get() > 0;
        seen.iter().filter(|seen| matches!(&seen.what, Seen::Path(seen) if of_path(seen))).count()
    };
    assert!(windows(0) > 10 && windows(1) > 10);
    let sum: u64 = deliveries(&seen).map(|(_, delivery)| delivery.bytes.get()).sum();
    assert_eq!(sum, TRANSFER);
    assert!(deliveries(&seen).all(|(_, delivery)| delivery.flow == 0));
    let last = deliveries(&seen).last().map(|(at, _)| at.since(Time::ZERO));
    assert_eq!(last, only(&result).completion);
    assert_eq!(result, run(&striped, 1), "to look changes nothing");
}
