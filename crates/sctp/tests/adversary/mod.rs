//! Two honest ends and an attacker between, beside or in front of them: what each of them does, what must hold of
//! packets, memory and work, and what was seen. `adversaries.rs` runs it, seed by seed.

mod blind;
mod bounds;
mod cast;
mod liar;
mod lies;
mod parting;
mod parts;
mod past;
mod plan;
mod play;
mod shot;
mod tally;
mod verdict;
mod watch;
mod witness;

pub(crate) use blind::Guess;
pub(crate) use lies::Lie;
pub(crate) use past::Past;
pub(crate) use plan::{Act, Scene, plan};
pub(crate) use play::play;
pub(crate) use tally::{Column, Tally};
pub(crate) use verdict::{Class, Fault};
