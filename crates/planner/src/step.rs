//! The thinned search of WS (61): only every k-th limit is tried (M-CWM-5).

use crate::brute_force::search;
use crate::candidates::Candidates;
use crate::exact::best;
use crate::{Allocation, PlanError, Problem};

/// The set of limits tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSet {
    /// k, 2k, … up to a = min(r, cap), as in WS (61). Empty where k > a.
    Printed,
    /// k, 2k, … up to the largest limit that leaves each other path a packet, with 1 and that limit added: there is
    /// always an answer.
    #[default]
    Repaired,
}

/// The most combinations searched exhaustively, like WS.
pub(crate) const MOST_SEARCHED: f64 = 1e6;

/// The best of the limits in steps of `step` packets. Up to `MOST_SEARCHED` combinations each is tried, and
/// `evaluations` counts them; beyond, the exact method chooses among the same limits, and `evaluations` counts its
/// sums. A step that divides another is never worse.
///
/// # Errors
/// A step of 0, a path without a limit to try, limits that do not fit together, or the exact method's
/// [`PlanError::TooMuch`].
pub fn step(problem: &Problem, step: u32, set: StepSet) -> Result<Allocation, PlanError> {
    let sets = sets(problem, step, set)?;
    let candidates = Candidates::of(problem, &sets)?;
    if combinations_of(&sets) <= MOST_SEARCHED {
        return search(problem, &sets);
    }
    let (limits, evaluations) = best(&candidates, problem.buffer(), problem.preference())?;
    Ok(problem.allocation(limits, evaluations))
}

/// The number of combinations that an exhaustive search in steps of `step` packets tries: WS' number of iterations.
///
/// # Errors
/// A step of 0, or a path without a limit to try.
pub fn combinations(problem: &Problem, step: u32, set: StepSet) -> Result<f64, PlanError> {
    Ok(combinations_of(&sets(problem, step, set)?))
}

fn combinations_of(sets: &[Vec<u32>]) -> f64 {
    sets.iter().map(|set| set.len() as f64).product()
}

fn sets(problem: &Problem, step: u32, set: StepSet) -> Result<Vec<Vec<u32>>, PlanError> {
    if step == 0 {
        return Err(PlanError::NoStep);
    }
    let of_path = |(path, (curve, &largest)): (usize, (&Vec<f64>, &u32))| {
        let largest = match set {
            StepSet::Printed => largest,
            StepSet::Repaired => curve.len() as u32,
        };
        let mut limits: Vec<u32> = (1..=largest / step).map(|times| times * step).collect();
        if set == StepSet::Repaired {
            limits.extend([1, largest]);
            limits.sort_unstable();
            limits.dedup();
        }
        if limits.is_empty() {
            return Err(PlanError::StepTooLarge { step, path, largest });
        }
        limits.retain(|limit| problem.allows(*limit));
        let missing_reports = problem.missing_reports();
        if limits.is_empty() { Err(PlanError::TooShort { step, path, missing_reports }) } else { Ok(limits) }
    };
    problem.curves().iter().zip(problem.search_limits()).enumerate().map(of_path).collect()
}
