//! Links in real time: between real UDP sockets or between interfaces, through the same
//! [`Fabric`](anabranch_link::Fabric) that the simulator runs. What is in the datagrams does not matter.
//!
//! [`Network`] is the scenario's fabric with its paths and events, without sockets and without a clock. One thread drives
//! it by arrival times and a poll that sleeps by the nanosecond. [`Relay`] is that thread between UDP sockets; on Linux,
//! an `enclosure` is it between TUN interfaces in two network namespaces, and a `company` is the programs that work there.

mod clock;
#[cfg(target_os = "linux")]
pub mod company;
mod door;
#[cfg(target_os = "linux")]
pub mod enclosure;
mod engine;
mod ip;
mod kernel;
#[cfg(test)]
mod marks;
pub mod network;
mod relay;
mod report;
mod running;
mod socket;
mod timing;
mod waiting;

pub use network::Network;
pub use relay::{Relay, RelayConfig, StartError};
pub use report::{Ends, LinkReport, PathReport, RelayReport, SideReport, Traffic};
pub use timing::TimingError;
