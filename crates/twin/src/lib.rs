//! The scenario file of measured links, and what a change of one thing would bring there.
//!
//! [`network_toml`] writes [`LinkEstimate`](anabranch_diagnose::LinkEstimate)s as a scenario in which each value has
//! its evidence beside it. A [`Twin`] is that scenario, ready to run; [`what_ifs`] simulates it as it is and with one
//! [`Change`] at a time. The crate opens no file and reads no clock.

mod candidates;
mod change;
mod choices;
mod effort;
mod error;
mod link_name;
mod link_text;
mod network;
mod quantity;
mod race;
mod settings_text;
mod shared;
mod trace_file;
mod trial;
mod twin;
mod what_if;

pub use change::{Change, ChangedEnd};
pub use choices::TwinChoices;
pub use effort::{Effort, Observer};
pub use error::TwinError;
pub use network::{NetworkFile, network_toml};
pub use trace_file::TraceFile;
pub use twin::Twin;
pub use what_if::{Outcome, WhatIf, WhatIfs, what_ifs};
