//! The models' view of scenarios, and the scenarios that have none. No model is solved here.

use std::path::Path;

use anabranch_base::ByteCount;
use anabranch_models::{ModelError, PathParameters, ThroughputModel, TimeoutBounds, WindowModel};
use anabranch_planner::{PlanError, live};
use anabranch_scenario::{Assignment, NoFiles, Scenario, Source};
use anabranch_sim::predict::{ModelFlow, Windows};

fn scenario(text: &str, settings: &[&str]) -> Scenario {
    let settings: Vec<Assignment> =
        settings.iter().map(|setting| Assignment::parse(setting).expect("a key and a value")).collect();
    let text = format!("[run]\ntime = \"60 s\"\n{text}");
    Scenario::parse(&Source::new("test.toml", text), &NoFiles, &settings, &live::registry())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn flow(text: &str, settings: &[&str]) -> ModelFlow {
    ModelFlow::first(&scenario(text, settings)).unwrap_or_else(|why| panic!("{why}"))
}

fn refused(text: &str, settings: &[&str]) -> String {
    ModelFlow::first(&scenario(text, settings)).expect_err("no model has a place for it").to_string()
}

const TWO: &str = r#"
[[link]]
name = "a"
rate = "21 Mbit/s"
delay = "20 ms"
loss = 0.001
reverse = { delay = "10 ms" }
[[link]]
name = "b"
rate = "10 Mbit/s"
delay = "40 ms"
"#;

const CHAIN: &str = r#"
[[link]]
name = "wide"
rate = "100 Mbit/s"
delay = "5 ms"
loss = 0.5
[[link]]
name = "narrow"
rate = "12 Mbit/s"
delay = "10 ms"
loss = { kind = "gilbert-elliott", good = "300 ms", bad = "100 ms", loss_good = 0.25, loss_bad = 1.0 }
queue = "30 kB"
reverse = { loss = 0.125, rate = "6 Mbit/s" }
[[path]]
name = "both"
links = ["wide", "narrow"]
"#;

/// A model in which a window is worth more on a wider path: b·c / (c + 10).
#[derive(Debug)]
struct Saturating;

impl ThroughputModel for Saturating {
    fn name(&self) -> &'static str {
        "saturating"
    }

    fn throughput(&self, _paths: &[anabranch_models::LimitedPath]) -> Result<Vec<f64>, ModelError> {
        Err(ModelError::NoPath)
    }
}

impl WindowModel for Saturating {
    fn curve(&self, path: &PathParameters, up_to: u32) -> Result<Vec<f64>, ModelError> {
        Ok((1..=up_to).map(|limit| path.rate * f64::from(limit) / f64::from(limit + 10)).collect())
    }
}

#[test]
fn a_path_is_its_narrowest_rate_in_packets_its_delays_both_ways_and_its_mean_loss() {
    let flow = flow(TWO, &["flow.main.sctp.rto={ min = \"200 ms\", max = \"10 s\" }"]);
    let timeout = TimeoutBounds { min: 0.2, max: 10.0 };
    let expected = [
        PathParameters { rate: 1750.0, delay: 0.03, loss: 0.001, timeout },
        PathParameters { rate: 10e6 / 12e3, delay: 0.08, loss: 0.0, timeout },
    ];
    for (found, expected) in flow.parameters().iter().zip(expected) {
        assert_eq!(
            (found.rate, found.delay, found.timeout),
            (expected.rate, expected.delay, expected.timeout)
        );
        assert!((found.loss - expected.loss).abs() < 1e-15, "{}", found.loss);
    }
    assert_eq!((flow.packet, flow.payload), (ByteCount::new(1500), ByteCount::new(1452)));
    assert_eq!(flow.receive_buffer, 699, "1 MiB in whole packets");
    assert_eq!(flow.throughput_bps(1750.0), 21e6);
    assert_eq!(flow.goodput_bps(1000.0), 1000.0 * 1452.0 * 8.0);
}

#[test]
fn a_chain_of_links_is_as_narrow_as_one_and_as_long_and_lossy_as_all() {
    let there = flow(CHAIN, &[]);
    let [path] = there.parameters()[..] else { panic!("one path") };
    assert_eq!((path.rate, path.delay), (1000.0, 0.03));
    // 1 − 0.5 · (1 − 0.4375)
    assert!((path.loss - 0.71875).abs() < 1e-15, "{}", path.loss);
    assert_eq!(there.paths[0].queue, 20, "30 kB at the narrow link");
    let back = flow(CHAIN, &["flow.main.direction=reverse"]);
    let [path] = back.parameters()[..] else { panic!("one path") };
    assert_eq!((path.rate, path.delay, path.loss), (500.0, 0.03, 0.125));
}

#[test]
fn windows_take_the_whole_buffer_of_one_path_and_are_planned_for_several() {
    let alone = flow(TWO, &["flow.main.paths=[\"a\"]"]);
    assert_eq!((alone.windows.clone(), alone.limits(&Saturating)), (Windows::Whole, Ok(vec![699])));
    let note = alone.overfull(&[699]).expect("path and queue hold less");
    assert!(
        note.starts_with("path \"a\" and its queue hold 104 packets, and its window may grow to 699"),
        "{note}"
    );
    assert_eq!(alone.overfull(&[104]), None);
    let small = flow(TWO, &["flow.main.sctp.receive_buffer=30 kB"]);
    assert_eq!(small.windows, Windows::Planned);
    // 1750 · 10 / (c + 10)² against 833 · 10 / (c + 10)²: 14 and 6 are where the next packet is worth least elsewhere.
    assert_eq!(small.limits(&Saturating), Ok(vec![14, 6]));
    let split = flow(TWO, &["flow.main.sctp.receive_buffer=30 kB", "flow.main.sctp.buffer_split=receiver"]);
    assert_eq!(split.limits(&Saturating), Ok(vec![10, 10]));
    let striped = flow(TWO, &["flow.main.sctp.multipath=appstripe"]);
    assert_eq!(striped.limits(&Saturating), Ok(vec![699, 699]));
    let given = flow(TWO, &["flow.main.sctp.window_management=[60, 27]"]);
    assert_eq!(given.limits(&Saturating), Ok(vec![60, 27]));
    let failover = flow(TWO, &["flow.main.sctp.multipath=off"]);
    assert_eq!((failover.paths.len(), failover.windows.clone()), (1, Windows::Whole));
    assert!(
        failover.notes.iter().any(|note| note.contains("only the first path carries data")),
        "{:?}",
        failover.notes
    );
}

#[test]
fn a_buffer_of_fewer_packets_than_paths_is_told_with_both_numbers() {
    let tiny = flow(TWO, &["flow.main.sctp.receive_buffer=1500 B"]);
    let too_small = PlanError::BufferTooSmall { buffer: 1, paths: 2 };
    assert_eq!(tiny.limits(&Saturating), Err(too_small));
    let none = flow(
        TWO,
        &["flow.main.sctp.receive_buffer=1500 B", "flow.main.sctp.mtu=9000 B", "flow.main.paths=[\"a\"]"],
    );
    assert_eq!(none.limits(&Saturating), Err(PlanError::BufferTooSmall { buffer: 0, paths: 1 }));
}

#[test]
fn features_outside_the_models_are_reported_by_name() {
    for (setting, why) in [
        (
            "link.a.rate={ steps = [[\"0 s\", \"1 Mbit/s\"], [\"1 s\", \"2 Mbit/s\"]] }",
            "link \"a\" has a changing rate",
        ),
        (
            "link.b.delay={ steps = [[\"0 s\", \"1 ms\"], [\"1 s\", \"2 ms\"]] }",
            "link \"b\" has a changing delay",
        ),
        (
            "link.b.loss={ kind = \"every\", n = 5 }",
            "link \"b\" loses each n-th packet, which the models cannot express as a probability",
        ),
        ("link.a.loss={ kind = \"list\", packets = [5] }", "link \"a\" loses given packets"),
        (
            "link.a.loss={ kind = \"outages\", times = [[\"1 s\", \"2 s\"]] }",
            "link \"a\" loses packets at given times",
        ),
        (
            "link.a.loss={ kind = \"burst\", probability = 0.1, duration = \"1 s\" }",
            "link \"a\" loses packets in bursts",
        ),
        (
            "flow.main.traffic={ kind = \"cbr\", rate = \"1 Mbit/s\", message = \"100 B\" }",
            "its application limits its rate",
        ),
    ] {
        let found = refused(TWO, &[setting]);
        assert!(found.starts_with(why), "{setting}: {found}");
    }
    let event = format!("{TWO}[[event]]\nat = \"1 s\"\nlink = \"b\"\nstate = \"down\"\n");
    assert!(refused(&event, &[]).starts_with("link \"b\" comes and goes during the run"));
    assert!(
        ModelFlow::first(&scenario(&event, &["flow.main.paths=[\"a\"]"])).is_ok(),
        "it is not on that link"
    );
}

#[test]
fn of_a_link_that_paths_share_each_has_an_equal_part() {
    let shared = format!(
        "{TWO}[[path]]\nname = \"over-a\"\nlinks = [\"a\"]\n[[path]]\nname = \"over-both\"\nlinks = [\"a\", \
         \"b\"]\n"
    );
    let flow = flow(&shared, &[]);
    // Half of 21 Mbit/s are more than b's 10.
    let rates: Vec<f64> = flow.paths.iter().map(|path| path.parameters.rate * 12_000.0 / 1e6).collect();
    assert_eq!(rates, [10.5, 10.0]);
    let note = "2 paths share link \"a\": each is predicted with an equal part of its rate";
    assert!(flow.notes.iter().any(|told| told == note), "{:?}", flow.notes);
}

#[test]
fn a_link_of_two_flows_is_an_obstacle_but_not_one_used_in_the_other_direction() {
    let flows = format!("{TWO}[[flow]]\nname = \"one\"\n[[flow]]\nname = \"two\"\n");
    assert_eq!(
        refused(&flows, &[]),
        "link \"a\" also carries flow \"two\", and the models assume no competing traffic"
    );
    assert!(ModelFlow::all(&scenario(&flows, &["flow.two.direction=reverse"])).iter().all(Result::is_ok));
    assert!(
        ModelFlow::all(&scenario(&flows, &["flow.one.paths=[\"a\"]", "flow.two.paths=[\"b\"]"]))
            .iter()
            .all(Result::is_ok)
    );
    let datagrams = "traffic = { kind = \"cbr\", rate = \"1 Mbit/s\", message = \"100 B\" }";
    let beside =
        format!("{flows}[[flow]]\nname = \"udp\"\nprotocol = \"udp\"\npaths = [\"b\"]\n{datagrams}\n");
    let all = ModelFlow::all(&scenario(&beside, &["flow.one.paths=[\"a\"]", "flow.two.paths=[\"b\"]"]));
    let told: Vec<String> =
        all.iter().map(|one| one.as_ref().map_or_else(ToString::to_string, |_| String::new())).collect();
    assert_eq!(told[0], "");
    assert!(told[1].starts_with("link \"b\" also carries flow \"udp\""), "{told:?}");
    assert_eq!(told[2], "UDP has no window");
}

#[test]
fn what_a_prediction_leaves_out_is_noted() {
    let notes = |settings: &[&str]| flow(CHAIN, settings).notes.join("\n");
    let all = notes(&[
        "flow.main.transfer=8 MB",
        "link.wide.jitter=1 ms",
        "link.wide.corrupt=0.01",
        "flow.main.sctp.send_buffer=64 KiB",
    ]);
    for part in [
        "a transfer of 8 MB is predicted as if it had no end",
        "after 4 missing reports, the flow after 3",
        "the send buffer of 64 KiB is smaller than the receive buffer of 1 MiB",
        "link \"narrow\": losses come in bursts; the models use their mean",
        "link \"wide\": jitter is not in the models",
        "link \"wide\": corrupted packets are lost too",
        "link \"narrow\": acknowledgements are lost too",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let striped = flow(TWO, &["flow.main.sctp.multipath=appstripe"]).notes.join("\n");
    assert!(striped.contains("each path has an association and a receive buffer of its own"), "{striped}");
    assert!(all.contains("data that wait for a lost packet take no space"), "{all}");
    let quiet = flow(TWO, &["flow.main.sctp.missing_reports=4", "flow.main.sctp.ordered=false"]).notes;
    assert_eq!(quiet, Vec::<String>::new());
}

#[test]
fn planned_limits_that_the_flow_does_not_keep_to_are_noted() {
    let supposed = |rule: &str| flow(TWO, &[&format!("flow.main.sctp.window_management={rule}")]).supposed();
    assert!(supposed("none").is_some_and(|note| note.ends_with("and the flow has none")));
    assert!(supposed("dynamic").is_some_and(|note| note.ends_with("are managed by \"dynamic\"")));
    assert_eq!((supposed("static"), supposed("[60, 27]")), (None, None));
}

#[test]
fn every_shipped_scenario_has_flows_for_the_models_or_a_reason() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("scenarios/ is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let beside =
            |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
        let source = Source::new(path.display().to_string(), text);
        let scenario = Scenario::parse(&source, &beside, &[], &live::registry())
            .unwrap_or_else(|error| panic!("{error}"));
        for flow in ModelFlow::all(&scenario) {
            match flow {
                Ok(flow) => assert!(flow.parameters().iter().all(|path| path.check().is_ok()), "{path:?}"),
                Err(why) => assert!(!why.to_string().is_empty()),
            }
            seen += 1;
        }
    }
    assert!(seen >= 14, "only {seen} flows");
}
