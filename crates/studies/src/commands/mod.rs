//! The studies' commands: what each prints on a terminal.

pub mod blocking;
pub mod failover;
pub mod figures;
pub mod figures_check;
pub mod ns2;
pub mod ns3;
pub mod sharing;
pub mod small;
pub mod tournament;
pub mod tuned;
