//! The optimal limits (WS (56) to (60)): the bound of the concave hull discards candidates that cannot be part of an
//! optimum, and a dynamic program over totals chooses among the rest.

use crate::candidates::{Candidate, Candidates};
use crate::hull::FilledHulls;
use crate::totals::{PathStage, Program};
use crate::{Allocation, PlanError, Problem};

/// The optimal allocation. Of several equal to a relative 1e-13, the one with the smallest total; of these the one with
/// the largest limit for the first path in [`Problem::preference`], then for the second, and so on (M-CWM-4).
///
/// The value of a combination is the hull's bound, less the shortfall of each limit from its hull's best at the hull's
/// price of a packet, less the price of unused packets. Combinations below the hull's feasible answer are discarded,
/// and with curves of real paths few remain: `evaluations` counts the sums compared among them.
///
/// # Errors
/// [`PlanError::TooMuch`] where the rest needs more than a second or two, or 256 MiB: curves far from concave.
pub fn exact(problem: &Problem) -> Result<Allocation, PlanError> {
    let (limits, evaluations) = best(&Candidates::all(problem), problem.buffer(), problem.preference())?;
    Ok(problem.allocation(limits, evaluations))
}

/// The best choice of `candidates` within `buffer` packets, and the number of sums compared for it.
pub(crate) fn best(
    candidates: &Candidates,
    buffer: u32,
    preference: &[usize],
) -> Result<(Vec<u32>, u64), PlanError> {
    let filled = FilledHulls::new(candidates, buffer);
    let (candidates, least) = remaining(candidates, buffer, &filled);
    // The program lets its last stage choose first.
    let stages: Vec<PathStage<'_>> = preference
        .iter()
        .rev()
        .map(|&path| PathStage { path, candidates: &candidates.lists()[path] })
        .collect();
    let program = Program::new(stages, least..=u64::from(buffer))?;
    Ok((program.solve(), program.sums()))
}

/// The candidates of combinations at least as good as the feasible one, and the least total of such a combination.
fn remaining(candidates: &Candidates, buffer: u32, filled: &FilledHulls) -> (Candidates, u64) {
    // Sums of n values have at most n rounding errors; ties are 1e-13.
    let rounding = filled.bound * (1e-12 + candidates.lists().len() as f64 * 1e-15);
    let slack = (filled.bound - filled.value).max(0.0) + rounding;
    let profit = |candidate: &Candidate| candidate.value - filled.price * f64::from(candidate.limit);
    let most = |list: &Vec<Candidate>| list.iter().map(profit).fold(f64::NEG_INFINITY, f64::max);
    let profits: Vec<f64> = candidates.lists().iter().map(most).collect();
    let kept = candidates.only(|path, candidate| {
        profits[path] - profit(candidate) <= slack || candidate.limit == filled.limits[path]
    });
    let total = filled.limits.iter().map(|limit| u64::from(*limit)).sum();
    // A value beyond the type, or infinite at a price of 0, saturates.
    let unused = (slack / filled.price) as u64;
    (kept, u64::from(buffer).saturating_sub(unused).min(total))
}
