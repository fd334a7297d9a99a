//! Why a scenario cannot be run.

use anabranch_planner::PlanError;

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The settings of a flow are invalid.
    #[error("flow {flow:?}: {why}")]
    Flow {
        /// The flow.
        flow: String,
        /// The fault of its settings.
        why: Unfit,
    },
    /// The replications have not enough seeds.
    #[error(transparent)]
    Seeds(#[from] TooFewSeeds),
}

/// The seeds of replications, `seed`, `seed + 1`, …, would go beyond the largest number that is a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{runs} runs from seed {seed} need seeds beyond {}, the largest: use a seed up to {}", u64::MAX, u64::MAX - (.runs - 1))]
pub struct TooFewSeeds {
    /// The first seed.
    pub seed: u64,
    /// The largest number of runs, at least 2.
    pub runs: u64,
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
    /// The route is fixed when the run starts, and there is none.
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
