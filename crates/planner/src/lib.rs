//! The models applied: how many packets of a shared receive buffer each path's window may take (WS §5). It knows what
//! paths carry at each limit, and not how that was computed.

mod error;
mod problem;

pub use error::PlanError;
pub use problem::{Allocation, Problem};
