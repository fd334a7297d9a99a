//! A deterministic network with a virtual clock, on which the real protocol runs.
//!
//! The same scenario and the same seed give the same result to the byte, on any machine.

mod application;
mod enough;
mod hints;
mod host;
mod load;
mod measure;
#[cfg(test)]
mod mesh;
mod network;
pub mod observe;
mod pairs;
pub mod predict;
mod radio;
mod replicate;
pub mod result;
mod run;
mod senders;
mod tally;
mod traffic;
mod unfit;

pub use enough::{Stop, Sufficiency};
pub use host::following_data;
pub use measure::{Estimate, Summary};
pub use observe::{Observation, Watch};
pub use replicate::{
    Ended, FlowSummary, MOST_THREADS, Plan, Replications, Watcher, replicate, run_once, summarise,
};
pub use result::RunResult;
pub use run::{Run, RunProgress};
pub use unfit::{BuildError, TooFewSeeds, Unfit};
