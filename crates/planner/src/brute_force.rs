//! Tries every combination of limits: the search of WS §5.2, and the reference for all other methods.

use crate::{Allocation, PlanError, Problem};

/// The most combinations tried; they take some seconds.
pub(crate) const MOST_COMBINATIONS: f64 = 1e9;

/// The best of all combinations. Of equal ones, bit for bit, the one with the smallest total, then the first.
/// Combinations that do not fit the buffer count in `evaluations`, as WS count iterations, but are not summed.
///
/// # Errors
/// More than `MOST_COMBINATIONS` combinations.
pub fn brute_force(problem: &Problem) -> Result<Allocation, PlanError> {
    let combinations = problem.search_limits().iter().map(|limit| f64::from(*limit)).product();
    if combinations > MOST_COMBINATIONS {
        return Err(PlanError::TooMany { combinations, most: MOST_COMBINATIONS });
    }
    let sets: Vec<Vec<u32>> = problem.search_limits().iter().map(|limit| (1..=*limit).collect()).collect();
    search(problem, &sets)
}

/// The best combination of one limit from each of `sets`, each nonempty and in increasing order. The caller bounds
/// their number.
pub(crate) fn search(problem: &Problem, sets: &[Vec<u32>]) -> Result<Allocation, PlanError> {
    let limits: Vec<u32> = sets.iter().map(|set| set[0]).collect();
    let least = limits.iter().map(|limit| u64::from(*limit)).sum();
    let Some(room) = u64::from(problem.buffer()).checked_sub(least) else {
        return Err(PlanError::NothingFits { least, buffer: problem.buffer() });
    };
    let choices = (0..sets.len()).filter(|path| sets[*path].len() > 1);
    let mut search = ExhaustiveSearch { problem, sets, choices: choices.collect(), limits, best: None };
    search.descend(0, room, 0.0);
    let combinations = sets.iter().map(|set| set.len() as u64).product();
    let limits = search.best.map_or(search.limits, |best| best.limits);
    Ok(problem.allocation(limits, combinations))
}

struct ExhaustiveSearch<'a> {
    problem: &'a Problem,
    sets: &'a [Vec<u32>],
    /// The paths with more than one limit to try.
    choices: Vec<usize>,
    /// The combination being tried.
    limits: Vec<u32>,
    best: Option<BestFound>,
}

struct BestFound {
    value: f64,
    /// The packets that it leaves unused.
    room: u64,
    limits: Vec<u32>,
}

impl ExhaustiveSearch<'_> {
    /// Tries all limits of `choice` and of later ones, when earlier ones carry `sum` and leave `room` packets beyond
    /// the smallest limits of the others.
    fn descend(&mut self, choice: usize, room: u64, sum: f64) {
        let Some(&path) = self.choices.get(choice) else { return self.compare(room, sum) };
        let (set, curve) = (&self.sets[path], &self.problem.curves()[path]);
        let least = set[0];
        // A limit that leaves each other path a packet is within the curve.
        for &limit in set.iter().take_while(|limit| u64::from(**limit - least) <= room) {
            self.limits[path] = limit;
            self.descend(choice + 1, room - u64::from(limit - least), sum + curve[limit as usize - 1]);
        }
    }

    fn compare(&mut self, room: u64, value: f64) {
        let better = self.best.as_ref().is_none_or(|best| (value, room) > (best.value, best.room));
        if better {
            self.best = Some(BestFound { value, room, limits: self.limits.clone() });
        }
    }
}
