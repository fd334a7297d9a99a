//! BBR on whole networks: what it carries where packets are lost, what it follows, and what its probes do.

use std::collections::BTreeMap;

use crate::worlds::{balance, only, run, scenario};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::observe::{Host, PathSeen, Seen};
use anabranch_sim::result::RunResult;
use anabranch_sim::{Observation, Run, RunProgress, Watch};

/// One link of 20 Mbit/s and 20 ms one way, on which these `keys` are set, for this time.
fn one_link(control: &str, keys: &str, time: &str) -> Scenario {
    scenario(&format!(
        "[run]\ntime = \"{time}\"\nwarmup = \"5 s\"\n[[link]]\nname = \"a\"\nrate = \"20 Mbit/s\"\n\
         delay = \"20 ms\"\n{keys}\n[flow.sctp]\nprofile = \"tuned-2\"\ncongestion_control = \"{control}\"\n"
    ))
}

/// Two links of 20 Mbit/s and 20 ms, with messages at 70 % of what they carry.
fn two_links(control: &str) -> Scenario {
    let link = |name: &str| format!("[[link]]\nname = \"{name}\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\n");
    scenario(&format!(
        "[run]\ntime = \"40 s\"\n{}{}[[flow]]\n\
         traffic = {{ kind = \"cbr\", rate = \"28 Mbit/s\", message = \"1316 B\" }}\n\
         [flow.sctp]\nprofile = \"tuned-2\"\ncongestion_control = \"{control}\"\n",
        link("a"),
        link("b")
    ))
}

/// The result of a run, and what was seen of the sender's paths.
fn watched(scenario: &Scenario, seed: u64) -> (RunResult, Vec<(Time, PathSeen)>) {
    let mut run = Run::new(scenario, seed, Watch::ALL).expect("it can be run");
    let mut seen = Vec::new();
    let of_sender = |observation: Observation| match observation.what {
        Seen::Path(path) if path.host == Host::First => Some((observation.at, path)),
        _ => None,
    };
    while run.advance(Duration::from_millis(50)) == RunProgress::Running {
        seen.extend(run.take_observations().into_iter().filter_map(of_sender));
    }
    let result = run.finish();
    balance(&result);
    (result, seen)
}

/// When each path's window fell below two thirds of what fills it, 100 kB, and when it rose again, in seconds.
fn dips(seen: &[(Time, PathSeen)]) -> BTreeMap<usize, Vec<(f64, f64)>> {
    let mut dips: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
    let mut low: BTreeMap<usize, f64> = BTreeMap::new();
    for (at, path) in seen {
        let at = at.since(Time::ZERO).as_secs_f64();
        if path.cwnd < ByteCount::new(66_000) {
            low.entry(path.path).or_insert(at);
        } else if let Some(since) = low.remove(&path.path) {
            dips.entry(path.path).or_default().push((since, at));
        }
    }
    dips
}

fn megabits(result: &RunResult) -> f64 {
    only(result).goodput_bps / 1e6
}

/// The goodput of full packets at 20 Mbit/s, less the packets lost: user data of 1,452 of 1,500 bytes.
fn ceiling(loss: f64) -> f64 {
    20.0 * (1.0 - loss) * 1_452.0 / 1_500.0
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let scenario = one_link("bbr", "loss = 0.01", "20 s");
    let results = [1, 1, 2].map(|seed| run(&scenario, seed));
    assert_eq!(results[0], results[1]);
    assert_ne!(results[0], results[2]);
}

#[test]
fn a_path_that_loses_one_packet_in_a_hundred_carries_92_percent_of_what_it_can() {
    for seed in 1..=3 {
        let carried = megabits(&run(&one_link("bbr", "loss = 0.01", "60 s"), seed));
        assert!(carried > 0.92 * ceiling(0.01), "{carried} of {} Mbit/s", ceiling(0.01));
        let by_losses = megabits(&run(&one_link("reno", "loss = 0.01", "60 s"), seed));
        assert!(by_losses < 0.25 * carried, "reno carries {by_losses} Mbit/s");
    }
}

/// The queue of 300 packets is four and a half times what fills the path.
#[test]
fn its_queue_is_short_where_there_is_room_for_a_long_one() {
    let result = run(&one_link("bbr", "queue = \"300 packets\"", "30 s"), 1);
    let link = &result.links[0].forward;
    assert!(link.mean_queue_packets < 15.0 && link.queue_drops == 0, "{link:?}");
    assert!(megabits(&result) > 0.95 * ceiling(0.0), "{}", megabits(&result));
}

/// The largest rate of two cycles counts, so that two cycles must end. Each takes up to 3 s and the probe, five round trips of
/// at most 200 ms with a full window of 225 kB. ProbeRTT, once within this time, begins a cycle anew: 0.3 s, and up to 3 s
/// again. Together that is 11.3 s. Before the change, 200 kB are twice what fills the path; after it 100 kB, and 112.5 kB and
/// two packets in a probe, with what SACKs aggregate.
#[test]
fn a_rate_that_falls_by_half_is_followed_within_two_cycles() {
    let change = "queue = \"300 packets\"\n[[event]]\nat = \"20 s\"\nlink = \"a\"\nrate = \"10 Mbit/s\"";
    let (_, seen) = watched(&one_link("bbr", change, "40 s"), 1);
    let largest = |from: u64, until: u64| {
        let within = |at: &Time| (from..until).contains(&(at.since(Time::ZERO).as_millis() / 100));
        let windows = seen.iter().filter(|(at, _)| within(at)).map(|(_, path)| path.cwnd);
        windows.max().expect("it was seen")
    };
    assert!(largest(150, 200) > ByteCount::new(190_000), "{}", largest(150, 200));
    assert!(largest(313, 400) < ByteCount::new(140_000), "{}", largest(313, 400));
}

#[test]
fn half_of_what_fills_a_path_is_in_flight_every_five_seconds() {
    let (_, seen) = watched(&one_link("bbr", "", "60 s"), 1);
    let dips = &dips(&seen)[&0];
    let after_startup: Vec<_> = dips.iter().filter(|(since, _)| *since > 3.0).collect();
    assert!((10..=12).contains(&after_startup.len()), "{dips:?}");
    for pair in after_startup.windows(2) {
        let (lasted, apart) = (pair[0].1 - pair[0].0, pair[1].0 - pair[0].1);
        assert!((0.2..0.35).contains(&lasted) && (4.9..5.3).contains(&apart), "{lasted} s, {apart} s");
    }
}

/// By the letter of the draft, both paths look for their least round trips at once, and the messages wait.
#[test]
fn one_path_of_an_association_looks_for_its_least_round_trip_at_a_time() {
    let overlaps = |control: &str| {
        let (result, seen) = watched(&two_links(control), 1);
        let dips = dips(&seen);
        let later = |path: usize| dips[&path].iter().filter(|(since, _)| *since > 3.0);
        assert!(later(0).count() >= 6 && later(1).count() >= 6, "{dips:?}");
        let meet = |one: &(f64, f64), other: &(f64, f64)| one.0 < other.1 && other.0 < one.1;
        let overlaps = later(0).filter(|one| later(1).any(|other| meet(one, other))).count();
        (overlaps, only(&result).delay.as_ref().expect("messages arrived").p95)
    };
    let ((none, short), (some, long)) = (overlaps("bbr"), overlaps("bbr-draft"));
    assert!(none == 0 && some >= 4, "{none} and {some}");
    assert!(short < long, "{short:?} and {long:?}");
}

/// The draft bounds what is in flight by any loss; without a queue, `bbr` takes the draft's 2 % with the chance in it.
#[test]
fn the_draft_alone_carries_less_where_losses_are_no_congestion() {
    let carried = |control: &str| megabits(&run(&one_link(control, "loss = 0.03", "60 s"), 1));
    let (ours, draft) = (carried("bbr"), carried("bbr-draft"));
    assert!(ours > 0.85 * ceiling(0.03) && draft < 0.6 * ours, "{ours} and {draft} Mbit/s");
}

#[test]
fn two_flows_share_a_link_and_neither_starves() {
    let flow = |name: &str, start: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nstart = \"{start}\"\n[flow.sctp]\nprofile = \"tuned-2\"\n\
             congestion_control = \"bbr\"\n"
        )
    };
    let result = run(
        &scenario(&format!(
            "[run]\ntime = \"80 s\"\nwarmup = \"20 s\"\n[[link]]\nname = \"a\"\nrate = \"20 Mbit/s\"\n\
             delay = \"20 ms\"\nqueue = \"67 packets\"\n{}{}",
            flow("one", "0 s"),
            flow("two", "2 s")
        )),
        1,
    );
    let rates: Vec<f64> = result.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect();
    assert!(rates.iter().all(|rate| *rate > 0.35 * 20.0), "{rates:?}");
    assert!(rates.iter().sum::<f64>() > 0.9 * ceiling(0.0), "{rates:?}");
}
