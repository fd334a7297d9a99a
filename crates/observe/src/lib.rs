//! The records of a simulated run: a capture for Wireshark, tables as CSV, a page of charts, and the JSON document of
//! its results.
//!
//! [`anabranch_sim`] gives observations during a run and a result at its end. This crate turns both into files and
//! values. It parses no arguments, prints nothing, and starts no run.
//!
//! # In one page
//!
//! A [`Run`](anabranch_sim::Run) advances in slices; the observations of each slice go to the [`Sinks`], whose memory
//! does not grow with the run:
//!
//! ```
//! use anabranch_observe::{About, Sinks, Selection};
//! use anabranch_scenario::{NoFiles, registry, Scenario, Source};
//! use anabranch_sim::{Run, RunProgress};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! run = { time = "1 s" }
//! [[link]]
//! name = "wifi"
//! rate = "10 Mbit/s"
//! delay = "20 ms"
//! [[flow]]
//! name = "main"
//! "#;
//! let scenario = Scenario::parse(&Source::new("one.toml", text), &NoFiles, &[], &registry())?;
//! let folder = tempfile::tempdir()?;
//! let selection = Selection { trace: Some(folder.path().to_owned()), ..Selection::default() };
//! let about = About { scenario: &scenario, name: "one", seed: 1, command: "", source: Some(text) };
//! let mut sinks = Sinks::open(&selection, about)?;
//! let mut run = Run::new(&scenario, 1, selection.watch())?;
//! while run.advance(anabranch_base::Duration::from_millis(50)) == RunProgress::Running {
//!     sinks.take(&run.take_observations())?;
//! }
//! sinks.take(&run.take_observations())?;
//! let files = sinks.finish(&run.finish())?;
//! assert!(files.iter().any(|file| file.ends_with("one-seed1-packets.csv")));
//! # Ok(())
//! # }
//! ```
//!
//! `examples/record.rs` continues from here: it runs a scenario file and writes its tables, its page and its document.
//!
//! # The records
//!
//! | record | what it is | module |
//! |---|---|---|
//! | capture | a pcapng file as one at the first host would show it, an interface a path | [`pcap`] |
//! | tables | `paths`, `links` and `packets`, a row a change, and `columns`, which names the unit and meaning of every column | [`trace`] |
//! | page | one HTML file with results and zoomable charts, which needs no network | [`report`] |
//!
//! [`write_measurement_page`] writes the page of a measurement of real paths.
//!
//! [`Sinks`] writes the records of a [`Selection`], to files named after scenario and seed. Each module's `Sink` writes
//! one of them to any [`Write`](std::io::Write).
//!
//! # Documents
//!
//! [`results`] returns the JSON document of one or more runs, [`predictions`] that of the models' predictions, [`plan`]
//! that of a plan. [`Body`] adds the head that all documents of anabranch share, and an error where there is one.
//! [`resolved`] returns every setting of a scenario as used. Keys and their order are stable.

mod contents;
mod document;
mod measurement;
mod names;
mod page_file;
pub mod pcap;
mod plan;
mod predictions;
#[cfg(feature = "page")]
pub mod report;
mod simulation;
mod sinks;
#[cfg(test)]
mod testing;
pub mod trace;
mod words;
mod write_error;

use anabranch_scenario::Scenario;

pub use document::{Body, resolved, settings};
pub use measurement::Measurement;
use names::Names;
pub use page_file::write_measurement_page;
pub use plan::{plan, timed_plan};
pub use predictions::predictions;
pub use simulation::{results, timed_results};
pub use sinks::{MOST_WRITTEN, Selection, Sinks};
pub use write_error::CannotWrite;

/// The subject of a record: one run of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The name of its files: the scenario file's, without folder and extension.
    pub name: &'a str,
    /// The seed of this run.
    pub seed: u64,
    /// The command line that reproduces the run.
    pub command: &'a str,
    /// The text of the scenario file, if it is from a file.
    pub source: Option<&'a str>,
}

/// Program and version, as written into files and documents.
const PROGRAM: &str = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
