//! The limits that a method may choose from, path by path. It knows which of them can be part of a best answer at all,
//! and no method.

use crate::{PlanError, Problem};

/// A limit that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The limit, in packets.
    pub limit: u32,
    /// What the path carries with it, in packets/s.
    pub value: f64,
}

/// For each path its candidates: limits and values both strictly rising, none of the lists empty, the smallest limits
/// together within the buffer.
#[derive(Clone, Debug)]
pub struct Candidates {
    lists: Vec<Vec<Candidate>>,
}

impl Candidates {
    /// All limits of a problem.
    pub fn all(problem: &Problem) -> Candidates {
        let list = |curve: &Vec<f64>| rising((1..).zip(curve.iter().copied()));
        Candidates { lists: problem.curves().iter().map(list).collect() }
    }

    /// The limits of one set for each path, in rising order and none of them empty; those beyond the curve are left out.
    ///
    /// # Errors
    /// The smallest limits are more than the buffer together.
    pub fn of(problem: &Problem, sets: &[Vec<u32>]) -> Result<Candidates, PlanError> {
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
    pub fn lists(&self) -> &[Vec<Candidate>] {
        &self.lists
    }

    /// Only those that `keeps` wants, given the path's index.
    pub fn only(&self, keeps: impl Fn(usize, &Candidate) -> bool) -> Candidates {
        let list = |(path, list): (usize, &Vec<Candidate>)| {
            list.iter().filter(|candidate| keeps(path, candidate)).copied().collect()
        };
        Candidates { lists: self.lists.iter().enumerate().map(list).collect() }
    }
}

/// Without those that carry no more than a smaller one: leaving them out changes neither the best value nor the
/// smallest total that reaches it.
fn rising(limits: impl Iterator<Item = (u32, f64)>) -> Vec<Candidate> {
    let mut list: Vec<Candidate> = Vec::new();
    for (limit, value) in limits {
        if list.last().is_none_or(|last| value > last.value) {
            list.push(Candidate { limit, value });
        }
    }
    list
}
