//! Why there is no twin.

use anabranch_scenario::ScenarioError;
use anabranch_sim::BuildError;

/// Why the measured links cannot be written or simulated.
#[derive(Debug, thiserror::Error)]
pub enum TwinError {
    /// No link has a measured rate.
    #[error(
        "none of {links} links has a measured rate: measure again, or check that the other end answers on one"
    )]
    NoLink {
        /// The number of links.
        links: usize,
    },
    /// The settings in use cannot be written as a scenario.
    #[error("the settings in use do not fit a scenario: {0}")]
    Scenario(#[from] ScenarioError),
    /// The scenario cannot be run.
    #[error("the twin cannot be simulated: {0}")]
    Build(#[from] BuildError),
}
