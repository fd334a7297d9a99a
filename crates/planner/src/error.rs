//! What can be wrong with a question to the planner. It knows no place in any file.

use anabranch_models::ModelError;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// No path to plan for.
    #[error("there is no path to plan for")]
    NoPath,
    /// Not even one packet for each path.
    #[error("a receive buffer of {buffer} packets is less than one packet for each of {paths} paths")]
    BufferTooSmall {
        /// The shared receive buffer, in packets.
        buffer: u32,
        /// How many paths share it.
        paths: usize,
    },
    /// A method that would try more combinations than anyone waits for.
    #[error(
        "{combinations:.3e} combinations are more than the {most:.0e} that are tried: use the exact method"
    )]
    TooMany {
        /// How many there are.
        combinations: f64,
        /// How many are tried at most.
        most: f64,
    },
    /// A step of nothing.
    #[error("a step of 0 packets gives no limits to try")]
    NoStep,
    /// The model has no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
}
