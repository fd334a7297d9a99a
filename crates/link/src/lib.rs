//! Links in time: rate, delay, queue and loss, and the [`Fabric`] that joins them into a network. The simulator uses
//! it with a virtual clock, the emulator with the real clock.
//!
//! The driver decides what packets carry, and which host sends them.

mod agenda;
mod chunk_kind;
pub mod config;
pub mod fabric;
mod hold;
mod line;
mod link;
pub mod loss;
mod packet;
pub mod queue;
mod random;
mod ring;
mod route;
mod standing;
mod waits;
mod wire;

pub use agenda::{Agenda, NodeIndex};
pub use chunk_kind::ChunkKind;
pub use config::{Change, LinkConfig};
pub use fabric::{Fabric, Way};
pub use link::{Link, LinkSeed};
pub use packet::{Backlog, Damage, Fate, LinkCounters, LossCause, Packet, Payload, Round};
pub use random::Random;
