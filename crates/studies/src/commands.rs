//! The studies' commands: what each prints on a terminal.

pub mod blocking;
pub mod failover;
pub mod figures;
pub mod figures_check;
pub mod small;
