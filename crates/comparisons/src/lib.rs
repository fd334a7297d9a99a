//! Ours beside other programs: oracle tables of ns-2 and ns-3, the tournament of networks, and what its profiles and
//! detectors are tried on.
//!
//! Each comparison fixes its parameters and its tolerances before it runs, and prints the results. The program of the crate
//! `studies` has its commands.

pub mod commands;
mod draws;
pub mod ns2;
pub mod ns3;
pub mod sample;
pub mod sharing;
pub mod tournament;
pub mod tuned;
