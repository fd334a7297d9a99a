//! The studies' commands: what each prints on a terminal.

pub(crate) mod blocking;
pub(crate) mod failover;
pub(crate) mod figures;
pub(crate) mod figures_check;
pub(crate) mod small;
