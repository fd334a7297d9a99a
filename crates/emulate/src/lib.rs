//! Links in real time: a relay between real UDP sockets, through the same [`Link`](anabranch_link::Link) that the
//! simulator runs. It carries datagrams and knows nothing of what is in them.
//!
//! [`Fabric`] is the network without sockets and clock: links in a row, path by path. [`Relay`] is the thread that
//! drives it by the kernel's arrival times and a poll that sleeps by the nanosecond.

mod clock;
mod door;
mod engine;
pub mod fabric;
mod kernel;
mod relay;
mod report;
mod socket;
mod timing;
mod waiting;

pub use fabric::Fabric;
pub use relay::{Relay, RelayConfig, StartError};
pub use report::{LinkReport, PathReport, RelayReport, SideReport, Traffic};
pub use timing::TimingError;
