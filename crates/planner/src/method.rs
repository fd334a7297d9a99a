//! The methods by name.

use crate::{Allocation, PlanError, Problem, StepSet, brute_force, exact, hull, step};

/// The method of choosing limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The optimum, by dynamic programming.
    #[default]
    Exact,
    /// The optimum, by trying all combinations.
    BruteForce,
    /// The best of every k-th limit.
    Step {
        /// k, in packets.
        step: u32,
        /// The set of limits tried.
        set: StepSet,
    },
    /// A near-optimal answer for problems of any size.
    Hull,
}

impl Method {
    /// The names, in the order of the documents.
    pub const NAMES: [&'static str; 4] = ["exact", "brute-force", "step", "hull"];

    /// The name in commands and documents.
    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::BruteForce => "brute-force",
            Method::Step { .. } => "step",
            Method::Hull => "hull",
        }
    }

    /// The limits that the method chooses.
    ///
    /// # Errors
    /// The method's own.
    pub fn solve(self, problem: &Problem) -> Result<Allocation, PlanError> {
        match self {
            Method::Exact => exact(problem),
            Method::BruteForce => brute_force(problem),
            Method::Step { step: packets, set } => step(problem, packets, set),
            Method::Hull => Ok(hull(problem).allocation),
        }
    }
}
