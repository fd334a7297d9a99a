//! Files over an association: disk at the one side, network at the other, joined by bounded channels so that
//! neither waits for the other needlessly. It knows no argument and no screen.

mod destination;
mod hashing;
mod incoming;
mod limit;
mod messages;
mod outgoing;
mod output;
mod progress;
mod reading;
mod sources;
mod store;
mod underway;

pub use destination::{Destination, is_output};
pub use incoming::receive_files;
pub use outgoing::send_files;
pub use progress::{Progress, Tally, Transferred};
pub use sources::Sources;
pub use store::Overwrite;

/// How many pieces wait between disk and network: 2 MiB.
const PIECES_BETWEEN: usize = 32;
