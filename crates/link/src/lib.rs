//! Links in time: rate, delay, queue and loss. The simulator runs them under a virtual clock, the emulator
//! under the wall clock.
//!
//! A link knows sizes and moments; what its packets carry, and who sends them, is the driver's business.

pub mod config;
mod line;
mod link;
pub mod loss;
mod packet;
pub mod queue;
mod random;
mod wire;

pub use config::{Change, LinkConfig};
pub use link::{Link, LinkSeed};
pub use packet::{Backlog, Damage, Fate, LinkCounters, LossCause, Marking, Packet, Round};
pub use random::Random;
