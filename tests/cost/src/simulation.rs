//! A scenario of the simulator's benchmark, for a short time.

use std::path::Path;

use anabranch_scenario::{Assignment, NoFiles, Scenario, Source, registry};
use anabranch_sim::{Run, Watch};

use crate::count;

/// Simulates `time` of the scenario `name` beside the simulator's benchmark.
pub(crate) fn run(name: &str, time: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../crates/sim/benches/speed/{name}.toml"));
    let text = std::fs::read_to_string(path).expect("the scenario is beside the benchmark");
    let settings = [format!("run.time={time}"), "run.warmup=0 s".to_owned()];
    let settings = settings.map(|setting| Assignment::parse(&setting).expect("a setting"));
    let scenario = Scenario::parse(&Source::new(name, text), &NoFiles, &settings, &registry());
    let scenario = scenario.expect("a good scenario");
    let mut run = Some(Run::new(&scenario, 1, Watch::default()).expect("it can be run"));
    let mut packets = 0;
    count(&mut || packets = run.take().map_or(0, |run| run.to_end().packets));
    assert!(packets > 1_000, "{packets} packets crossed links");
}
