//! Every combination of limits, one after another: the search of WS §5.2, and the reference for all others. It knows
//! no way around any of them.

use crate::{Allocation, PlanError, Problem};

/// How many combinations are tried at most: some seconds.
pub const MOST_COMBINATIONS: f64 = 1e9;

/// The best of all combinations. Of equal ones, bit for bit, that with the smallest total, then the first. Combinations
/// that do not fit into the buffer are counted in `evaluations`, as WS count iterations, but not summed.
///
/// # Errors
/// More than [`MOST_COMBINATIONS`] combinations.
pub fn brute_force(problem: &Problem) -> Result<Allocation, PlanError> {
    let combinations = problem.reaches().iter().map(|reach| f64::from(*reach)).product();
    if combinations > MOST_COMBINATIONS {
        return Err(PlanError::TooMany { combinations, most: MOST_COMBINATIONS });
    }
    let sets: Vec<Vec<u32>> = problem.reaches().iter().map(|reach| (1..=*reach).collect()).collect();
    search(problem, &sets)
}

/// The best combination of one limit from each of `sets`, in rising order and none of them empty. The caller sees to it
/// that they are not too many.
pub fn search(problem: &Problem, sets: &[Vec<u32>]) -> Result<Allocation, PlanError> {
    let least = |from: usize| sets[from..].iter().map(|set| u64::from(set[0])).sum();
    let mut search = Search {
        problem,
        sets,
        later: (0..=sets.len()).map(least).collect(),
        limits: vec![0; sets.len()],
        best: None,
    };
    search.descend(0, u64::from(problem.buffer()), 0.0);
    match search.best {
        Some(best) => {
            let combinations: u64 = sets.iter().map(|set| set.len() as u64).product();
            Ok(problem.allocation(best.limits, combinations))
        }
        None => Err(PlanError::NothingFits { least: search.later[0], buffer: problem.buffer() }),
    }
}

struct Search<'a> {
    problem: &'a Problem,
    sets: &'a [Vec<u32>],
    /// The sum of the smallest limits from each path on.
    later: Vec<u64>,
    limits: Vec<u32>,
    best: Option<Best>,
}

struct Best {
    value: f64,
    /// The packets it leaves unused.
    room: u64,
    limits: Vec<u32>,
}

impl Search<'_> {
    /// All limits of `path` and those after it within `room` packets, when those before it carry `sum`.
    fn descend(&mut self, path: usize, room: u64, sum: f64) {
        let Some(set) = self.sets.get(path) else { return self.compare(room, sum) };
        let curve = &self.problem.curves()[path];
        // What is left for this path leaves each later one a packet, so that it ends within the curve.
        let most = room - self.later[path + 1].min(room);
        for &limit in set.iter().take_while(|limit| u64::from(**limit) <= most) {
            self.limits[path] = limit;
            self.descend(path + 1, room - u64::from(limit), sum + curve[limit as usize - 1]);
        }
    }

    fn compare(&mut self, room: u64, value: f64) {
        let better = self.best.as_ref().is_none_or(|best| (value, room) > (best.value, best.room));
        if better {
            self.best = Some(Best { value, room, limits: self.limits.clone() });
        }
    }
}
