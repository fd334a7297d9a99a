//! Anything can happen to a network: links of any kind, losses of every rule, links that go down, come up and change
//! while data flows both ways. Sent data arrives once, in order and unchanged, or the failure is reported; books
//! balance; memory is bounded; the run ends; and it can be repeated.

mod worlds;

use std::fmt::Write;

use anabranch_sim::observe::Host;
use anabranch_sim::result::RunResult;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use worlds::{run, scenario};

/// A network as text, so that a failure shows a file that `anabranch sim` takes.
fn network() -> impl Strategy<Value = String> {
    let links = prop::collection::vec(link(), 1..4);
    let events = prop::collection::vec(event(), 0..8);
    (links, events, flow(), sctp()).prop_map(|(links, events, flow, sctp)| {
        let mut text = String::from("[run]\ntime = \"400 s\"\n");
        for (index, link) in links.iter().enumerate() {
            let _ = write!(text, "\n[[link]]\nname = \"l{index}\"\n{link}");
        }
        for (at, link, what) in &events {
            let link = link % links.len();
            let _ = write!(text, "\n[[event]]\nat = \"{at} ms\"\nlink = \"l{link}\"\n{what}\n");
        }
        let flow = if sctp.contains("appstripe") { one_way_in_bulk(&flow) } else { flow };
        let _ = write!(text, "\n[[flow]]\n{flow}\n[flow.sctp]\n{sctp}\n");
        text
    })
}

fn link() -> impl Strategy<Value = String> {
    let faults = (0_u64..20, any::<bool>(), 0.0..0.05, 0.0..0.05);
    (300_u64..30_000, 0_u64..120, loss(), loss(), 3_u64..60, faults).prop_map(
        |(rate, delay, loss, back, queue, (jitter, reorder, duplicate, corrupt))| {
            format!(
                "rate = \"{rate} kbit/s\"\ndelay = \"{delay} ms\"\njitter = \"{jitter} ms\"\nreorder = {reorder}\n\
                 loss = {loss}\nqueue = \"{queue} packets\"\nduplicate = {duplicate:.4}\ncorrupt = {corrupt:.4}\n\
                 reverse = {{ loss = {back}, duplicate = {duplicate:.4}, corrupt = {corrupt:.4} }}\n"
            )
        },
    )
}

fn loss() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0.0".to_owned()),
        (0.0..0.15).prop_map(|p| format!("{p:.4}")),
        (0.0..0.05).prop_map(|p| format!("{{ kind = \"correlated\", probability = {p:.4} }}")),
        (1_u64..20, 1_u64..500).prop_map(|(good, bad)| format!(
            "{{ kind = \"gilbert-elliott\", good = \"{good} s\", bad = \"{bad} ms\", loss_good = 0.01, loss_bad = 0.9 }}"
        )),
        (0_u64..20, 1_u64..4_000).prop_map(|(from, span)| format!(
            "{{ kind = \"outages\", times = [[\"{from} s\", \"{} ms\"]] }}", from * 1_000 + span
        )),
        (0.0..0.01, 1_u64..300).prop_map(|(p, ms)| format!(
            "{{ kind = \"burst\", probability = {p:.4}, duration = \"{ms} ms\", at = \"exit\" }}"
        )),
        (5_u64..100).prop_map(|n| format!("{{ kind = \"every\", n = {n} }}")),
        prop::collection::vec(1_u64..200, 1..9).prop_map(|list| format!("{{ kind = \"list\", packets = {list:?} }}")),
    ]
}

fn event() -> impl Strategy<Value = (u64, usize, String)> {
    let what = prop_oneof![
        Just("state = \"down\"".to_owned()),
        Just("state = \"up\"".to_owned()),
        Just("state = \"down\"\ndirection = \"reverse\"".to_owned()),
        (100_u64..20_000).prop_map(|rate| format!("rate = \"{rate} kbit/s\"")),
        (0_u64..300).prop_map(|delay| format!("delay = \"{delay} ms\"")),
        loss().prop_map(|loss| format!("loss = {loss}")),
    ];
    (0_u64..30_000, any::<prop::sample::Index>(), what)
        .prop_map(|(at, link, what)| (at, link.index(64), what))
}

fn flow() -> impl Strategy<Value = String> {
    let direction = prop_oneof![Just("forward"), Just("reverse"), Just("both")];
    let traffic = prop_oneof![
        Just("\"bulk\""),
        Just("{ kind = \"cbr\", rate = \"800 kbit/s\", message = \"3000 B\" }"),
        Just("{ kind = \"poisson\", rate = \"400 kbit/s\", message = \"200 B\" }"),
        Just("{ kind = \"on-off\", on = \"200 ms\", off = \"1 s\", rate = \"2 Mbit/s\", message = \"9 B\" }"),
    ];
    (1_u64..300_000, direction, traffic).prop_map(|(bytes, direction, traffic)| {
        format!("transfer = \"{bytes} B\"\ndirection = \"{direction}\"\ntraffic = {traffic}\n")
    })
}

/// The settings that AppStripe supports.
fn one_way_in_bulk(flow: &str) -> String {
    let line = |line: &str| match line {
        "direction = \"both\"" => "direction = \"forward\"\n".to_owned(),
        _ if line.starts_with("traffic") => "traffic = \"bulk\"\n".to_owned(),
        _ => format!("{line}\n"),
    };
    flow.lines().map(line).collect()
}

fn sctp() -> impl Strategy<Value = String> {
    let profile = prop_oneof![Just("rfc9260"), Just("rfc4960"), Just("rfc2960"), Just("tuned-1")];
    let scheduler = select(vec![
        "round-robin",
        "fill",
        "lowest-rtt",
        "window-regulated",
        "ecf",
        "blest",
        "xlink",
        "ods",
        "bas",
        "reception-index",
    ]);
    let multipath = prop_oneof![Just("multipath = \"off\"\n"), Just(""), Just("multipath = \"appstripe\"\n")];
    let handshake = prop_oneof![Just("on"), Just("off")];
    let place = select(vec![
        "same",
        "alternate",
        "asap",
        "cwnd",
        "ssthresh",
        "lossrate",
        "lossrate=oracle",
        "compound",
    ]);
    let split = select(vec!["none", "none", "sender", "receiver", "both"]);
    (profile, scheduler, multipath, handshake, place, split, 8_u64..200, 1_u32..4).prop_map(
        |(profile, scheduler, multipath, handshake, place, split, buffer, every)| {
            format!(
                "profile = \"{profile}\"\nscheduler = \"{scheduler}\"\n{multipath}handshake = \"{handshake}\"\n\
                 retransmission = \"{place}\"\nbuffer_split = \"{split}\"\nreceive_buffer = \"{buffer} KiB\"\nsack = {{ every = {every} }}\n\
                 rto = {{ min = \"200 ms\" }}\n"
            )
        },
    )
}

/// The number of networks: `ANABRANCH_NETWORKS` for long walks.
fn cases() -> u32 {
    std::env::var("ANABRANCH_NETWORKS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Everything arrived, or the result says why not; a link that stays down to the end excuses a flow that is
/// not complete.
fn is_told(result: &RunResult, target: u64) -> bool {
    result.flows.iter().all(|flow| {
        let is_over_time = result.time.as_secs_f64() >= 400.0;
        flow.failure.is_some()
            || is_over_time
            || (flow.completion.is_some() && flow.delivered.get() == target)
    })
}

proptest! {
    #![proptest_config(Config { cases: cases(), ..Config::default() })]

    #[test]
    fn what_was_sent_arrives_once_in_order_and_unchanged_or_the_failure_is_told(text in network(), seed in 0_u64..1_000) {
        let scenario = scenario(&text);
        let result = run(&scenario, seed);
        let target = scenario.flows[0].transfer.map_or(0, anabranch_base::ByteCount::get);
        prop_assert!(is_told(&result, target), "{:#?}", result.flows);
        for flow in &result.flows {
            prop_assert!(flow.delivered.get() <= target, "more arrived than was sent: {flow:#?}");
            let is_unchanged = flow.failure.as_ref().is_none_or(|why| !why.starts_with("what arrived"));
            prop_assert!(is_unchanged, "{:?}", flow.failure);
        }
        prop_assert_eq!(result.flows[0].from == Host::Second, text.contains("\"reverse\"\ntraffic"));
        prop_assert_eq!(&run(&scenario, seed), &result);
    }
}
