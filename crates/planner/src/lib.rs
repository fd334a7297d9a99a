//! Plans by the models: the number of packets of a shared receive buffer that each path's window may take (WS §5),
//! given the throughput of each path at each limit.

mod brute_force;
mod by_buffer;
mod candidates;
mod error;
mod exact;
mod greedy;
mod hull;
pub mod live;
mod marginal_gain;
mod method;
pub mod policies;
mod problem;
mod sensitivity;
mod step;
mod totals;

pub use brute_force::brute_force;
pub use by_buffer::{ByBuffer, by_buffer};
pub use error::PlanError;
pub use exact::exact;
pub use greedy::greedy;
pub use hull::{Certificate, hull};
pub use marginal_gain::{MarginalGain, marginal_gain};
pub use method::Method;
pub use problem::{Allocation, MOST_POINTS, Problem};
pub use sensitivity::{Misplan, Mistake, sensitivity};
pub use step::{StepSet, combinations, step};
