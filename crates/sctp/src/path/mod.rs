//! The state of each path: addresses, windows, round-trip time, health.

mod addresses;
mod after_loss;
mod bandwidth;
mod burst;
mod counters;
mod delay;
mod delivery;
mod ecn;
mod health;
mod limits;
mod loss_rate;
mod measured;
mod memory;
mod mtu;
mod pacer;
mod probes;
mod rtt;
mod share;
mod silence;
mod table;

pub use addresses::PathAddresses;
pub use after_loss::{LossState, TailProbe};
pub use counters::{EcnCounters, PathCounters, SackCounters};
pub use ecn::EcnFault;
pub(crate) use ecn::PacketChunks;
pub use health::HealthChange;
pub use limits::{LimitingFactor, TimeInLimit};
pub use memory::Remembered;
pub use mtu::MtuState;
pub use share::Shares;
pub use table::PathTable;
