//! The sender's state: the chunks that wait, the chunks in flight, and what SACKs report of them.

mod buffer;
mod chunk;
mod copies;
mod copying;
mod credit;
mod departures;
mod fragmentation;
mod gap_diff;
mod held;
mod lowest;
mod new_gaps;
mod on_path;
mod refit;
mod sack;
mod standing;
mod uncut;
mod waiting;

pub use buffer::{Left, SendBuffer, Sent};
pub use fragmentation::Outgoing;
pub use sack::BadSack;
