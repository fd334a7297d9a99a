//! The change of the optimal limits, and the loss, if the parameters of a path are wrong.

use anabranch_models::{PathParameters, WindowModel};

use crate::{PlanError, Problem, exact};

/// The relative error of a mistaken value.
pub(crate) const RELATIVE_ERROR: f64 = 0.2;

/// A mistake in a path's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The loss is assumed a fifth higher.
    MoreLoss,
    /// The loss is assumed a fifth lower.
    LessLoss,
    /// The rate is assumed a fifth higher.
    HigherRate,
    /// The rate is assumed a fifth lower.
    LowerRate,
}

/// The effect of a mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Misplan {
    /// The index of the path.
    pub path: usize,
    /// The mistake.
    pub mistake: Mistake,
    /// The best limits for the paths with the mistake, in packets.
    pub limits: Vec<u32>,
    /// The throughput of these limits over the true paths, in packets/s.
    pub throughput: f64,
    /// The lost part of the true optimum. Negative where the mistake raises a path's cap, and a window beyond the cap
    /// carries more.
    pub regret: f64,
}

impl Mistake {
    /// Every mistake.
    pub const ALL: [Mistake; 4] =
        [Mistake::MoreLoss, Mistake::LessLoss, Mistake::HigherRate, Mistake::LowerRate];

    /// The path with the mistake. A loss probability stays at most 1.
    pub fn of(self, path: &PathParameters) -> PathParameters {
        match self {
            Mistake::MoreLoss => {
                PathParameters { loss: (path.loss * (1.0 + RELATIVE_ERROR)).min(1.0), ..*path }
            }
            Mistake::LessLoss => PathParameters { loss: path.loss * (1.0 - RELATIVE_ERROR), ..*path },
            Mistake::HigherRate => PathParameters { rate: path.rate * (1.0 + RELATIVE_ERROR), ..*path },
            Mistake::LowerRate => PathParameters { rate: path.rate * (1.0 - RELATIVE_ERROR), ..*path },
        }
    }
}

/// The exact optimum under each mistake about each path, path by path in the order of [`Mistake::ALL`].
///
/// # Errors
/// As [`Problem::new`] and [`exact`], for the true paths or those with a mistake.
pub fn sensitivity(
    paths: &[PathParameters],
    buffer: u32,
    model: &dyn WindowModel,
) -> Result<Vec<Misplan>, PlanError> {
    let truth = Problem::new(paths, buffer, model)?;
    let best = exact(&truth)?.throughput;
    let mut misplans = Vec::new();
    for (wrong, path) in paths.iter().enumerate() {
        for mistake in Mistake::ALL {
            let curve = curve(&mistake.of(path), &truth, model)?;
            let limits = exact(&truth.with_curve(wrong, curve)?)?.limits;
            let throughput = carried(paths, &limits, &truth, model)?;
            let regret = if best > 0.0 { 1.0 - throughput / best } else { 0.0 };
            misplans.push(Misplan { path: wrong, mistake, limits, throughput, regret });
        }
    }
    Ok(misplans)
}

fn curve(path: &PathParameters, problem: &Problem, model: &dyn WindowModel) -> Result<Vec<f64>, PlanError> {
    Ok(model.curve(path, path.cap().min(problem.largest_limit()))?)
}

/// The throughput of limits over the true paths. A limit may exceed a path's true cap, where the problem has no value.
fn carried(
    paths: &[PathParameters],
    limits: &[u32],
    truth: &Problem,
    model: &dyn WindowModel,
) -> Result<f64, PlanError> {
    let mut sum = 0.0;
    for ((path, &limit), curve) in paths.iter().zip(limits).zip(truth.curves()) {
        sum += match curve.get(limit as usize - 1) {
            Some(value) => *value,
            None => model.curve(path, limit)?.last().copied().unwrap_or_default(),
        };
    }
    Ok(sum)
}
