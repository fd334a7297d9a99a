//! The sender's state: the unsent chunks, the chunks in flight, and the reports of SACKs about them. Each file has one
//! part with private fields that uses no other part; `buffer` puts them together.

mod buffer;
mod chunk;
mod chunks;
mod copies;
mod credit;
mod departures;
mod firm_reports;
mod fragmentation;
mod gap_diff;
mod gap_reports;
mod held;
mod in_flight;
mod limited;
mod lowest;
mod marked;
mod message_numbers;
mod new_gaps;
mod on_hold;
mod prompt;
mod refit;
mod reliability;
mod streams;
mod turn;
mod unfragmented;
mod waiting;

pub(crate) use buffer::{BadSack, GivenUp, Left, SendBuffer, Sent, Skip};
pub use fragmentation::Outgoing;
pub use reliability::Reliability;
