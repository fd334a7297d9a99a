//! Windows that share a receive buffer, in a whole network: the effect of each kind of management on two paths that
//! lose unequally (WS-F10).

use crate::worlds::{only, run, scenario};
use anabranch_models::Markov;
use anabranch_sim::predict::ModelFlow;
use anabranch_sim::{Run, Watch};

/// A buffer of 43 packets over 21 Mbit/s with losses of 0.3 % and 20 Mbit/s with few.
fn world(management: &str) -> String {
    format!(
        r#"
        [run]
        time = "120 s"
        warmup = "20 s"
        [[link]]
        name = "one"
        rate = "21 Mbit/s"
        delay = "20 ms"
        loss = 0.003
        queue = "1000 packets"
        [[link]]
        name = "two"
        rate = "20 Mbit/s"
        delay = "20 ms"
        loss = 0.0001
        queue = "1000 packets"
        [flow.sctp]
        profile = "rfc4960"
        charge = "packet"
        unit = "mtu"
        sack = {{ every = 1 }}
        receive_buffer = "64 KiB"
        window_management = {management}
        "#
    )
}

/// Goodput in Mbit/s, and each path's mean window in packets.
fn outcome(management: &str) -> (f64, [f64; 2]) {
    let result = run(&scenario(&world(management)), 1);
    let flow = only(&result);
    (flow.goodput_bps / 1e6, [0, 1].map(|path| flow.paths[path].mean_cwnd_bytes / 1500.0))
}

#[test]
fn planned_limits_carry_more_than_ranks_that_prefer_the_lossy_path() {
    let (by_rank, _) = outcome("\"dynamic\"");
    let (by_plan, windows) = outcome("\"static\"");
    // The Markov model plans 6 and 37 of the 43, and 10 % more throughput.
    assert!(by_plan > 1.05 * by_rank, "{by_plan:.2} and {by_rank:.2} Mbit/s");
    assert!(windows[0] < 8.0 && windows[1] > 33.0, "{windows:?}");
}

#[test]
fn a_plan_is_the_list_of_its_limits() {
    let flow = ModelFlow::first(&scenario(&world("\"static\""))).expect("two plain links");
    let limits = flow.limits(&Markov::default()).expect("room for both");
    assert_eq!(outcome("\"static\""), outcome(&format!("{limits:?}")));
}

#[test]
fn limits_planned_while_it_runs_come_near_those_planned_before() {
    let (live, windows) = outcome("\"live\"");
    let (static_, _) = outcome("\"static\"");
    assert!(live > 0.93 * static_, "{live:.2} and {static_:.2} Mbit/s");
    assert!(windows[0] < windows[1] / 2.0, "{windows:?}");
}

#[test]
fn a_buffer_of_fewer_packets_than_paths_cannot_be_planned_for() {
    let text = world("\"static\"").replace("64 KiB", "2000 B");
    let why = Run::new(&scenario(&text), 1, Watch::default()).expect_err("no packet for each path");
    assert_eq!(
        why.to_string(),
        "flow \"main\": its window limits cannot be planned: a receive buffer of 1 packets is less than one packet for \
         each of 2 paths"
    );
}
