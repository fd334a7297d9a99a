//! The commands of the comparisons: what each prints on a terminal.

pub mod ns2;
pub mod ns3;
pub mod sharing;
pub mod tournament;
pub mod tuned;
