//! The sending half's memory: what waits, what is in flight, what a SACK says of it.

mod buffer;
mod chunk;
mod copies;
mod credit;
mod fragmentation;
mod gap_diff;
mod held;
mod lowest;
mod refit;
mod sack;
mod uncut;
mod waiting;

pub use buffer::SendBuffer;
pub use fragmentation::Outgoing;
pub use sack::BadSack;
