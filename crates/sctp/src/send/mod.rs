//! The sending half's memory: what waits, what is in flight, what a SACK says of it. It knows no path's
//! window and no timer.

mod buffer;
mod fragmentation;
mod gap_diff;
mod lowest;

pub use buffer::{BadSack, Left, OutboundChunk, SendBuffer, Sent};
pub use fragmentation::{Fragments, Outgoing};
