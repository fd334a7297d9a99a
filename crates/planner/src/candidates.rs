//! The limits from which a method may choose, path by path, without those that no optimum has.

use crate::{PlanError, Problem};

/// A limit that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The limit, in packets.
    pub limit: u32,
    /// The path's throughput with it, in packets/s.
    pub value: f64,
}

/// The candidates of each path: limits and values strictly increasing, no list empty, the smallest limits together
/// within the buffer.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    lists: Vec<Vec<Candidate>>,
}

impl Candidates {
    /// The limits of a problem.
    pub(crate) fn all(problem: &Problem) -> Candidates {
        let list = |curve: &Vec<f64>| rising((1..).zip(curve.iter().copied()));
        Candidates { lists: problem.curves().iter().map(list).collect() }
    }

    /// Candidates from one set of limits for each path, each nonempty and in increasing order; limits beyond the curve
    /// are left out.
    ///
    /// # Errors
    /// The smallest limits together exceed the buffer.
    pub(crate) fn of(problem: &Problem, sets: &[Vec<u32>]) -> Result<Candidates, PlanError> {
        let least = sets.iter().filter_map(|set| set.first()).map(|limit| u64::from(*limit)).sum();
        if least > u64::from(problem.buffer()) {
            return Err(PlanError::NothingFits { least, buffer: problem.buffer() });
        }
        let list = |(curve, set): (&Vec<f64>, &Vec<u32>)| {
            rising(set.iter().filter_map(|&limit| Some((limit, *curve.get(limit as usize - 1)?))))
        };
        Ok(Candidates { lists: problem.curves().iter().zip(sets).map(list).collect() })
    }

    /// The candidates of each path.
    pub(crate) fn lists(&self) -> &[Vec<Candidate>] {
        &self.lists
    }

    /// The candidates for which `keeps`, given the path's index, is true.
    pub(crate) fn only(&self, keeps: impl Fn(usize, &Candidate) -> bool) -> Candidates {
        let list = |(path, list): (usize, &Vec<Candidate>)| {
            list.iter().filter(|candidate| keeps(path, candidate)).copied().collect()
        };
        Candidates { lists: self.lists.iter().enumerate().map(list).collect() }
    }
}

/// Leaves out limits that carry no more than a smaller one; this changes neither the best value nor the smallest total
/// that attains it.
fn rising(limits: impl Iterator<Item = (u32, f64)>) -> Vec<Candidate> {
    let mut list: Vec<Candidate> = Vec::new();
    for (limit, value) in limits {
        if list.last().is_none_or(|last| value > last.value) {
            list.push(Candidate { limit, value });
        }
    }
    list
}
