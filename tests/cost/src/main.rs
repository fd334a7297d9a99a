//! Fixed work of the core, the codec, the simulator, the models and the file protocol. `tests/cost/run` runs each workload under
//! callgrind and compares the number of instructions with `tests/cost/golden`.
//!
//! `anabranch-cost` without an argument lists the workloads; with a name it runs that one.

mod codec;
mod core;
mod file;
mod model;
mod simulation;
mod stacks;

use std::io::{self, Write as _};
use std::process::ExitCode;

/// A workload by its name. The function prepares it and calls [`count`] once.
const WORKLOADS: [(&str, fn()); 8] = [
    ("core-20", || core::transfer(20, 40_000)),
    ("core-1400", || core::transfer(1_400, 10_000)),
    ("core-65536", || core::transfer(65_536, 200)),
    ("codec", codec::round_trips),
    ("sim-two-paths", || simulation::run("two-paths", "1500 ms")),
    ("sim-dumbbell", || simulation::run("large-dumbbell", "600 ms")),
    ("models", model::curves),
    ("file-protocol", file::transfer),
];

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        let names: String = WORKLOADS.iter().map(|(name, _)| format!("{name}\n")).collect();
        let is_listed = io::stdout().write_all(names.as_bytes()).is_ok();
        return if is_listed { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    };
    let Some((_, work)) = WORKLOADS.iter().find(|(known, _)| *known == name) else {
        let _ = writeln!(
            io::stderr(),
            "there is no workload `{name}`; without an argument the program lists them"
        );
        return ExitCode::from(2);
    };
    work();
    ExitCode::SUCCESS
}

/// Runs the part of a workload that counts. Callgrind starts to collect where this function is entered and stops where it
/// is left, so it is never inlined, and its symbol has a fixed name.
#[inline(never)]
fn count(work: &mut dyn FnMut()) {
    work();
    std::hint::black_box(());
}
