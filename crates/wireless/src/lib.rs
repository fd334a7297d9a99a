//! A mesh of 802.11 radio stations: who hears whom, who may send when (DCF), and which way packets take (DSR or fixed
//! routes). The whole mesh is one machine with a port at each station, and a medium of the `link` crate's fabric.

pub mod config;
mod contention;
mod datagram;
mod dsr;
mod frame;
mod mesh;
mod movement;
mod neighbourhood;
mod retry;
mod seen;
mod station;

pub use frame::{Frame, FrameKind};
pub use mesh::{Mesh, MeshSeed};
pub use seen::{FrameSeen, MeshEvent, StationCounters};
