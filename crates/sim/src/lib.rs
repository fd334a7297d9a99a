//! A deterministic network under a virtual clock, on which the real protocol runs.
//!
//! Same scenario, same seed: the same result to the byte, on any machine.

pub mod observe;
pub mod result;

pub use observe::{Observation, Watch};
pub use result::RunResult;
