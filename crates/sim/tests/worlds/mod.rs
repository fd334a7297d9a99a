//! Scenarios for tests, as text.

#![allow(dead_code, reason = "each test crate uses its own share")]

use anabranch_planner::live;
use anabranch_scenario::{NoFiles, Scenario, Source};
use anabranch_sim::result::{DirectionResult, FlowResult, RunResult};
use anabranch_sim::{Run, Watch};

/// The scenario that `text` says.
pub(crate) fn scenario(text: &str) -> Scenario {
    match Scenario::parse(&Source::new("test.toml", text), &NoFiles, &[], &live::registry()) {
        Ok(scenario) => scenario,
        Err(error) => panic!("{error}"),
    }
}

/// The result of one replication.
pub(crate) fn run(scenario: &Scenario, seed: u64) -> RunResult {
    let result = Run::new(scenario, seed, Watch::default()).expect("it can be run").to_end();
    balance(&result);
    result
}

/// Packets in = out + lost + dropped + in flight, on every link and in all.
pub(crate) fn balance(result: &RunResult) {
    let mut arrived = 0;
    for link in &result.links {
        for direction in [&link.forward, &link.reverse] {
            assert!(is_balanced(direction), "{}: {direction:?}", link.name);
            arrived += direction.packets;
        }
    }
    let all = result.packets;
    if result.stations.is_empty() {
        assert_eq!(arrived, all, "crossings are what links delivered");
    } else {
        assert!(arrived < all, "{arrived} of {all}: a mesh is crossed, too");
    }
}

fn is_balanced(direction: &DirectionResult) -> bool {
    let DirectionResult { offered, duplicated, packets, lost, queue_drops, in_flight, .. } = *direction;
    offered + duplicated == packets + lost + queue_drops + in_flight
}

/// The only flow of a run.
pub(crate) fn only(result: &RunResult) -> &FlowResult {
    let [flow] = result.flows.as_slice() else { panic!("{} flows", result.flows.len()) };
    flow
}
