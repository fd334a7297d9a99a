//! What the simulator answers beside other people's numbers: oracle tables and the papers' figures.
//!
//! A tool for the project's own people: nothing here is a command of the program. Each study fixes its parameters and
//! its tolerances before it runs, and prints the results.

pub mod blocking;
mod draws;
pub mod failover;
pub mod figures;
pub mod grid;
pub mod kept_runs;
pub mod ns2;
pub mod ns3;
pub mod sample;
pub mod scale;
pub mod sharing;
pub mod small;
pub mod tournament;
pub mod tuned;
