//! What each study prints. It knows terminals, and nothing of what is studied.

pub mod blocking;
pub mod failover;
pub mod figures;
pub mod ns2;
pub mod small;
pub mod tuned;
