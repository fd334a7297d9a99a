//! Links in real time: between real UDP sockets or between interfaces, through the same [`Link`](anabranch_link::Link)
//! that the simulator runs. It carries datagrams and knows nothing of what is in them.
//!
//! [`Fabric`] is the network without sockets and clock: links in a row, path by path. One thread drives it by arrival
//! times and a poll that sleeps by the nanosecond. [`Relay`] is that thread between UDP sockets; on Linux, an
//! `enclosure` is it between TUN interfaces in two network namespaces, and a `company` who works there.

mod clock;
#[cfg(target_os = "linux")]
pub mod company;
mod door;
#[cfg(target_os = "linux")]
pub mod enclosure;
mod engine;
pub mod fabric;
mod ip;
mod kernel;
mod relay;
mod report;
mod running;
mod socket;
mod timing;
mod waiting;

pub use fabric::Fabric;
pub use relay::{Relay, RelayConfig, StartError};
pub use report::{Ends, LinkReport, PathReport, RelayReport, SideReport, Traffic};
pub use timing::TimingError;
