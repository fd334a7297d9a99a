//! What people look at after a simulated run: a capture for Wireshark, tables, a page of charts. Each is a
//! sink that takes observations as they come. It knows no argument and runs nothing.

mod contents;
mod names;
pub mod pcap;
pub mod report;
mod sinks;
#[cfg(test)]
mod testing;
pub mod trace;
mod words;

use anabranch_scenario::Scenario;

use names::Names;
pub use sinks::{CannotWrite, Sinks, Wanted};

/// What is recorded: one run of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What runs.
    pub scenario: &'a Scenario,
    /// What files of it are called: the name of the scenario file, without folder and ending.
    pub name: &'a str,
    /// The seed of this run.
    pub seed: u64,
    /// What repeats it, as it is typed.
    pub command: &'a str,
    /// The text of the scenario file, where there is one.
    pub source: Option<&'a str>,
}

/// Program and version, as files name what wrote them.
const PROGRAM: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
