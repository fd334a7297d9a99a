//! Links in time: rate, delay, queue and loss, and the [`Fabric`] that joins them to a network. The simulator runs it
//! under a virtual clock, the emulator under the wall clock.
//!
//! What packets carry, and which host sends them, is the driver's.

mod agenda;
pub mod config;
pub mod fabric;
mod line;
mod link;
pub mod loss;
mod packet;
pub mod queue;
mod random;
mod route;
mod wire;

pub use agenda::{Agenda, NodeIndex};
pub use config::{Change, LinkConfig};
pub use fabric::{Fabric, Way};
pub use link::{Link, LinkSeed};
pub use packet::{Backlog, Damage, Fate, LinkCounters, LossCause, Packet, Round};
pub use random::Random;
