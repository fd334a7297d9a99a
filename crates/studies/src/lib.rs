//! What the simulator answers beside other people's numbers: oracle tables and the papers' figures.
//!
//! Each study fixes its parameters and its tolerances before it runs, and prints the results. `anabranch figures` runs the
//! papers' figures; the other studies are a tool for the project's own people, the program of this crate.

pub mod blocking;
mod draws;
pub mod failover;
pub mod figures;
pub mod grid;
pub mod kept_runs;
pub mod ns2;
pub mod ns3;
pub mod printing;
mod processors;
pub mod sample;
pub mod scale;
pub mod sharing;
pub mod small;
pub mod stopwatch;
pub mod tournament;
pub mod tuned;
