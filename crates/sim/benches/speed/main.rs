//! The speed of the simulator: seven scenarios, in link crossings and in packets from end to end per second of processor
//! time, beside ns-2 in the same run where it is installed.
//!
//! `cargo bench -p anabranch-sim` runs it; a name as argument picks one scenario.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::path::Path;
use std::process::Command;

use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_sim::{Run, Watch};
use rustix::time::{ClockId, clock_gettime};

/// The scenarios, beside this file, each with its counterpart in `ns2.tcl`.
const SCENARIOS: [&str; 7] =
    ["two-paths", "dumbbell", "four-paths", "one-path", "large-dumbbell", "tcp-dumbbell", "string"];

/// The number of runs that are made, of which the best counts: other programs on the machine only slow a run down.
const REPEATS: usize = 3;

/// The work of one program for one scenario.
#[derive(Clone, Copy)]
struct Measured {
    crossings: f64,
    /// Packets that left their hosts; 0 if they were not counted.
    packets: f64,
    seconds: f64,
}

impl Measured {
    /// Nothing in a second.
    const NOTHING: Measured = Measured { crossings: 0.0, packets: 0.0, seconds: 1.0 };

    fn rate(self) -> f64 {
        self.crossings / self.seconds
    }
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!("link crossings a second of processor time, best of {REPEATS}; real bytes, no checksum\n");
    println!(
        "{:<16} {:>12} {:>8} {:>12} {:>12}   {:>12} {:>8}",
        "scenario", "crossings", "s", "per s", "packets/s", "ns-2 per s", "ratio"
    );
    for name in
        SCENARIOS.into_iter().filter(|name| wanted.is_empty() || wanted.iter().any(|wish| wish == name))
    {
        let ours = best(|| Some(simulate(name))).unwrap_or(Measured::NOTHING);
        let theirs = best(|| ns2(name));
        // ns-2 has no monitors on air: there the same simulated time counts as the same work.
        let theirs = theirs.map(|theirs| {
            if theirs.crossings > 0.0 { theirs } else { Measured { crossings: ours.crossings, ..theirs } }
        });
        let beside = theirs.map_or(format!("{:>12} {:>8}", "-", "-"), |theirs| {
            format!("{:>12.0} {:>8.2}", theirs.rate(), ours.rate() / theirs.rate())
        });
        println!(
            "{name:<16} {:>12.0} {:>8.3} {:>12.0} {:>12.0}   {beside}",
            ours.crossings,
            ours.seconds,
            ours.rate(),
            ours.packets / ours.seconds
        );
    }
    if wanted.is_empty() || wanted.iter().any(|wish| wish == "meshes") {
        meshes();
    }
    if ns2("one-path").is_none() {
        println!("\nns-2 is not installed (Debian: ns2), so there is nothing beside.");
    }
}

/// Measures the cost of a transmission in meshes of 4 to 1,000 stations: as many pairs of neighbours as there are fours of
/// stations, each far from the next, at full load. The cost grows with the stations in range, which are the same in all.
fn meshes() {
    println!("\nmeshes of many stations: 2 s of pairs that do not hear each other\n");
    println!("{:>8} {:>12} {:>8} {:>12}", "stations", "frames", "s", "µs a frame");
    for stations in [4, 16, 64, 256, 1_000] {
        let text = pairs(stations);
        let measured = best(|| Some(mesh(&text))).unwrap_or(Measured::NOTHING);
        let each = 1e6 * measured.seconds / measured.crossings;
        println!("{stations:>8} {:>12.0} {:>8.3} {each:>12.2}", measured.crossings, measured.seconds);
    }
}

/// Groups of four stations within range of one another, 2 km from the next group; in each, one sends UDP to another.
fn pairs(stations: usize) -> String {
    let mut text = "[run]\ntime = \"2 s\"\n".to_owned();
    for node in 0..stations {
        let (x, y) = (node / 4 % 16 * 2_000 + node % 2 * 100, node / 64 * 2_000 + node % 4 / 2 * 100);
        text += &format!("[[node]]\nname = \"n{node}\"\nx = \"{x} m\"\ny = \"{y} m\"\n");
    }
    for first in (0..stations).step_by(4) {
        text += &format!(
            "[[flow]]\nname = \"f{first}\"\nfrom = \"n{first}\"\nto = \"n{}\"\nrouting = \"static\"\nprotocol = \"udp\"\n\
             traffic = {{ kind = \"cbr\", rate = \"1 Mbit/s\", message = \"512 B\" }}\n",
            first + 1
        );
    }
    text
}

fn mesh(text: &str) -> Measured {
    let scenario = Scenario::parse(&Source::new("mesh", text.to_owned()), &NoFiles, &[], &registry())
        .expect("a good scenario");
    let run = Run::new(&scenario, 1, Watch::default()).expect("it can be run");
    let before = processor_seconds();
    let result = run.to_end();
    let frames: u64 = result.stations.iter().flat_map(|station| station.counters.frames).sum();
    Measured { crossings: frames as f64, packets: 0.0, seconds: processor_seconds() - before }
}

fn best(measure: impl Fn() -> Option<Measured>) -> Option<Measured> {
    let runs = (0..REPEATS).filter_map(|_| measure());
    runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn simulate(name: &str) -> Measured {
    let path = here(&format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("the scenario is beside the benchmark");
    let scenario =
        Scenario::parse(&Source::new(name, text), &NoFiles, &[], &registry()).expect("a good scenario");
    let before = processor_seconds();
    let result = Run::new(&scenario, scenario.run.seed, Watch::default()).expect("it can be run").to_end();
    let seconds = processor_seconds() - before;
    Measured { crossings: result.packets as f64, packets: result.end_to_end_packets as f64, seconds }
}

/// ns-2 counts itself: packets and processor seconds, on one line.
fn ns2(name: &str) -> Option<Measured> {
    let output = Command::new("ns").arg(here("ns2.tcl")).arg(name).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let (crossings, seconds) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(Measured { crossings, packets: 0.0, seconds })
}

fn here(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/speed").join(file).display().to_string()
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
