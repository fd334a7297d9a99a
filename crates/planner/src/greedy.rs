//! Assigns the buffer packet by packet to the path with the largest gain.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::{Allocation, Problem};

/// From one packet for each path on, assigns each further packet to the path that gains most, as long as one gains. The
/// result is optimal only where every curve is concave, which curves of real paths are not: in random small cases up to
/// 4.9 % of the optimum were lost. At a tie the lower index goes first. The work grows as r · log n.
pub fn greedy(problem: &Problem) -> Allocation {
    let curves = problem.curves();
    let mut limits = vec![1_u32; curves.len()];
    let next = |path: usize, limit: u32| {
        let curve = &curves[path];
        let gain = curve.get(limit as usize)? - curve[limit as usize - 1];
        Some(NextGain { gain, path })
    };
    let mut gains: BinaryHeap<NextGain> = (0..curves.len()).filter_map(|path| next(path, 1)).collect();
    let mut left = problem.buffer() as usize - curves.len();
    let mut evaluations = gains.len() as u64;
    while let Some(NextGain { gain, path }) = gains.pop()
        && gain > 0.0
        && left > 0
    {
        limits[path] += 1;
        left -= 1;
        if let Some(gain) = next(path, limits[path]) {
            gains.push(gain);
            evaluations += 1;
        }
    }
    problem.allocation(limits, evaluations)
}

/// The gain of a path by its next packet.
#[derive(PartialEq)]
struct NextGain {
    gain: f64,
    path: usize,
}

impl Eq for NextGain {}

impl Ord for NextGain {
    fn cmp(&self, other: &NextGain) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.path.cmp(&self.path))
    }
}

impl PartialOrd for NextGain {
    fn partial_cmp(&self, other: &NextGain) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
