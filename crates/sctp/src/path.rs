//! The state of each path: addresses, windows, round-trip time, health. Each part of the state is a struct with private
//! fields in its own file; `table` holds them, and is the only interface to the rest of the crate.

mod after_loss;
mod bandwidth;
mod burst;
mod counters;
mod default_paths;
mod delay;
mod delivery;
mod ecn;
mod ends;
mod estimates;
mod gate;
mod health;
mod limits;
mod liveness;
mod load;
mod loss_rate;
mod measured;
mod memory;
mod mtu;
mod pacer;
mod probes;
mod reports;
mod roles;
mod rtt;
mod sack_counters;
mod share;
mod silence;
mod table;

pub(crate) use after_loss::{LossState, TailProbe};
pub use counters::{EcnCounters, PathCounters};
pub(crate) use ecn::EcnFault;
pub(crate) use ecn::PacketChunks;
pub use ends::PathAddresses;
pub(crate) use health::HealthChange;
pub(crate) use limits::LimitingFactor;
pub use limits::TimeInLimit;
pub(crate) use load::{FullPaths, Load};
pub(crate) use memory::Remembered;
pub(crate) use mtu::MtuState;
pub use sack_counters::SackCounters;
pub(crate) use share::Shares;
pub(crate) use table::PathTable;
