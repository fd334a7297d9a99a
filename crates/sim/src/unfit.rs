//! Why a scenario cannot be run.

use anabranch_planner::PlanError;

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("flow {flow:?}: {why}")]
pub struct BuildError {
    /// The flow whose settings do not fit.
    pub flow: String,
    /// What is wrong with them.
    pub why: Unfit,
}

/// What is wrong with the settings of a flow.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// They contradict one another.
    #[error(transparent)]
    Settings(Box<dyn std::error::Error + Send + Sync>),
    /// Limits for its windows were to be planned, and nothing says what a path carries.
    #[error(
        "its window limits cannot be planned, because path {path:?} has a rate of 0 at the start: give a \
         list of limits"
    )]
    NoRate {
        /// The path.
        path: String,
    },
    /// Limits for its windows were to be planned, and there are none.
    #[error("its window limits cannot be planned: {0}")]
    Limits(#[from] PlanError),
}
