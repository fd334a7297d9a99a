//! Evidence in, findings out: what test packets tell of the links between two ends, and why a transfer over them is
//! slower than it could be.
//!
//! The crate measures nothing and does no I/O. [`recording`] has the packets of a measurement as the ends saw them,
//! [`estimate_links`] turns them into [`LinkEstimate`]s with intervals, and [`findings`] judges an [`Evidence`] by rules.

mod estimate;
mod estimated;
mod evidence;
mod finding;
mod link_estimate;
mod path_seen;
pub mod recording;
mod remedy;
mod transfer;
mod verdict;

pub use estimate::{estimate_links, rate_of_trains};
pub use estimated::Estimated;
pub use evidence::{Direction, Evidence, LaneSeen, Limits, Place};
pub use finding::{Cause, Finding, Promise, findings, with_promises};
pub use link_estimate::{DirectionEstimate, LinkEstimate, LinkStatus, LossRuns, Queue};
pub use path_seen::PathSeen;
pub use remedy::{Remedy, RemedyWords};
pub use transfer::{Alone, Control, Transfer};
pub use verdict::{Diagnosis, judge};
