//! The best throughput for every buffer up to that of a problem, by one dynamic program without bounds.

use crate::candidates::Candidates;
use crate::totals::{PathStage, Program};
use crate::{PlanError, Problem};

/// The best throughput by receive buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct ByBuffer {
    least: u32,
    values: Vec<f64>,
}

/// The best throughput for each buffer from one packet for each path up to the problem's. For larger buffers, pass a
/// problem with the largest buffer of interest.
///
/// # Errors
/// [`PlanError::TooMuch`]: the program compares r · Σ cap sums.
pub fn by_buffer(problem: &Problem) -> Result<ByBuffer, PlanError> {
    let candidates = Candidates::all(problem);
    let stages = candidates.lists().iter().enumerate();
    let stages = stages.map(|(path, candidates)| PathStage { path, candidates }).collect();
    let least = problem.curves().len() as u32;
    let mut values = Program::new(stages, u64::from(least)..=u64::from(problem.buffer()))?.values();
    // Candidates end at the largest value: in a larger buffer the best of a smaller one stays the best.
    let mut best = f64::NEG_INFINITY;
    for value in &mut values {
        best = best.max(*value);
        *value = best;
    }
    values.resize((problem.buffer() - least) as usize + 1, best);
    Ok(ByBuffer { least, values })
}

impl ByBuffer {
    /// The smallest buffer with a value: one packet for each path.
    pub fn least(&self) -> u32 {
        self.least
    }

    /// The best throughput in packets/s, from the smallest buffer on.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The best throughput with a buffer of `buffer` packets, in packets/s; `None` outside the solved range.
    pub fn throughput(&self, buffer: u32) -> Option<f64> {
        self.values.get(buffer.checked_sub(self.least)? as usize).copied()
    }

    /// The gain by one packet more than `buffer`, in packets/s; `None` outside the solved range.
    pub fn marginal(&self, buffer: u32) -> Option<f64> {
        Some(self.throughput(buffer.checked_add(1)?)? - self.throughput(buffer)?)
    }
}
