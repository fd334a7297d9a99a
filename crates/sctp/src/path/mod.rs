//! What each path is like: addresses, windows, round-trip time, health. It knows no chunk and no timer.

mod burst;
mod counters;
mod health;
mod rtt;
mod table;

pub use counters::PathCounters;
pub use health::{Health, HealthChange};
pub use rtt::RoundTrip;
pub use table::{PathAddresses, PathTable};
