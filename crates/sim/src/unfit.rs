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

/// Why the settings of a flow are invalid.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// They contradict each other.
    #[error(transparent)]
    Settings(Box<dyn std::error::Error + Send + Sync>),
    /// Limits for its windows cannot be planned, because a path has no rate at the start.
    #[error(
        "its window limits cannot be planned, because path {path:?} has a rate of 0 at the start: give a \
         list of limits"
    )]
    NoRate {
        /// The path.
        path: String,
    },
    /// Its route is fixed when the run starts, and there is none.
    #[error(
        "there is no route from node {from:?} to node {to:?} when the run starts: move nodes closer together, \
         or choose routing = \"dsr\", which looks for one again and again"
    )]
    NotConnected {
        /// The node of its first end.
        from: String,
        /// The node of its second end.
        to: String,
    },
    /// Limits for its windows cannot be planned: there are no valid ones.
    #[error("its window limits cannot be planned: {0}")]
    Limits(#[from] PlanError),
}
