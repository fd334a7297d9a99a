//! Links in real time: between real UDP sockets or between interfaces, through the same
//! [`Fabric`](anabranch_link::Fabric) that the simulator runs. The content of the datagrams does not matter.
//!
//! [`Network`] is the scenario's fabric with its paths and events, without sockets and without a clock. One thread drives
//! it by arrival times and a poll that sleeps by the nanosecond. [`Relay`] is that thread between UDP sockets; on Linux,
//! `namespaces` puts it between TUN interfaces in two network namespaces, and `supervised` runs programs there.

mod attachment;
mod clock;
mod engine;
mod ip;
mod kernel;
#[cfg(test)]
mod marks;
#[cfg(target_os = "linux")]
pub mod namespaces;
pub mod network;
mod offload;
mod pace;
mod relay;
mod report;
mod running;
mod socket;
#[cfg(target_os = "linux")]
pub mod supervised;
mod timing;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod trains;
mod waiting;

pub use network::Network;
pub use relay::{Relay, RelayConfig, StartError};
pub use report::{LinkReport, PathEnds, PathReport, RelayReport, SideReport, TrafficCounters};
pub use timing::{PUNCTUAL, TimingError};
