//! Two honest ends and an attacker between, beside or in front of them: what each of them does, what must hold of
//! packets, memory and work, and what was seen. `adversaries.rs` runs it, seed by seed.

mod blind;
mod bounds;
mod cast;
mod liar;
mod lies;
mod parting;
mod past;
mod plan;
mod play;
mod shot;
mod tally;
mod verdict;
mod watch;
mod witness;

pub use blind::Guess;
pub use lies::Lie;
pub use past::Past;
pub use plan::{Act, Scene, plan};
pub use play::play;
pub use tally::{Column, Tally};
pub use verdict::{Class, Fault};
