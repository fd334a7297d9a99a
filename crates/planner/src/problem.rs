//! The question that every method answers: maximise Σ ηᵢ(cᵢ) with Σ cᵢ ≤ r and 1 ≤ cᵢ ≤ capᵢ (WS (56) to (60)). It
//! knows no method.

use anabranch_models::{PathParameters, WindowModel};

use crate::PlanError;

/// Curves of throughput by limit, and the buffer that the limits share.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    curves: Vec<Vec<f64>>,
    buffer: u32,
}

/// An answer: a limit for each path.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// The limits in packets, in the order of the paths.
    pub limits: Vec<u32>,
    /// What the paths carry together, in packets/s.
    pub throughput: f64,
    /// How many candidates were looked at: sums compared, a measure of the work that no machine changes.
    pub evaluations: u64,
}

impl Problem {
    /// The question for `paths` that share a receive buffer of `buffer` packets, with curves by `model`. A path's limit
    /// may be at most what fills it (WS (58)), and leaves each other path a packet.
    ///
    /// # Errors
    /// No path, a buffer of fewer packets than paths, or a parameter outside the model's domain.
    pub fn new(paths: &[PathParameters], buffer: u32, model: &dyn WindowModel) -> Result<Problem, PlanError> {
        let most = Problem::largest_limit(paths.len(), buffer)?;
        let curve = |path: &PathParameters| {
            path.check()?;
            Ok(model.curve(path, path.cap().min(most))?)
        };
        Ok(Problem { curves: paths.iter().map(curve).collect::<Result<_, PlanError>>()?, buffer })
    }

    /// The question for given curves: the value for limit `c` at `c − 1` of each, none of them empty. What is beyond the
    /// largest limit that leaves each other path a packet is cut off.
    ///
    /// # Errors
    /// No path, an empty curve, or a buffer of fewer packets than paths.
    pub fn from_curves(mut curves: Vec<Vec<f64>>, buffer: u32) -> Result<Problem, PlanError> {
        let most = Problem::largest_limit(curves.len(), buffer)?;
        curves.iter_mut().for_each(|curve| curve.truncate(most as usize));
        if curves.iter().any(Vec::is_empty) {
            return Err(PlanError::Model(anabranch_models::ModelError::NoWindow));
        }
        Ok(Problem { curves, buffer })
    }

    /// The receive buffer, in packets.
    pub fn buffer(&self) -> u32 {
        self.buffer
    }

    /// What each path carries by limit, in packets/s.
    pub fn curves(&self) -> &[Vec<f64>] {
        &self.curves
    }

    /// What the paths carry together with these limits, one for each path; `None` where one is not in its curve.
    pub fn throughput(&self, limits: &[u32]) -> Option<f64> {
        let value = |(curve, limit): (&Vec<f64>, &u32)| curve.get((*limit as usize).checked_sub(1)?).copied();
        self.curves.iter().zip(limits).map(value).sum()
    }

    fn largest_limit(paths: usize, buffer: u32) -> Result<u32, PlanError> {
        if paths == 0 {
            return Err(PlanError::NoPath);
        }
        match u32::try_from(paths).ok().and_then(|paths| buffer.checked_sub(paths)) {
            Some(left) => Ok(left + 1),
            None => Err(PlanError::BufferTooSmall { buffer, paths }),
        }
    }
}
