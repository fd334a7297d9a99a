//! The file of measured links: it always parses, and says what was measured.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, LinkStatus, LossRuns, Queue};
use anabranch_link::config::{Delay, LinkConfig, LossKind, QueueConfig, QueueLimit, Rate};
use anabranch_scenario::Scenario;
use anabranch_sctp::config::Config;
use anabranch_sctp::wire::PathRole;
use anabranch_twin::{NetworkFile, TwinChoices, TwinError, network_toml};
use proptest::prelude::*;

fn about(value: f64) -> Estimated {
    Estimated { value, low: value * 0.99, high: value * 1.01, samples: 14 }
}

fn direction(rate: f64, depth_s: f64, loss: f64) -> DirectionEstimate {
    DirectionEstimate {
        rate_bps: Some(about(rate)),
        queue: Some(Queue {
            depth_s: about(depth_s),
            depth_bytes: about(depth_s * rate / 8.0),
            is_at_least: false,
            is_policer: false,
        }),
        chance_loss: Some(about(loss)),
        variation_s: Some(about(0.001)),
        ..DirectionEstimate::default()
    }
}

fn link(name: &str, rate: f64, trip: f64) -> LinkEstimate {
    LinkEstimate {
        name: name.to_owned(),
        round_trip_s: Some(about(trip)),
        mtu_bytes: Some(1500),
        forward: direction(rate, 0.05, 0.01),
        reverse: direction(rate / 2.0, 0.1, 0.0),
        ..LinkEstimate::default()
    }
}

fn choices() -> TwinChoices {
    TwinChoices::new(Config::tuned_2())
}

fn written(links: &[LinkEstimate]) -> (NetworkFile, Scenario) {
    let file = network_toml(links, &choices()).expect("links with rates");
    let scenario = file.scenario(&choices().registry).expect("a scenario");
    (file, scenario)
}

#[test]
fn each_value_has_its_evidence_on_its_line() {
    let (file, scenario) = written(&[link("wlan0", 19.9e6, 0.0402)]);
    let expected = r#"# Measured by `anabranch doctor`. Each value has its 95 % interval beside it.
title = "As measured: wlan0"

[run]
time = "25 s"
warmup = "5 s"

[[link]]
name = "wlan0"
rate = "19.9 Mbit/s" # 19.7 to 20.1, 14 samples
queue = "124.4 kB" # 123.1 to 125.6, 14 samples, 50 ms of the rate
delay = "20.04 ms" # half of the least round trip, 40.2 ms (39.8 to 40.6, 14 samples), as clocks differ
jitter = "1.053 ms" # 95 % at rest within 1 ms (0.99 to 1.01)
loss = 0.01 # 0.0099 to 0.0101, 14 samples, before the queue is full
mtu = "1500 B" # the largest packet that arrived
[link.reverse]
rate = "9.95 Mbit/s" # 9.851 to 10.05, 14 samples
queue = "124.4 kB" # 123.1 to 125.6, 14 samples, 100 ms of the rate
delay = "20.04 ms" # half of the least round trip, 40.2 ms (39.8 to 40.6, 14 samples), as clocks differ
jitter = "1.053 ms" # 95 % at rest within 1 ms (0.99 to 1.01)
loss = 0.0 # 0 to 0, 14 samples, before the queue is full
mtu = "1500 B" # the largest packet that arrived

[[flow]]
paths = ["wlan0"]
direction = "forward"

[flow.sctp]
profile = "tuned-2"
encapsulation = "sealed"
"#;
    assert_eq!(file.text, expected);
    assert_eq!(scenario.links[0].reverse.rate, Rate::Fixed(BitRate::from_bits_per_second(9_950_000)));
}

#[test]
fn lanes_that_share_a_bottleneck_share_a_link_with_one_queue() {
    let mut links = [link("a", 10e6, 0.03), link("b", 9.8e6, 0.06), link("c", 5e6, 0.02)];
    links[0].shares_forward = vec!["b".to_owned()];
    let (file, scenario) = written(&links);
    let routes: Vec<(&str, &[usize])> =
        scenario.paths.iter().map(|path| (path.name.as_str(), &path.links[..])).collect();
    assert_eq!(routes, [("a", &[0, 3][..]), ("b", &[1, 3]), ("c", &[2])]);
    let rate = |index: usize| (fixed(&scenario.links[index].forward), fixed(&scenario.links[index].reverse));
    assert_eq!(rate(0), (100e6, 5e6), "{}", file.text);
    assert_eq!(rate(3), (10e6, 50e6), "{}", file.text);
    assert!(
        file.text.contains("# The delays of a, b rise and fall together.\n[[link]]\nname = \"shared1\"\n")
    );
}

#[test]
fn a_varying_rate_is_a_trace_beside_the_file() {
    let mut links = [link("wwan0", 8e6, 0.05)];
    links[0].forward.rate_steps = Some(vec![(0.0, 12e6), (1.0, 4e6)]);
    let (file, scenario) = written(&links);
    assert_eq!(file.traces[0].name, "network-wwan0-forward.mahimahi");
    let Rate::Trace(trace) = &scenario.links[0].forward.rate else { panic!("a trace: {}", file.text) };
    let carried = trace.opportunities.len() as f64 * 1504.0 * 8.0 / 2.0;
    assert!((carried / 8e6 - 1.0).abs() < 0.01, "{carried}");
    assert!(matches!(scenario.links[0].reverse.rate, Rate::Fixed(_)));
}

#[test]
fn runs_of_losses_are_a_channel_with_the_same_share() {
    let mut links = [link("wlan0", 20e6, 0.04)];
    links[0].forward.loss_runs =
        Some(LossRuns { good_to_bad: about(0.002), bad_to_good: about(0.198), spacing_s: 0.001 });
    let (file, scenario) = written(&links);
    let LossKind::GilbertElliott { good, bad, .. } = scenario.links[0].forward.loss.kind else {
        panic!("a channel: {}", file.text)
    };
    let share = bad.as_secs_f64() / (good.as_secs_f64() + bad.as_secs_f64());
    assert!((share - 0.01).abs() < 1e-4, "{share}");
}

#[test]
fn a_lane_without_a_rate_is_left_out_and_a_role_is_kept() {
    let dead = LinkEstimate { status: LinkStatus::Dead, ..link("eth1", 1e6, 0.01) };
    let links = [dead.clone(), link("eth0", 10e6, 0.01), link("wwan0", 4e6, 0.06)];
    let roles = vec![("wwan0".to_owned(), PathRole::Backup)];
    let file = network_toml(&links, &TwinChoices { roles, ..choices() }).expect("two links");
    let scenario = file.scenario(&choices().registry).expect("a scenario");
    assert_eq!(scenario.links.len(), 2);
    assert_eq!(scenario.paths[1].role, PathRole::Backup);
    assert!(file.text.contains("# eth1, \"eth1\", is left out: nothing came back.\n"), "{}", file.text);
    assert!(matches!(network_toml(&[dead], &choices()), Err(TwinError::NoLink { links: 1 })));
}

fn fixed(direction: &LinkConfig) -> f64 {
    match direction.rate {
        Rate::Fixed(rate) => rate.bits_per_second() as f64,
        _ => panic!("a fixed rate"),
    }
}

fn drawn_direction() -> impl Strategy<Value = DirectionEstimate> {
    (1e6..100e6, 0.005..2.0, 0.0..0.02).prop_map(|(rate, depth, loss)| direction(rate, depth, loss))
}

fn drawn() -> impl Strategy<Value = Vec<LinkEstimate>> {
    let one = (drawn_direction(), drawn_direction(), 0.004..0.3, 576_u64..=1500);
    prop::collection::vec(one, 1..4).prop_map(|all| {
        let link = |(number, (forward, reverse, trip, mtu))| LinkEstimate {
            name: format!("link{number}"),
            round_trip_s: Some(about(trip)),
            mtu_bytes: Some(mtu),
            forward,
            reverse,
            ..LinkEstimate::default()
        };
        all.into_iter().enumerate().map(link).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_measured_is_read_back_within_rounding(links in drawn()) {
        let (file, scenario) = written(&links);
        for (link, read) in links.iter().zip(&scenario.links) {
            let mut on_the_line = 0.0;
            for (estimate, read) in [(&link.forward, &read.forward), (&link.reverse, &read.reverse)] {
                let rate = estimate.rate_bps.expect("drawn").value;
                on_the_line += 800.0 / rate;
                prop_assert!((fixed(read) / rate - 1.0).abs() < 1e-3, "{}", file.text);
                let depth = estimate.queue.expect("drawn").depth_bytes.value;
                let QueueConfig::DropTail(QueueLimit::Bytes(limit)) = read.queue else { panic!("bytes") };
                prop_assert!((limit.get() as f64 / depth - 1.0).abs() < 2e-3, "{limit:?} {depth}");
                let LossKind::Bernoulli { probability: loss } = read.loss.kind else { panic!("single losses") };
                prop_assert!((loss - estimate.chance_loss.expect("drawn").value).abs() < 1e-5);
                prop_assert_eq!(read.mtu.map(ByteCount::get), link.mtu_bytes);
            }
            let trip = link.round_trip_s.expect("drawn").value - on_the_line;
            let Delay::Fixed(delay) = read.forward.delay else { panic!("a fixed delay") };
            let error = (delay.as_secs_f64() * 2.0 - trip.max(0.0)).abs();
            prop_assert!(error <= 1e-3 * trip.max(0.0) + 1e-8, "{}", file.text);
        }
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    let odd =
        [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e-300, 1.0];
    prop_oneof![prop::sample::select(odd.to_vec()), prop::num::f64::ANY, 0.0..1.0, 1e3..1e9]
}

fn any_estimate() -> impl Strategy<Value = Option<Estimated>> {
    let one = (any_number(), any_number(), any_number(), any::<u64>());
    prop::option::weighted(
        0.8,
        one.prop_map(|(value, low, high, samples)| Estimated { value, low, high, samples }),
    )
}

fn any_direction() -> impl Strategy<Value = DirectionEstimate> {
    let steps = prop::option::of(prop::collection::vec((any_number(), any_number()), 0..5));
    let whole =
        (any_estimate(), any_estimate(), any_estimate(), any_estimate(), any_estimate(), any_estimate());
    (whole, steps, any_number(), any::<(bool, bool)>()).prop_map(|(whole, rate_steps, spacing_s, flags)| {
        let (rate_bps, depth_s, depth_bytes, chance_loss, step, variation_s) = whole;
        let queue = depth_s.zip(depth_bytes).map(|(depth_s, depth_bytes)| Queue {
            depth_s,
            depth_bytes,
            is_at_least: flags.0,
            is_policer: flags.1,
        });
        let loss_runs = step.map(|step| LossRuns { good_to_bad: step, bad_to_good: step, spacing_s });
        DirectionEstimate {
            rate_bps,
            rate_steps,
            queue,
            chance_loss,
            loss_runs,
            variation_s,
            ..DirectionEstimate::default()
        }
    })
}

fn any_link() -> impl Strategy<Value = LinkEstimate> {
    let name = prop_oneof![
        ".{0,80}",
        prop::sample::select(vec!["a", "b", "shared1", "link1", "x\"\n[run]\ntime = \"1 s\"\n#", "-", ""])
            .prop_map(str::to_owned)
    ];
    let names = || prop::collection::vec(prop::sample::select(vec!["a", "b", "link1"]), 0..3);
    let sizes = any::<(Option<u64>, Option<u64>)>();
    (name, any_estimate(), sizes, any_direction(), any_direction(), names(), names()).prop_map(
        |(name, round_trip_s, (mtu_bytes, mtu_hole_bytes), forward, reverse, there, back)| LinkEstimate {
            name,
            round_trip_s,
            mtu_bytes,
            mtu_hole_bytes,
            forward,
            reverse,
            shares_forward: there.into_iter().map(str::to_owned).collect(),
            shares_reverse: back.into_iter().map(str::to_owned).collect(),
            ..LinkEstimate::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_end_reports_the_file_parses_and_has_only_numbers_and_names(
        links in prop::collection::vec(any_link(), 1..6),
    ) {
        match network_toml(&links, &choices()) {
            Err(TwinError::NoLink { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
            Ok(file) => {
                let scenario = file.scenario(&choices().registry).expect("it was read");
                prop_assert_eq!(scenario.run.time, Some(Duration::from_secs(25)));
                prop_assert_eq!(scenario.flows.len(), 1);
                let is_plain = |c: char| c == '\n' || c == '…' || (' '..='~').contains(&c);
                prop_assert!(file.text.chars().all(is_plain), "{:?}", file.text);
                prop_assert!(file.text.len() < 20_000);
                for trace in &file.traces {
                    prop_assert!(!trace.name.contains('/') && trace.name.starts_with("network-"));
                }
            }
        }
    }
}
