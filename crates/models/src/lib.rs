//! Analytic throughput models of multipath transport: equations alone, without packets, sockets or simulators.
//!
//! Equations are quoted as `WS (28)` for Wallace and Shami's models of CMT-SCTP, `LIU (7)` for Liu and others' of
//! MPTCP. Rates are in packets a second, times in seconds, windows and buffers in packets.

mod burst;
mod error;
mod loss;
pub mod markov;
pub mod mptcp;
mod parameters;
pub mod pftk;
pub mod renewal;
pub mod rounds;
pub mod square_root;

pub use burst::more_lost_than;
pub use error::ModelError;
pub use loss::{Halving, RoundLoss};
pub use markov::{Markov, Rates};
pub use mptcp::Mptcp;
pub use parameters::{LimitedPath, PathParameters, TimeoutBounds};
pub use pftk::Pftk;
pub use renewal::Renewal;

use std::fmt::Debug;

/// A model that computes the throughput of paths.
pub trait ThroughputModel: Debug {
    /// The name in commands and documents.
    fn name(&self) -> &'static str;

    /// The throughput of each path in packets/s, with its window limited as given.
    ///
    /// # Errors
    /// A parameter outside the model's domain.
    fn throughput(&self, paths: &[LimitedPath]) -> Result<Vec<f64>, ModelError>;
}

/// A model of one path alone, for every limit of its window: what a planner needs.
pub trait WindowModel: ThroughputModel {
    /// Returns the throughput of the path in packets/s with its window limited to 1, 2, … `up_to` packets: the value for
    /// limit `c` at `c − 1`.
    ///
    /// # Errors
    /// A parameter outside the model's domain.
    fn curve(&self, path: &PathParameters, up_to: u32) -> Result<Vec<f64>, ModelError>;
}
